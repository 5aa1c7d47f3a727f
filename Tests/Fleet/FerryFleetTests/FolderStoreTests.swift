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

    @Test func `finds unplaced copies`() async throws {
        let bed = try StoreUnderTest(.folder)
        _ = try await bed.store.prepare(bed.delivery(fence: 3))
        try bed.write("x", ".ferry-fleet-x-1-a-1.part")
        let copies = FolderCopies(of: Store(name: "results", folder: bed.results, mark: "mark")).all()
        #expect(copies.map(\.job) == [JobID(7)] && copies.map(\.fence) == [3])
    }
}
