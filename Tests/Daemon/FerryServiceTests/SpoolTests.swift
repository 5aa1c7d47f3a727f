import FerryCore
import FerryService
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `The spool` {
    private static let body = SeededBody(seed: 21, size: 300_000)

    private func withSpool(
        _ kind: ServiceKind, _ script: OriginScript = OriginScript(body), _ tweak: Tweak = { _ in },
        _ body: (ServiceBed, _ spool: String) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { outside in
            try await withOrigin(script) { origin in
                let spool = outside.file("spool")
                try await withService(
                    kind, origin, outside,
                    {
                        $0.spoolFolder = spool
                        tweak(&$0)
                    }
                ) { bed in try await body(bed, spool) }
            }
        }
    }

    private func spooled(_ bed: ServiceBed, _ change: (inout TransferRequest) -> Void = { _ in }) -> TransferRequest {
        bed.request { request in
            request.file.folder = ""
            request.file.spooled = true
            request.file.onConflict = .replace
            change(&request)
        }
    }

    private func names(_ folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    @Test(arguments: ServiceKind.allCases)
    func `51 a spooled file has the transfer's name and goes with it`(_ kind: ServiceKind) async throws {
        try await withSpool(kind) { bed, spool in
            let id = try #require(await bed.add([spooled(bed)]).first).id
            let ended = try await bed.wait(for: id, .succeeded)
            #expect(ended.destination == spool + "/\(id).download")
            #expect(try FileDigest.sha256(spool + "/\(id).download") == Self.body.sha256Hex)
            let mode = try FileManager.default.attributesOfItem(atPath: spool)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o700)
            try await bed.act(.remove, id)
            #expect(names(spool).isEmpty)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `50 a spooled file that was moved away stays where it is`(_ kind: ServiceKind) async throws {
        try await withSpool(kind) { bed, spool in
            let id = try #require(await bed.add([spooled(bed)]).first).id
            let path = try #require(await bed.wait(for: id, .succeeded).destination)
            let own = bed.outside.file("own.bin")
            try FileManager.default.moveItem(atPath: path, toPath: own)
            try await bed.act(.remove, id)
            #expect(try FileDigest.sha256(own) == Self.body.sha256Hex)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `62 released resume data are continued by another transfer, once`(_ kind: ServiceKind) async throws {
        let script = OriginScript(Self.body, .on(.request(1), .hold("never", at: .body(200_000))))
        try await withSpool(kind, script) { bed, spool in
            let first = try #require(await bed.add([spooled(bed)]).first).id
            try await bed.wait(for: first, received: 200_000)
            let source = try #require(await bed.service.release(first))
            #expect(source.path == spool + "/\(first).partial" && source.offset == 200_000 && source.etag != nil)
            #expect(try await bed.service.transfer(first).state == .canceled)
            #expect(try await bed.service.release(first) == source)
            try await bed.act(.remove, first)
            #expect(names(spool) == ["\(first).partial"])

            let continuing = spooled(bed) { $0.file.continues = source }
            let second = try #require(await bed.add([continuing]).first).id
            let ended = try await bed.wait(for: second, .succeeded)
            #expect(bed.ranges() == [nil, "bytes=200000-"])
            #expect(try FileDigest.sha256(#require(ended.destination)) == Self.body.sha256Hex)
            #expect(names(spool) == ["\(second).download"])
            #expect(try await bed.refusal(of: continuing).code == .partialLost)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `62 a failed transfer stays failed when it is released`(_ kind: ServiceKind) async throws {
        let script = OriginScript(Self.body, .on(.request(1), .cut(after: 100_000)))
        try await withSpool(kind, script) { bed, _ in
            let id = try #require(await bed.add([spooled(bed) { $0.timing.retries = 0 }]).first).id
            #expect(try await bed.wait(for: id, .failed).error?.code == .connectionLost)
            let source = try #require(await bed.service.release(id))
            #expect(source.offset > 0)
            #expect(try await bed.service.transfer(id).state == .failed)
        }
    }

    @Test(arguments: [
        [OriginMode.etag(nil), .lastModified(nil)], [.etag("W/\"v1\"")], [.acceptRangesNone],
    ])
    func `62 nothing is released that cannot be continued`(_ modes: [OriginMode]) async throws {
        let hold = OriginMode.hold("never", at: .body(200_000))
        let script = OriginScript(Self.body, rules: [OriginRule(condition: .always, modes: modes + [hold])])
        try await withSpool(.inProcess, script) { bed, spool in
            let id = try #require(await bed.add([spooled(bed)]).first).id
            try await bed.wait(for: id, received: 200_000)
            #expect(try await bed.service.release(id) == nil)
            #expect(try await bed.service.transfer(id).state == .canceled)
            #expect(names(spool).isEmpty)
        }
    }

    @Test func `65 a partial file that is too short, a link or gone is refused, with the reason`() async throws {
        try await withSpool(.inProcess) { bed, _ in
            let path = bed.outside.file("partial")
            func refusal(_ path: String) async throws -> String {
                let source = PartialSource(
                    path: path, offset: 1000, etag: "\"v1\"", lastModified: nil, date: nil, completeLength: nil)
                let error = try await bed.refusal(of: spooled(bed) { $0.file.continues = source })
                #expect(error.code == .partialLost)
                return error.message
            }
            #expect(try await refusal(path).contains("is gone"))
            #expect(FileManager.default.createFile(atPath: path, contents: Data(count: 999)))
            #expect(try await refusal(path).contains("has 999 bytes, and the transfer continues after 1000"))
            #expect(FileManager.default.createFile(atPath: path, contents: Data(count: 2000)))
            let link = bed.outside.file("link")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            #expect(try await refusal(link).contains("is a symbolic link"))
            #expect(try await refusal(bed.folder).contains("is a folder"))
            try FileManager.default.linkItem(atPath: path, toPath: bed.outside.file("second"))
            #expect(try await refusal(path).contains("has 2 hard links"))
            #expect(try Data(contentsOf: URL(filePath: path)).count == 2000)
        }
    }

    @Test func `65 bytes behind the offset are cut off`() async throws {
        try await withSpool(.inProcess) { bed, _ in
            let path = bed.outside.file("partial")
            let start = Data(Self.body.bytes(in: 0..<100_000))
            #expect(FileManager.default.createFile(atPath: path, contents: start + Data(repeating: 7, count: 50_000)))
            let etag = try await head(bed).etag
            let source = PartialSource(
                path: path, offset: 100_000, etag: etag, lastModified: nil, date: nil, completeLength: 300_000)
            let id = try #require(await bed.add([spooled(bed) { $0.file.continues = source }]).first).id
            let ended = try await bed.wait(for: id, .succeeded)
            #expect(try FileDigest.sha256(#require(ended.destination)) == Self.body.sha256Hex)
            #expect(bed.ranges().last == "bytes=100000-")
        }
    }

    /// A regression: the file was renamed and truncated, whosever it was.
    @Test func `65 a file of the user's is copied, and stays as it is`() async throws {
        try await withSpool(.inProcess) { bed, spool in
            let path = bed.outside.file("own.bin")
            let own = Data(Self.body.bytes(in: 0..<100_000)) + Data(repeating: 7, count: 50_000)
            #expect(FileManager.default.createFile(atPath: path, contents: own))
            let source = PartialSource(
                path: path, offset: 100_000, etag: try await head(bed).etag, lastModified: nil, date: nil,
                completeLength: 300_000)
            let id = try #require(await bed.add([spooled(bed) { $0.file.continues = source }]).first).id
            let ended = try await bed.wait(for: id, .succeeded)
            #expect(try FileDigest.sha256(#require(ended.destination)) == Self.body.sha256Hex)
            #expect(bed.ranges().last == "bytes=100000-")
            #expect(try Data(contentsOf: URL(filePath: path)) == own)
            #expect(names(spool).contains("\(id).download"))
        }
    }

    /// Downloads the file and returns the transfer with the origin's response.
    private func head(_ bed: ServiceBed) async throws -> Transfer {
        let id = try await bed.add().id
        return try await bed.wait(for: id, .succeeded)
    }

    @Test func `51 results that nobody takes, and files of nothing, are dropped at the next start`() async throws {
        try await withTemporaryFolder { outside in
            try await withOrigin(OriginScript(Self.body)) { origin in
                let spool = outside.file("spool")
                var id: TransferID?
                try await withService(.inProcess, origin, outside, keepsState: true, { $0.spoolFolder = spool }) {
                    bed in
                    id = try await bed.add([spooled(bed)]).first?.id
                    try await bed.wait(for: #require(id), .succeeded)
                    for name in [
                        "0000000000000001.download", ".ferry-0000000000000001.part", "else", "0000000000000001.partial",
                    ] {
                        #expect(FileManager.default.createFile(atPath: spool + "/" + name, contents: nil))
                    }
                    let old = Date(timeIntervalSinceNow: -8 * 86_400)
                    #expect(FileManager.default.createFile(atPath: spool + "/0000000000000002.partial", contents: nil))
                    try FileManager.default.setAttributes(
                        [.modificationDate: old], ofItemAtPath: spool + "/0000000000000002.partial")
                }
                let result = try #require(id)
                try await withService(.inProcess, origin, outside, keepsState: true, { $0.spoolFolder = spool }) {
                    bed in
                    let left = ["\(result).download", "0000000000000001.partial", "else"].sorted()
                    try await eventually("a spool without files of nothing") { names(spool) == left }
                    let kept = try await bed.service.transfer(result)
                    #expect(kept.state == .succeeded)
                }
                let drops: Tweak = {
                    $0.spoolFolder = spool
                    $0.resultAge = 0
                }
                try await withService(.inProcess, origin, outside, keepsState: true, drops) { bed in
                    try await eventually("a spool without results") {
                        names(spool) == ["0000000000000001.partial", "else"]
                    }
                    try await eventually("no transfer") {
                        try await bed.service.transfers(TransferQuery()).transfers.isEmpty
                    }
                }
            }
        }
    }
}
