import FerryCore
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Events` {
    private static let small = SeededBody(seed: 2, size: 2_000)

    private func subscription(_ change: (inout EventSubscription) -> Void) -> EventSubscription {
        var result = EventSubscription()
        change(&result)
        return result
    }

    /// Reads events up to and including the first one that meets a condition.
    private func read(
        _ stream: AsyncThrowingStream<TransferEvent, any Error>, until isLast: (TransferEvent) -> Bool
    ) async throws -> [TransferEvent] {
        var events: [TransferEvent] = []
        for try await event in stream {
            events.append(event)
            if isLast(event) { break }
        }
        return events
    }

    private func read(
        _ bed: ServiceBed, after number: Int64, through last: Int64
    ) async throws -> [TransferEvent] {
        let stream = try await bed.service.events(subscription { $0.after = number })
        return try await read(stream) { ($0.number ?? 0) >= last }.filter { $0.number != nil }
    }

    @Test(arguments: ServiceKind.allCases)
    func `the events of a transfer are delivered in order`(_ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(Self.small)) { bed in
            let stream = try await bed.service.events(EventSubscription())
            let id = try await bed.add { $0.timing.paused = true }.id
            try await bed.act(.resume, id)
            try await bed.wait(for: id, .succeeded)
            try await bed.act(.remove, id)
            let events = try await read(stream) { $0.kind == .removed }
            #expect(events.map(\.kind) == [.submitted, .resumed, .running, .succeeded, .removed])
            #expect(events.map(\.number) == [1, 2, nil, 3, 4])
            #expect(events.allSatisfy { $0.id == id && $0.session == .cli })
            #expect(events.map { $0.transfer?.state } == [.suspended, .waiting, .running, .succeeded, nil])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `changes and moves are delivered to listeners`(_ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(Self.small)) { bed in
            let ids = [
                try await bed.add("/1") { $0.timing.paused = true }.id,
                try await bed.add("/2") { $0.timing.paused = true }.id,
            ]
            let stream = try await bed.service.events(EventSubscription())
            var change = TransferChange()
            change.rateLimit = 2048
            _ = try await bed.service.change(ids[0], change)
            // Repeating the change has no effect.
            _ = try await bed.service.change(ids[0], change)
            #expect(try await bed.service.move(ids[1], QueueMove(0)) == 0)
            try await bed.act(.remove, ids[0])
            let events = try await read(stream) { $0.kind == .removed }
            #expect(events.map(\.kind) == [.changed, .changed, .canceled, .removed])
            #expect(events.map(\.id) == [ids[0], ids[1], ids[0], ids[0]])
            #expect(events.first?.transfer?.rateLimit == 2048)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `durable events are numbered without a gap and delivered in order`(_ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(Self.small)) { bed in
            let early = try await bed.service.events(subscription { $0.after = 0 })
            try await withThrowingTaskGroup(of: Void.self) { group in
                for caller in 0..<4 {
                    group.addTask {
                        for number in 0..<10 { try await bed.add("/\(caller)/\(number)") }
                    }
                }
                try await group.waitForAll()
            }
            let all: Set<TransferEvent.Kind> = [.submitted, .succeeded]
            for stream in [early, try await bed.service.events(subscription { $0.after = 0 })] {
                let events = try await read(stream) { $0.number == 80 }.filter { $0.number != nil }
                #expect(events.compactMap(\.number) == Array(1...80))
                #expect(Set(events.map(\.kind)) == all)
            }
        }
    }

    /// A listener that subscribes while events happen receives each of them once.
    @Test(arguments: ServiceKind.allCases)
    func `a listener that joins in the middle of things misses nothing and hears nothing twice`(
        _ kind: ServiceKind
    ) async throws {
        try await withService(kind) { bed in
            let total = 400
            async let adding: Void = {
                for number in 0..<total { try await bed.add("/\(number)") { $0.timing.paused = true } }
            }()
            try await withThrowingTaskGroup(of: [Int64].self) { group in
                for listener in 0..<4 {
                    group.addTask {
                        let begin = Int64(listener * 20)
                        try await eventually { try await bed.service.status().lastEvent >= begin * 4 }
                        return try await read(bed, after: begin, through: Int64(total)).compactMap(\.number)
                    }
                }
                for try await numbers in group {
                    let first = try #require(numbers.first)
                    #expect(numbers == Array(first...Int64(total)))
                }
            }
            try await adding
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `a listener resumes after the number it knows`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            try await bed.add((0..<10).map { number in bed.request("/\(number)") { $0.timing.paused = true } })
            #expect(try await read(bed, after: 7, through: 10).map(\.number) == [8, 9, 10])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `without a number a listener hears what happens from here on`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            try await bed.add { $0.timing.paused = true }
            let stream = try await bed.service.events(EventSubscription())
            let second = try await bed.add("/2") { $0.timing.paused = true }
            let events = try await read(stream) { _ in true }
            #expect(events.map(\.id) == [second.id] && events.map(\.number) == [2])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `acknowledged events are not sent again, those of other sessions are`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let other = try SessionID("other")
            try await bed.add { $0.timing.paused = true }
            try await bed.add { $0.timing.paused = true }
            try await bed.add {
                $0.timing.paused = true
                $0.session = other
            }
            try await bed.add { $0.timing.paused = true }
            try await bed.service.acknowledge(.cli, through: 2)
            #expect(try await read(bed, after: 0, through: 4).map(\.number) == [3, 4])
            // Acknowledging the same number again, or a lower one, has no effect.
            try await bed.service.acknowledge(.cli, through: 1)
            #expect(try await read(bed, after: 0, through: 4).map(\.number) == [3, 4])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `a listener hears its session or its transfers alone`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let other = try SessionID("other")
            let bySession = try await bed.service.events(subscription { $0.session = other })
            let ids = try await bed.add([
                bed.request { $0.timing.paused = true },
                bed.request {
                    $0.timing.paused = true
                    $0.session = other
                },
            ]).map(\.id)
            let byID = try await bed.service.events(subscription { $0.ids = [ids[0]] })
            try await bed.act(.remove, ids[1])
            try await bed.act(.remove, ids[0])
            let session = try await read(bySession) { $0.kind == .removed }
            #expect(session.map(\.kind) == [.submitted, .canceled, .removed])
            #expect(session.allSatisfy { $0.id == ids[1] })
            let single = try await read(byID) { $0.kind == .removed }
            #expect(single.map(\.kind) == [.canceled, .removed])
            #expect(single.allSatisfy { $0.id == ids[0] })
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `samples report the progress of running transfers`(_ kind: ServiceKind) async throws {
        let body = SeededBody(seed: 3, size: 300_000)
        let script = OriginScript(
            body, .always(.hold("middle", at: .body(100_000)), .hold("end", at: .body(200_000))))
        try await withService(kind, script) { bed in
            let id = try await bed.add().id
            // There was no listener so far. Samples start with the first subscription.
            try await bed.wait(for: id, received: 100_000)
            let stream = try await bed.service.events(subscription { $0.progressInterval = 0.05 })
            var bytes: [Int64] = []
            for try await event in stream {
                if event.kind == .succeeded { break }
                guard event.kind == .progress, let transfer = event.transfer else { continue }
                #expect(event.number == nil && event.id == id && transfer.state == .running)
                #expect(transfer.bytesExpected == body.size && transfer.finalURL != nil)
                bytes.append(transfer.bytesReceived)
                bed.origin.release(transfer.bytesReceived >= 200_000 ? "end" : "middle")
            }
            #expect(bytes.contains(100_000) && bytes == bytes.sorted())
        }
    }

    /// An active listener receives events directly, a later one from the journal.
    @Test(arguments: ServiceKind.allCases)
    func `successes alone come without their transfers to brief listeners`(_ kind: ServiceKind) async throws {
        let script = OriginScript(Self.small, .on(.path("/missing"), .status(404)))
        try await withService(kind, script) { bed in
            let stream = try await bed.service.events(subscription { $0.omitsSuccesses = true })
            let good = try await bed.add("/good").id
            try await bed.wait(for: good, .succeeded)
            let missing = try await bed.add("/missing").id
            try await bed.wait(for: missing, .failed)
            let canceled = try await bed.add("/canceled") { $0.timing.paused = true }.id
            try await bed.act(.cancel, canceled)
            let durable: [TransferEvent.Kind] = [.submitted, .succeeded, .submitted, .failed, .submitted, .canceled]

            let told = try await read(stream) { $0.kind == .canceled }
            #expect(told.filter { $0.number != nil }.map(\.kind) == durable)
            #expect(told.contains { $0.kind == .running })
            #expect(told.allSatisfy { ($0.transfer == nil) == ($0.kind == .succeeded) })
            #expect(told.filter { $0.kind == .succeeded }.map(\.id) == [good])
            for after in 0..<3 {
                var late = EventSubscription()
                late.after = Int64(after)
                late.omitsSuccesses = true
                let events = try await read(try await bed.service.events(late)) { $0.kind == .canceled }
                #expect(events.map(\.number) == (after + 1...6).map(Int64.init))
                #expect(events.map(\.kind) == Array(durable[after...]))
                #expect(events.allSatisfy { ($0.transfer == nil) == ($0.kind == .succeeded) })
            }
            let whole = try await read(bed, after: 0, through: 6)
            #expect(whole.allSatisfy { $0.transfer != nil })
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `a stream in brief ends with the last of its transfers`(_ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(Self.small)) { bed in
            let ids = try await bed.add((0..<3).map { bed.request("/\($0)") { $0.timing.paused = true } }).map(\.id)
            let stream = try await bed.service.events(
                subscription {
                    $0.ids = Set(ids)
                    $0.endsAlone = true
                    $0.omitsSuccesses = true
                    $0.endsWithTransfers = true
                })
            for id in ids { try await bed.act(.resume, id) }
            let events = try await read(stream) { _ in false }
            #expect(Set(events.map(\.id)) == Set(ids) && events.count == 3)
            #expect(events.allSatisfy { $0.kind == .succeeded && $0.transfer == nil })
        }
    }

    @Test(arguments: [0.01, 61, -1], ServiceKind.allCases)
    func `samples come every 0·05 to 60 seconds`(_ interval: Double, _ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let error = await #expect(throws: ServiceError.self) {
                try await bed.service.events(subscription { $0.progressInterval = interval })
            }
            #expect(error?.code == .invalidRequest)
        }
    }

    /// A listener with one sample a minute does not slow another one.
    @Test(arguments: ServiceKind.allCases)
    func `a patient listener does not slow the samples of another`(_ kind: ServiceKind) async throws {
        let script = OriginScript(SeededBody(seed: 3, size: 300_000), always: .hold("never", at: .body(100_000)))
        try await withService(kind, script) { bed in
            let id = try await bed.add().id
            try await bed.wait(for: id, .running)
            let patient = try await bed.service.events(subscription { $0.progressInterval = 60 })
            _ = try await read(patient) { $0.kind == .progress }
            let quick = try await bed.service.events(subscription { $0.progressInterval = 0.05 })
            var samples = 0
            _ = try await read(quick) { event in
                samples += event.kind == .progress ? 1 : 0
                return samples == 3
            }
            withExtendedLifetime(patient) {}
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `a stream for some transfers ends with the last of them`(_ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(Self.small)) { bed in
            let transfers = try await bed.add(
                (0..<5).map { number in bed.request("/\(number)") { $0.timing.paused = true } })
            let stream = try await bed.service.events(
                subscription {
                    $0.ids = Set(transfers.map(\.id))
                    $0.endsWithTransfers = true
                })
            for transfer in transfers[..<4] { try await bed.act(.resume, transfer.id) }
            try await bed.act(.cancel, transfers[4].id)
            let events = try await read(stream) { _ in false }
            let ends = events.filter { $0.kind == .succeeded || $0.kind == .canceled }
            #expect(Set(ends.map(\.id)) == Set(transfers.map(\.id)) && ends.count == 5)
            // Ends at once because nothing is left to wait for. The journal has all past events.
            let late = try await bed.service.events(
                subscription {
                    $0.after = 0
                    $0.ids = Set(transfers.map(\.id))
                    $0.endsWithTransfers = true
                })
            #expect(try await read(late) { _ in false }.filter { $0.kind == .succeeded }.count == 4)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `a listener that stops reading delays no other and misses no durable event`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let stopped = try await bed.service.events(subscription { $0.after = 0 })
            var iterator = stopped.makeAsyncIterator()
            let reader = try await bed.service.events(subscription { $0.after = 0 })
            let ids = try await bed.add(
                (0..<1500).map { number in bed.request("/\(number)") { $0.timing.paused = true } }
            )
            .map(\.id)
            #expect(try await iterator.next()?.number == 1)
            _ = try await bed.service.act(.remove, on: TransferSelection(ids: ids))
            let total: Int64 = 4500
            #expect(try await bed.service.status().lastEvent == total)
            let numbers = try await read(reader) { $0.number == total }.compactMap(\.number)
            #expect(numbers == Array(1...total))
            var rest: [Int64] = []
            while rest.last != total, let event = try await iterator.next() {
                rest += [event.number].compactMap(\.self)
            }
            #expect(rest == Array(2...total))
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `a listener whose task is cancelled is released`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let stream = try await bed.service.events(EventSubscription())
            let listening = Task { try? await read(stream) { _ in false } }
            listening.cancel()
            #expect(await listening.value ?? [] == [])
            try await bed.add { $0.timing.paused = true }
        }
    }
}
