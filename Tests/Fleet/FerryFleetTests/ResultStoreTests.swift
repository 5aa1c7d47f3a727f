import FerryCore
import FerryFleet
import Testing

/// Behavior of the real folder and of the simulation's store in memory.
@Suite(.timeLimit(.minutes(1))) struct `Stores of results` {
    typealias Kind = StoreUnderTest.Kind

    @Test(arguments: Kind.allCases)
    func `place a file with its facts, and leave no copy`(kind: Kind) async throws {
        let bed = try StoreUnderTest(kind)
        #expect(try await bed.deliver(bed.delivery()) == bed.result("content", "file.bin"))
        #expect(bed.names == ["file.bin"] && bed.read("file.bin") == "content")
    }

    @Test(arguments: Kind.allCases, [ConflictPolicy.fail, .skip, .unique, .replace])
    func `follow the conflict policy`(kind: Kind, policy: ConflictPolicy) async throws {
        let bed = try StoreUnderTest(kind)
        try bed.write("other", "file.bin")
        let delivery = bed.delivery(policy: policy)
        if policy == .fail {
            let failure = await #expect(throws: DeliveryFailure.self) { try await bed.deliver(delivery) }
            #expect(failure?.error.code == .destinationExists && failure?.isTemporary == false)
            await bed.store.discard(delivery, and: [])
        } else {
            let result = try await bed.deliver(delivery)
            #expect(result.path == bed.path(policy == .unique ? "file-1.bin" : "file.bin"))
            #expect(result.isUnchanged == (policy == .skip))
        }
        #expect(bed.names == (policy == .unique ? ["file-1.bin", "file.bin"] : ["file.bin"]))
        #expect(bed.read("file.bin") == (policy == .replace ? "content" : "other"))
    }

    @Test(arguments: Kind.allCases, [ConflictPolicy.fail, .skip, .unique, .replace])
    func `tell before anything is fetched whether a destination is taken`(
        kind: Kind, policy: ConflictPolicy
    ) async throws {
        let bed = try StoreUnderTest(kind)
        let delivery = bed.delivery(policy: policy)
        #expect(try await bed.store.look(bed.look(delivery)) == nil)
        try bed.write("other", "file.bin")
        if policy == .fail {
            let failure = await #expect(throws: DeliveryFailure.self) { try await bed.store.look(bed.look(delivery)) }
            #expect(failure?.error.code == .destinationExists && failure?.isTemporary == false)
        } else {
            let result = try await bed.store.look(bed.look(delivery))
            #expect(result?.isUnchanged == (policy == .skip ? true : nil))
        }
        #expect(bed.names == ["file.bin"] && bed.read("file.bin") == "other")
    }

    /// A fail-over forgets intents.
    @Test(arguments: Kind.allCases, [ConflictPolicy.fail, .skip])
    func `find the job's own file before anything is fetched`(kind: Kind, policy: ConflictPolicy) async throws {
        let bed = try StoreUnderTest(kind)
        let placed = try await bed.deliver(bed.delivery(policy: policy))
        #expect(try await bed.store.look(bed.look(bed.delivery(fence: 2, policy: policy))) == placed)
    }

    @Test(arguments: Kind.allCases)
    func `choose a number for a taken name before the intent is recorded`(kind: Kind) async throws {
        let bed = try StoreUnderTest(kind)
        for name in ["file.bin"] + (1...40).map({ "file-\($0).bin" }) { try bed.write("other", name) }
        let delivery = bed.delivery(policy: .unique)
        let file = try await bed.store.prepare(delivery)
        #expect(file.intent.path == bed.path("file-41.bin"))
        let placement = try await bed.store.place(file, of: delivery, known: [file.intent])
        #expect(placement == .delivered(file.intent.result))
    }

    @Test(arguments: Kind.allCases)
    func `recognize the file of an earlier holder by its intent`(kind: Kind) async throws {
        let bed = try StoreUnderTest(kind)
        let (first, second) = (bed.delivery(fence: 1), bed.delivery(fence: 2))
        let placed = try await bed.store.prepare(first)
        _ = try await bed.store.place(placed, of: first, known: [placed.intent])
        let copy = try await bed.store.prepare(second)
        let placement = try await bed.store.place(copy, of: second, known: [placed.intent, copy.intent])
        #expect(placement == .delivered(placed.intent.result))
        let found = try await bed.store.look(bed.look(second, known: [placed.intent]))
        #expect(found == placed.intent.result)
        await bed.store.discard(second, and: [placed.intent])
        #expect(bed.names == ["file.bin"])
    }

    /// A fail-over to a replica that lagged behind forgets intents. A folder needs extended attributes for this.
    @Test(arguments: Kind.allCases, [ConflictPolicy.fail, .skip, .unique])
    func `recognize the job's file without an intent`(kind: Kind, policy: ConflictPolicy) async throws {
        let bed = try StoreUnderTest(kind)
        let first = try await bed.deliver(bed.delivery(fence: 1, policy: policy))
        let again = try await bed.deliver(bed.delivery(fence: 2, policy: policy))
        #expect(again == first && bed.names == ["file.bin"])
    }

    @Test(arguments: Kind.allCases)
    func `let nobody place a copy that a later holder has removed`(kind: Kind) async throws {
        let bed = try StoreUnderTest(kind)
        let (late, next) = (bed.delivery(fence: 1), bed.delivery(fence: 2))
        let copy = try await bed.store.prepare(late)
        #expect(try await bed.store.look(bed.look(next, known: [copy.intent])) == nil)
        let failure = await #expect(throws: DeliveryFailure.self) {
            try await bed.store.place(copy, of: late, known: [copy.intent])
        }
        #expect(failure?.isTemporary == true)
        #expect(bed.names == [])
    }

    @Test(arguments: Kind.allCases)
    func `let no holder that was held up replace a newer result`(kind: Kind) async throws {
        let bed = try StoreUnderTest(kind)
        try bed.write("other", "file.bin")
        let late = bed.delivery(fence: 1, policy: .replace)
        let copy = try await bed.store.prepare(late)
        try bed.change("changed")
        let newer = try await bed.deliver(bed.delivery(fence: 2, policy: .replace))
        // Its next intent is refused, since another holds the job.
        let placement = try await bed.store.place(copy, of: late, known: [copy.intent])
        #expect(placement != .delivered(copy.intent.result) && bed.read("file.bin") == "changed")
        #expect(newer == bed.result("changed", "file.bin"))
    }

    /// The final name may be a second link to a copy that an agent wrote before it was killed.
    @Test(arguments: Kind.allCases)
    func `do not touch the placed file when its copy is made again`(kind: Kind) async throws {
        let bed = try StoreUnderTest(kind)
        let delivery = bed.delivery()
        let placed = try await bed.store.prepare(delivery)
        _ = try await bed.store.place(placed, of: delivery, known: [placed.intent])
        try bed.change("changed")
        let again = try await bed.store.prepare(delivery)
        #expect(bed.read("file.bin") == "content")
        let placement = try await bed.store.place(again, of: delivery, known: [placed.intent, again.intent])
        #expect(placement == .delivered(placed.intent.result))
    }

    @Test(arguments: Kind.allCases)
    func `remove the copies of earlier holders with the last one`(kind: Kind) async throws {
        let bed = try StoreUnderTest(kind)
        let early = try await bed.store.prepare(bed.delivery(fence: 1))
        let last = bed.delivery(fence: 2)
        _ = try await bed.store.prepare(last)
        #expect(bed.names.count == 2)
        await bed.store.discard(last, and: [early.intent])
        #expect(bed.names == [])
    }
}
