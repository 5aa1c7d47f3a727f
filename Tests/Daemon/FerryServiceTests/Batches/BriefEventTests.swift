import FerryCore
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A manager` {
    /// Returns the numbers of the durable events in the order of their delivery.
    private func numbers(_ app: AttachedApp) -> [Int64] {
        app.signals.compactMap { signal in
            switch signal {
            case .event(let event): event.number
            case .batch(let batch): batch.through
            case .attached, .held, .idle: nil
            }
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `gets brief events where it asked for them, and ends as a whole`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let app = try await bed.attachManager()
            let ids = try await bed.submit(bed.batch(["/a", "/b"]) { $0.timing.paused = true })
            let paused = try await bed.submit(bed.batch(["/c"]) { $0.timing.paused = true })
            try await bed.act(.resume, ids[0])
            try await bed.wait(for: ids[0], .succeeded)
            try await bed.act(.cancel, ids[1])
            try await bed.act(.remove, ids[1])
            try await app.wait(through: bed.perform(.remove, on: paused))
            #expect(app.told(.submitted) == ids + paused)
            #expect(app.told(.resumed) == [ids[0]])
            #expect(app.told(.canceled) == [ids[1]])
            #expect(app.told(.removed) == [ids[1]] + paused)
            #expect(app.kinds == [.running, .succeeded])
            #expect(numbers(app) == numbers(app).sorted())
            await app.leave()
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `gets the merged events of its absence until it acknowledges`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let ids = try await bed.submit(bed.batch((0..<300).map { "/\($0)" }) { $0.timing.paused = true })
            try await bed.perform(.start, on: Array(ids.prefix(3)))
            for id in ids.prefix(3) { try await bed.wait(for: id, .succeeded) }
            let last = try await bed.perform(.cancel)
            let app = try await bed.attachManager()
            try await app.wait(through: last)
            #expect(app.told(.submitted) == ids)
            #expect(app.told(.resumed) == Array(ids.prefix(3)))
            #expect(app.told(.removed) == Array(ids.dropFirst(3)))
            #expect(app.kinds == [.succeeded, .succeeded, .succeeded])
            // The attachment, submitted and resumed, three completions, and removed.
            #expect(app.signals.count == 7)
            try await bed.service.acknowledge(bed.session, through: last)
            await app.leave()
            let next = try await bed.attachManager()
            let end = try await bed.perform(.remove)
            try await next.wait(through: end)
            #expect(next.signals.count == 2 && next.told(.removed) == Array(ids.prefix(3)))
            await next.leave()
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `other listeners get every event`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            var subscription = EventSubscription()
            subscription.session = try bed.session
            let events = try await bed.service.events(subscription)
            let ids = try await bed.submit(bed.batch((0..<50).map { "/\($0)" }) { $0.timing.paused = true })
            try await bed.perform(.cancel)
            var told: [TransferEvent] = []
            for try await event in events {
                told.append(event)
                if told.count == 100 { break }
            }
            #expect(told.prefix(50).map(\.id) == ids && told.prefix(50).allSatisfy { $0.kind == .submitted })
            #expect(told.dropFirst(50).map(\.id) == ids && told.dropFirst(50).allSatisfy { $0.kind == .removed })
            #expect(told.compactMap(\.number) == told.compactMap(\.number).sorted())
        }
    }
}
