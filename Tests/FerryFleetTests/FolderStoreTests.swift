import FerryCore
import FerryFleet
import FerryFoundation
import Glibc
import Testing

/// Deliveries into a real folder.
@Suite(.timeLimit(.minutes(1))) struct `A folder store` {
    private static let token = JobToken(high: 1, low: 2)

    /// A store in a temporary folder, and a file in a spool.
    private final class Bed {
        let root: String
        let store: FolderStore
        let spool: String

        init(mark: String? = "mark") throws {
            root = FileManager.default.temporaryDirectory.path + "/store-\(UUID().uuidString)"
            spool = root + "/spool"
            try FileManager.default.createDirectory(atPath: root + "/results", withIntermediateDirectories: true)
            if let mark {
                try Data("\(mark)\n".utf8).write(to: URL(fileURLWithPath: root + "/results/.ferry-fleet-store"))
            }
            try Data("content".utf8).write(to: URL(fileURLWithPath: spool))
            store = FolderStore([Store(name: "results", folder: root + "/results", mark: "mark")])
        }

        deinit { try? FileManager.default.removeItem(atPath: root) }

        func delivery(
            fence: Int32 = 1, attempt: Int = 1, folder: String = "sub/folder", name: String = "file.bin",
            policy: ConflictPolicy = .fail
        ) -> Delivery {
            Delivery(
                key: LeaseKey(job: JobID(7), token: `A folder store`.token, fence: fence),
                file: LocalFile(path: spool, size: 7), folder: root + "/results/" + folder, name: name,
                policy: policy, writer: "w", attempt: attempt)
        }

        func deliver(_ delivery: Delivery) async throws -> JobResult {
            var file = try await store.prepare(delivery)
            while true {
                switch try await store.place(file, of: delivery, known: [file.intent]) {
                case .renamed(let next): file = next
                case .delivered(let result):
                    await store.discard(delivery, and: [])
                    return result
                }
            }
        }

        func write(_ text: String, _ name: String) throws {
            try FileManager.default.createDirectory(
                atPath: root + "/results/sub/folder", withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(fileURLWithPath: root + "/results/sub/folder/" + name))
        }

        func read(_ name: String) -> String? {
            try? String(contentsOfFile: root + "/results/sub/folder/" + name, encoding: .utf8)
        }

        var names: [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: root + "/results/sub/folder")) ?? []).sorted()
        }
    }

    private static let digest = "ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73"

    @Test func `places a file with its facts, and leaves no copy`() async throws {
        let bed = try Bed()
        let result = try await bed.deliver(bed.delivery())
        #expect(result == JobResult(path: bed.root + "/results/sub/folder/file.bin", size: 7, sha256: Self.digest))
        #expect(bed.names == ["file.bin"] && bed.read("file.bin") == "content")
    }

    @Test(arguments: [
        (ConflictPolicy.fail, nil as String?, ["file.bin"]), (.skip, "file.bin", ["file.bin"]),
        (.unique, "file-1.bin", ["file-1.bin", "file.bin"]), (.replace, "file.bin", ["file.bin"]),
    ])
    func `follows the conflict policy`(policy: ConflictPolicy, name: String?, names: [String]) async throws {
        let bed = try Bed()
        try bed.write("other", "file.bin")
        let delivery = bed.delivery(policy: policy)
        if let name {
            let result = try await bed.deliver(delivery)
            #expect(result.path.hasSuffix("/" + name) && result.isUnchanged == (policy == .skip))
        } else {
            await #expect(throws: DeliveryFailure.self) { try await bed.deliver(delivery) }
            await bed.store.discard(delivery, and: [])
        }
        #expect(bed.names == names)
        #expect(bed.read("file.bin") == (policy == .replace ? "content" : "other"))
    }

    @Test func `recognizes the file of an earlier holder by its intent`() async throws {
        let bed = try Bed()
        let (first, second) = (bed.delivery(fence: 1), bed.delivery(fence: 2))
        let placed = try await bed.store.prepare(first)
        _ = try await bed.store.place(placed, of: first, known: [placed.intent])
        let copy = try await bed.store.prepare(second)
        let placement = try await bed.store.place(copy, of: second, known: [placed.intent, copy.intent])
        #expect(placement == .delivered(placed.intent.result))
        #expect(try await bed.store.find([placed.intent], of: Self.token, in: second.folder) == placed.intent.result)
        await bed.store.discard(second, and: [placed.intent])
        #expect(bed.names == ["file.bin"])
    }

    /// A fail-over to a replica that lagged behind forgets intents.
    @Test(arguments: [ConflictPolicy.fail, .skip, .unique])
    func `recognizes the job's file without an intent`(policy: ConflictPolicy) async throws {
        let bed = try Bed()
        let first = try await bed.deliver(bed.delivery(fence: 1, policy: policy))
        try #require(try await hasAttributes(bed))
        let again = try await bed.deliver(bed.delivery(fence: 2, policy: policy))
        #expect(again == first && bed.names == ["file.bin"])
    }

    private func hasAttributes(_ bed: Bed) async throws -> Bool {
        var delivery = bed.delivery(fence: 9)
        delivery.key.token = Self.token
        let file = try await bed.store.prepare(delivery)
        defer { unsafe unlink(bed.root + "/results/sub/folder/" + delivery.copyName) }
        if case .delivered = try? await bed.store.place(file, of: delivery, known: []) { return true }
        return false
    }

    @Test func `a holder that was held up cannot place its copy once another has looked`() async throws {
        let bed = try Bed()
        let (late, next) = (bed.delivery(fence: 1), bed.delivery(fence: 2))
        let copy = try await bed.store.prepare(late)
        #expect(try await bed.store.find([copy.intent], of: Self.token, in: next.folder) == nil)
        await #expect(throws: DeliveryFailure.self) {
            try await bed.store.place(copy, of: late, known: [copy.intent])
        }
        #expect(bed.names == [])
    }

    @Test func `a holder that was held up does not replace a newer result`() async throws {
        let bed = try Bed()
        try bed.write("other", "file.bin")
        let late = bed.delivery(fence: 1, policy: .replace)
        let copy = try await bed.store.prepare(late)
        try Data("changed".utf8).write(to: URL(fileURLWithPath: bed.spool))
        let newer = try await bed.deliver(bed.delivery(fence: 2, policy: .replace))
        // Its next intent is refused, since another holds the job.
        let placement = try await bed.store.place(copy, of: late, known: [copy.intent])
        #expect(placement != .delivered(copy.intent.result) && bed.read("file.bin") == "changed")
        #expect(newer.sha256 != copy.intent.sha256)
    }

    /// The final name may be a second link to a copy that an agent wrote before it was killed.
    @Test func `a copy that is made again does not touch the placed file`() async throws {
        let bed = try Bed()
        let delivery = bed.delivery()
        let placed = try await bed.store.prepare(delivery)
        _ = try await bed.store.place(placed, of: delivery, known: [placed.intent])
        try Data("changed".utf8).write(to: URL(fileURLWithPath: bed.spool))
        let again = try await bed.store.prepare(delivery)
        #expect(bed.read("file.bin") == "content")
        let placement = try await bed.store.place(again, of: delivery, known: [placed.intent, again.intent])
        #expect(placement == .delivered(placed.intent.result))
    }

    @Test(arguments: [nil, "another"])
    func `a folder without the store's mark is not written to`(mark: String?) async throws {
        let bed = try Bed(mark: mark)
        do {
            _ = try await bed.store.prepare(bed.delivery())
            Issue.record("It was written to.")
        } catch {
            #expect(error.isTemporary && error.error.message.contains("Mount the store"))
        }
        #expect(bed.names == [])
    }

    @Test func `no link below the store is followed`() async throws {
        let bed = try Bed()
        #expect(unsafe symlink("/tmp", bed.root + "/results/link") == 0)
        do {
            _ = try await bed.store.prepare(bed.delivery(folder: "link"))
            Issue.record("It was followed.")
        } catch {
            #expect(!error.isTemporary && error.error.code == .destinationUnwritable)
        }
    }

    @Test func `finds unplaced copies`() async throws {
        let bed = try Bed()
        _ = try await bed.store.prepare(bed.delivery(fence: 3))
        try bed.write("x", ".ferry-fleet-x-1-a-1.part")
        let copies = FolderCopies(of: Store(name: "results", folder: bed.root + "/results", mark: "mark")).all()
        #expect(copies.map(\.job) == [JobID(7)] && copies.map(\.fence) == [3])
    }
}
