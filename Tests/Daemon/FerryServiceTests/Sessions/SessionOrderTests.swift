import FerryCore
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `The order of a session` {
    private static let small = SeededBody(seed: 7, size: 2_000)
    private static let body = SeededBody(seed: 8, size: 300_000)
    private static let firstHeld = OriginScript(small, .on(.path("/first"), .hold("first", at: .head)))
    private static let allHeld = OriginScript(body, always: .hold("all", at: .body(100_000)))
    private static let session = "ordered"

    /// Adds transfers of the session with their priorities.
    private func add(_ paths: [(String, Priority)], to bed: ServiceBed) async throws -> [TransferID] {
        let session = try SessionID(Self.session)
        let requests = paths.map { path, priority in
            bed.request(path) {
                $0.session = session
                $0.timing.priority = priority
            }
        }
        return try await bed.add(requests).map(\.id)
    }

    private func add(_ paths: [String], to bed: ServiceBed) async throws -> [TransferID] {
        try await add(paths.map { ($0, Priority.normal) }, to: bed)
    }

    private func change(_ bed: ServiceBed, _ change: (inout SessionSettings) -> Void) async throws {
        var settings = SessionSettings()
        change(&settings)
        let info = try await bed.service.changeSession(SessionID(Self.session), to: settings)
        #expect(info.settings == settings)
    }

    @Test(arguments: ServiceKind.allCases)
    func `O1 decides who is next, and who is not in it comes after by age`(_ kind: ServiceKind) async throws {
        try await withService(kind, Self.firstHeld) { bed in
            try await change(bed) { $0.activeTransfers = 1 }
            let ids = try await add(["/first", "/a", "/b", "/c", "/d"], to: bed)
            await bed.origin.waitForHold("first")
            let unknown = TransferID(rawValue: 5)
            try await bed.service.reorder(SessionID(Self.session), [ids[4], unknown, ids[2], ids[0]])
            let late = try await add(["/e"], to: bed)
            bed.origin.release("first")
            for id in ids + late { try await bed.wait(for: id, .succeeded) }
            #expect(bed.asked == ["/first", "/d", "/b", "/a", "/c", "/e"])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `O1 outlives the daemon`(_ kind: ServiceKind) async throws {
        try await withTemporaryFolder { outside in
            try await withOrigin(Self.firstHeld) { origin in
                var ids: [TransferID] = []
                try await withService(kind, origin, outside, keepsState: true) { bed in
                    try await bed.changeSettings { $0.activeTransfers = 1 }
                    try await bed.add("/first")
                    await origin.waitForHold("first")
                    ids = try await add(["/a", "/b", "/c"], to: bed)
                    try await bed.service.reorder(SessionID(Self.session), TransferIDRuns(ids.reversed()))
                }
                origin.release("first")
                try await withService(kind, origin, outside, keepsState: true) { bed in
                    for id in ids { try await bed.wait(for: id, .succeeded) }
                    #expect(bed.asked.filter { $0 != "/first" } == ["/c", "/b", "/a"])
                }
            }
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `O1 higher priority comes first, by all of its numbers`(_ kind: ServiceKind) async throws {
        try await withService(kind, Self.firstHeld) { bed in
            try await change(bed) {
                $0.activeTransfers = 1
                $0.inOrder = true
            }
            let numbers = [0, -10, 3, 10, -1, 5, 4]
            let line = numbers.map { ("/\($0)", Priority(clamping: $0)) }
            _ = try await add(["/first"], to: bed)
            await bed.origin.waitForHold("first")
            let ids = try await add(line, to: bed)
            for (id, (_, priority)) in zip(ids, line) {
                #expect(try await bed.service.transfer(id).priority == priority)
            }
            bed.origin.release("first")
            for id in ids { try await bed.wait(for: id, .succeeded) }
            #expect(bed.asked == ["/first"] + numbers.sorted(by: >).map { "/\($0)" })
        }
    }

    /// Without `inOrder`, every eighth start goes to the oldest transfer, against the order that a manager promises.
    @Test(arguments: [true, false], ServiceKind.allCases)
    func `O1 is kept to where that is set`(_ isInOrder: Bool, _ kind: ServiceKind) async throws {
        try await withService(kind, Self.firstHeld) { bed in
            try await change(bed) {
                $0.activeTransfers = 1
                $0.inOrder = isInOrder
            }
            _ = try await add(["/first"], to: bed)
            await bed.origin.waitForHold("first")
            let ids = try await add([("/old", .low)] + (1...10).map { ("/\($0)", .high) }, to: bed)
            bed.origin.release("first")
            for id in ids { try await bed.wait(for: id, .succeeded) }
            #expect(bed.asked.firstIndex(of: "/old") == (isInOrder ? 11 : 7))
        }
    }

    // MARK: Limits

    @Test(arguments: ServiceKind.allCases)
    func `O5 a lowered limit sends the last back with their bytes, and a raised one starts them at once`(
        _ kind: ServiceKind
    ) async throws {
        try await withService(kind, Self.allHeld) { bed in
            try await change(bed) { $0.activeTransfers = 4 }
            let ids = try await add([("/a", .normal), ("/b", .normal), ("/c", .normal), ("/d", .low)], to: bed)
            for id in ids { try await bed.wait(for: id, received: 100_000) }
            // By priority, then by order, then by age: c, a, b, d.
            try await bed.service.reorder(SessionID(Self.session), [ids[3], ids[2]])
            try await change(bed) { $0.activeTransfers = 2 }
            for id in [ids[1], ids[3]] {
                let waiting = try await bed.wait(for: id, waiting: .session)
                #expect(waiting.bytesReceived == 100_000 && waiting.error == nil)
            }
            for id in [ids[0], ids[2]] { #expect(try await bed.service.transfer(id).state == .running) }
            try await change(bed) { $0.activeTransfers = 3 }
            try await bed.wait(for: ids[1], .running)
            #expect(try await bed.service.transfer(ids[3]).reason == .session)
            bed.origin.release("all")
            for id in ids { try await bed.wait(for: id, .succeeded) }
            #expect(bed.ranges("/a") == [nil] && bed.ranges("/c") == [nil])
            #expect(bed.ranges("/b") == [nil, "bytes=100000-"] && bed.ranges("/d") == [nil, "bytes=100000-"])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `O5 a lowered limit of a host concerns no other host`(_ kind: ServiceKind) async throws {
        try await withService(kind, Self.allHeld) { bed in
            try await withOrigin(Self.allHeld) { other in
                let ids = try await add(["/a", "/b", other.url("/c")], to: bed)
                for id in ids { try await bed.wait(for: id, received: 100_000) }
                try await change(bed) { $0.hostConnections = 1 }
                try await bed.wait(for: ids[1], waiting: .host)
                for id in [ids[0], ids[2]] { #expect(try await bed.service.transfer(id).state == .running) }
                bed.origin.release("all")
                other.release("all")
                for id in ids { try await bed.wait(for: id, .succeeded) }
                #expect(bed.ranges("/a") == [nil] && bed.ranges("/b") == [nil, "bytes=100000-"])
                #expect(other.requests.count == 1)
            }
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `O5 limits that are changed again and again lose no transfer`(_ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(Self.body)) { bed in
            let ids = try await add((0..<40).map { "/\($0)" }, to: bed)
            for step in 0..<20 { try await change(bed) { $0.activeTransfers = 1 + step % 5 } }
            for id in ids { try await bed.wait(for: id, .succeeded) }
            #expect(bed.files.count == ids.count)
        }
    }

    // MARK: Time

    @Test(arguments: ServiceKind.allCases)
    func `G3 a session's timeout takes the place of the requests' from the next attempt`(_ kind: ServiceKind)
        async throws
    {
        let script = OriginScript(Self.body, .on(.request(1), .hold("never", at: .body(100_000))))
        try await withService(kind, script) { bed in
            try await change(bed) { $0.idleTimeout = 0.3 }
            let session = try SessionID(Self.session)
            let id = try await bed.add {
                $0.session = session
                $0.timing.idleTimeout = 3600
            }.id
            try await bed.wait(for: id, .succeeded)
            #expect(bed.ranges() == [nil, "bytes=100000-"])
        }
    }

    @Test(arguments: [0, -1, Double.infinity])
    func `a timeout that is none is refused`(seconds: Double) async throws {
        try await withService(.inProcess) { bed in
            var settings = SessionSettings()
            settings.idleTimeout = seconds
            await #expect {
                _ = try await bed.service.changeSession(SessionID(Self.session), to: settings)
            } throws: {
                ($0 as? ServiceError)?.code == .invalidRequest
            }
        }
    }
}
