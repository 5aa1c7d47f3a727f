import FerryCore
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Destinations at submission` {
    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    @Test(arguments: ServiceKind.allCases)
    func `F5 the folder is made if that is wanted`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let deep = bed.folder + "/one/two"
            let missing = try await bed.refusal(
                of: bed.request {
                    $0.file.folder = deep
                    $0.file.createFolders = false
                })
            #expect(missing.code == .destinationUnwritable && missing.details.errno == ENOENT)
            #expect(bed.files == [])
            try await bed.add {
                $0.file.folder = deep
                $0.timing.paused = true
            }
            #expect(bed.files == ["one"])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `F5 a folder that cannot be written is refused`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let file = bed.folder + "/file"
            try write("x", to: file)
            for folder in [file, file + "/below", "/proc/ferry"] {
                let error = try await bed.refusal(of: bed.request { $0.file.folder = folder })
                #expect(error.code == .destinationUnwritable && error.details.errno != nil)
            }
        }
    }

    /// For a path that is too long, no folder may be created above the part that is too long.
    @Test(arguments: ServiceKind.allCases, [false, true])
    func `a request that is refused makes no folder`(_ kind: ServiceKind, isBatch: Bool) async throws {
        try await withService(kind) { bed in
            let long = String(repeating: "n", count: 300)
            let deep = bed.folder + String(repeating: "/a", count: 2_100)
            for folder in [deep, bed.folder + "/a/b/" + long] {
                let request = bed.request { $0.file.folder = folder }
                if isBatch {
                    let batch = TransferBatch(
                        templates: [request], items: [TransferBatch.Item(template: 0, url: request.url)])
                    // A disk error for an item of a batch is stored as the transfer's failure.
                    let id = try #require(try await bed.service.submit(batch).results.first?.id)
                    #expect(try await bed.service.transfer(id).error?.code == .destinationUnwritable)
                } else {
                    #expect(try await bed.refusal(of: request).code == .destinationUnwritable)
                }
                #expect(bed.files == [])
            }
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `F6 fail refuses a name that is taken`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            try write("old", to: bed.folder + "/a")
            let error = try await bed.refusal(
                of: bed.request {
                    $0.file.name = "a"
                    $0.file.onConflict = .fail
                })
            #expect(error.code == .destinationExists)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `F6 skip has succeeded without a request`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            try write("old", to: bed.folder + "/a")
            let transfer = try await bed.add {
                $0.file.name = "a"
                $0.file.onConflict = .skip
            }
            #expect(transfer.state == .succeeded && transfer.unchanged && transfer.bytesReceived == 3)
            #expect(try await bed.service.transfer(transfer.id).state == .succeeded)
            #expect(bed.origin.requests.isEmpty)
            // Removing it with its file keeps a file that it never downloaded.
            try await bed.act(.removeWithFile, transfer.id)
            #expect(bed.files == ["a"])
        }
    }

    @Test(arguments: [ConflictPolicy.replace, .update], ServiceKind.allCases)
    func `F6 a folder is never replaced`(_ policy: ConflictPolicy, _ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            try FileManager.default.createDirectory(atPath: bed.folder + "/a", withIntermediateDirectories: false)
            let error = try await bed.refusal(
                of: bed.request {
                    $0.file.name = "a"
                    $0.file.onConflict = policy
                })
            #expect(error.code == .destinationExists)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `F6 unique chooses the next free name`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            try write("old", to: bed.folder + "/a.txt")
            let transfer = try await bed.add { $0.file.name = "a.txt" }
            #expect(transfer.destination == bed.folder + "/a-1.txt")
            try await bed.wait(for: transfer.id, .succeeded)
            #expect(bed.files == ["a-1.txt", "a.txt"])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `F7 two live transfers never aim at one path`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            func request(_ policy: ConflictPolicy) -> TransferRequest {
                bed.request {
                    $0.file.name = "a"
                    $0.file.onConflict = policy
                    $0.timing.paused = true
                }
            }
            let first = try await bed.add([request(.replace)])[0]
            for policy in [ConflictPolicy.replace, .fail, .update, .skip] {
                #expect(try await bed.refusal(of: request(policy)).code == .destinationExists)
            }
            let second = try await bed.add([request(.unique)])[0]
            #expect(first.destination == bed.folder + "/a" && second.destination == bed.folder + "/a-1")
            // A finished transfer reserves no destination.
            try await bed.act(.cancel, first.id)
            #expect(try await bed.add([request(.replace)])[0].destination == bed.folder + "/a")
        }
    }

    /// Any number of transfers with the same name, in one batch or in several, get different numbers.
    @Test(arguments: ServiceKind.allCases)
    func `F6 a hundred transfers of one name get a hundred names`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let request = bed.request {
                $0.file.name = "a"
                $0.timing.paused = true
            }
            let batch = try await bed.add(Array(repeating: request, count: 100))
            var paths = Set(batch.compactMap(\.destination))
            #expect(paths.count == 100 && paths.contains(bed.folder + "/a-99"))
            paths.insert(try #require(await bed.add([request])[0].destination))
            #expect(paths.count == 101 && paths.contains(bed.folder + "/a-100"))
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `F7 names that come from the responses are kept apart as well`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let transfers = try await bed.add(Array(repeating: bed.request("/x/file.bin"), count: 8))
            for transfer in transfers { try await bed.wait(for: transfer.id, .succeeded) }
            #expect(bed.files == (["file"] + (1...7).map { "file-\($0)" }).map { $0 + ".bin" }.sorted())
        }
    }
}
