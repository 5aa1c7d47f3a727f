import FerryCore
import FerryFleet
import FerryFoundation
import Glibc
import Testing

/// Deliveries into a real folder.
@Suite(.timeLimit(.minutes(1))) struct `A folder store` {
    @Test(arguments: [nil, "another"])
    func `is not written to without the store's mark`(mark: String?) async throws {
        let bed = try StoreUnderTest(.folder, mark: mark)
        let failure = await #expect(throws: DeliveryFailure.self) { try await bed.store.prepare(bed.delivery()) }
        #expect(failure?.isTemporary == true && failure?.error.message.contains("Mount the store") == true)
        #expect(bed.names == [])
    }

    @Test func `follows no link below its folder`() async throws {
        let bed = try StoreUnderTest(.folder)
        #expect(unsafe symlink("/tmp", bed.results + "/link") == 0)
        let failure = await #expect(throws: DeliveryFailure.self) {
            try await bed.store.prepare(bed.delivery(folder: "link"))
        }
        #expect(failure?.isTemporary == false && failure?.error.code == .destinationUnwritable)
    }

    @Test(arguments: ["../outside", "sub/../../outside", "sub/..", ".", "sub/./x", "sub/\u{301}/../.."])
    func `goes to no folder by a path that leads upwards`(folder: String) async throws {
        let bed = try StoreUnderTest(.folder)
        let delivery = bed.delivery(folder: folder)
        for policy in [ConflictPolicy.fail, .unique] {
            let look = Look(key: delivery.key, folder: delivery.folder, name: "x", policy: policy, known: [])
            let looked = await #expect(throws: DeliveryFailure.self) { try await bed.store.look(look) }
            #expect(looked?.isTemporary == false && looked?.error.code == .invalidRequest)
        }
        let failure = await #expect(throws: DeliveryFailure.self) { try await bed.store.prepare(delivery) }
        #expect(failure?.isTemporary == false && failure?.error.message.contains("store list") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: bed.results) == [".ferry-fleet-store"])
    }

    @Test func `makes no folder while it looks`() async throws {
        let bed = try StoreUnderTest(.folder)
        #expect(try await bed.store.look(bed.look(bed.delivery())) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: bed.results) == [".ferry-fleet-store"])
    }

    @Test func `is checked by its mark and by a write`() async throws {
        let bed = try StoreUnderTest(.folder)
        let store = Store(name: "results", folder: bed.results, mark: "mark")
        #expect(await FolderStore([store]).problem(with: store, writes: true) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: bed.results) == [".ferry-fleet-store"])
        try FileManager.default.removeItem(atPath: bed.results + "/.ferry-fleet-store")
        #expect(await FolderStore([store]).problem(with: store, writes: false)?.code == .destinationUnwritable)
    }

    @Test func `finds unplaced copies, follows no link to them, and removes them alone`() async throws {
        let bed = try StoreUnderTest(.folder)
        _ = try await bed.store.prepare(bed.delivery(fence: 3))
        try bed.write("x", ".ferry-fleet-x-1-a-1.part")
        let outside = bed.results + "-outside"
        try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: outside) }
        try Data("x".utf8).write(to: URL(fileURLWithPath: outside + "/.ferry-fleet-8-1-a-1.part"))
        #expect(unsafe symlink(outside, bed.results + "/link") == 0)
        let all = FolderCopies(of: Store(name: "results", folder: bed.results, mark: "mark"))
        let copies = all.all()
        #expect(copies.map(\.job) == [JobID(7)] && copies.map(\.fence) == [3])
        for copy in copies { try all.remove(copy) }
        #expect(bed.names == [".ferry-fleet-x-1-a-1.part"])
        // A link in place of the folder.
        try FileManager.default.removeItem(atPath: bed.results + "/sub")
        #expect(unsafe symlink(outside, bed.results + "/sub") == 0)
        #expect(throws: DeliveryFailure.self) { for copy in copies { try all.remove(copy) } }
    }
}
