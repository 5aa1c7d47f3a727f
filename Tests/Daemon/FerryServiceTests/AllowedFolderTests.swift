import FerryCore
import FerryTesting
import Foundation
import Testing

/// Transfers of gateway clients, whose files are limited to allowed folders.
@Suite(.timeLimit(.minutes(2))) struct `A request with allowed folders` {
    private static let bodies = [SeededBody(seed: 1, size: 900), SeededBody(seed: 2, size: 300_000)]

    /// Makes a folder beside the destination folder, and a link to it in the destination folder.
    private func link(in bed: ServiceBed) throws -> (link: String, target: String) {
        let target = bed.outside.file("elsewhere")
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        let link = bed.folder + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        return (link, target)
    }

    private func files(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder)
    }

    @Test(arguments: ServiceKind.allCases, bodies)
    func `is fetched in and below them`(_ kind: ServiceKind, body: SeededBody) async throws {
        try await withService(kind, OriginScript(body)) { bed in
            let inside = bed.folder + "/a/b"
            let id = try await bed.add {
                $0.file.folder = inside
                $0.file.name = "c/file"
                $0.file.allowedFolders = AllowedFolders([bed.folder])
            }.id
            try await bed.wait(for: id, .succeeded)
            #expect(try files(inside + "/c") == ["file"])
        }
    }

    @Test(arguments: ServiceKind.allCases, ["", "/new", "/new/deep"])
    func `is refused through a link that leads out, and makes no folder there`(
        _ kind: ServiceKind, below: String
    ) async throws {
        try await withService(kind) { bed in
            let (link, target) = try link(in: bed)
            for name in ["file", "sub/file", nil] {
                let error = try await bed.refusal(
                    of: bed.request {
                        $0.file.folder = link + below
                        $0.file.name = name
                        $0.file.allowedFolders = AllowedFolders([bed.folder])
                    })
                #expect(error.code == .destinationUnwritable && error.message.contains(target), "\(error.message)")
            }
            // A name may lead through the link as well.
            let error = try await bed.refusal(
                of: bed.request {
                    $0.file.name = "link\(below)/file"
                    $0.file.allowedFolders = AllowedFolders([bed.folder])
                })
            #expect(error.code == .destinationUnwritable && error.message.contains(target))
            #expect(try files(target).isEmpty)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `may use a link that leads to an allowed folder, and an allowed folder that is a link`(
        _ kind: ServiceKind
    ) async throws {
        try await withService(kind) { bed in
            let (link, target) = try link(in: bed)
            for folders in [[bed.folder, target], [link]] {
                let id = try await bed.add {
                    $0.file.folder = link
                    $0.file.allowedFolders = AllowedFolders(folders)
                }.id
                try await bed.wait(for: id, .succeeded)
            }
            #expect(try files(target).count == 2)
        }
    }

    /// The folder is a folder when the request is accepted, and a link when its file is made.
    @Test(arguments: ServiceKind.allCases, bodies)
    func `places nothing through a link that was made after it was accepted`(
        _ kind: ServiceKind, body: SeededBody
    ) async throws {
        let script = OriginScript(body, always: .hold("head", at: .head))
        try await withService(kind, script) { bed in
            let target = bed.outside.file("elsewhere")
            try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
            let inner = bed.folder + "/inner"
            let id = try await bed.add {
                $0.file.folder = inner
                $0.file.allowedFolders = AllowedFolders([bed.folder])
            }.id
            try await eventually("the request") { !bed.origin.requests.isEmpty }
            try FileManager.default.removeItem(atPath: inner)
            try FileManager.default.createSymbolicLink(atPath: inner, withDestinationPath: target)
            bed.origin.release("head")
            let failed = try await bed.wait(for: id, .failed)
            #expect(failed.error?.code == .destinationUnwritable && failed.error?.message.contains(target) == true)
            #expect(try files(target).isEmpty)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `keeps its limit until its user gives it another folder`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let (link, target) = try link(in: bed)
            let id = try await bed.add {
                $0.timing.paused = true
                $0.file.allowedFolders = AllowedFolders([bed.folder])
            }.id
            var change = TransferChange()
            change.folder = link
            change.file.allowedFolders = AllowedFolders([bed.folder])
            _ = try await bed.service.change(id, change)
            try await bed.act(.resume, id)
            #expect(try await bed.wait(for: id, .failed).error?.code == .destinationUnwritable)
            change.file.allowedFolders = nil
            _ = try await bed.service.change(id, change)
            try await bed.act(.retry, id)
            try await bed.wait(for: id, .succeeded)
            #expect(try files(target) == ["file.bin"])
        }
    }
}
