import FerryCore
@testable import FerryService
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `The parts of the queue` {
    private static let held = OriginScript(
        SeededBody(seed: 7, size: 2_000), .on(.path("/later"), .status(502, retryAfter: "3600")),
        .on(.path("/file*"), .hold("all", at: .head)))

    @Test(arguments: ServiceKind.allCases)
    func `are the running transfers, the queued ones and the ended ones`(_ kind: ServiceKind) async throws {
        try await withService(kind, Self.held, { $0.delayScale = 1 }) { bed in
            func ids(_ part: QueuePart, reversed: Bool = false) async throws -> [TransferID] {
                try await bed.service.queue(QueueQuery(part, session: .cli, reversed: reversed)).map(\.id)
            }
            let later = try await bed.add("/later").id
            try await bed.wait(for: later, waiting: .server)
            try await bed.changeSettings { $0.activeTransfers = 1 }
            let running = try await bed.add("/file1").id
            try await bed.wait(for: running, .running)
            let canceled = try await bed.add("/file2").id
            let waiting = try await bed.add("/file3").id
            let suspended = try await bed.add("/file4") { $0.timing.paused = true }.id
            let high = try await bed.add("/file5") { $0.timing.priority = .high }.id
            try await bed.act(.cancel, canceled)
            #expect(try await ids(.active) == [later, running])
            #expect(try await ids(.waiting) == [high, waiting, suspended])
            #expect(try await ids(.ended) == [canceled])
            #expect(try await bed.service.queueCounts(of: .cli) == QueueCounts(active: 2, waiting: 3, ended: 1))
            #expect(try await bed.service.queueCounts(of: nil) == QueueCounts(active: 2, waiting: 3, ended: 1))
            #expect(
                try await bed.service.queueCounts(of: SessionID("none")) == QueueCounts(active: 0, waiting: 0, ended: 0)
            )
            #expect(try await ids(.waiting, reversed: true) == [suspended, waiting, high])
            #expect(try await bed.service.queue(QueueQuery(.waiting, offset: 1, limit: 1)).map(\.id) == [waiting])
            for query in [QueueQuery(.ended, offset: -1), QueueQuery(.ended, limit: 10_001)] {
                await #expect(throws: ServiceError.self) { try await bed.service.queue(query) }
            }
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `start transfers in the order into which they were moved`(
        _ kind: ServiceKind
    ) async throws {
        try await withService(kind, Self.held) { bed in
            try await bed.changeSettings { $0.activeTransfers = 1 }
            let running = try await bed.add("/file0").id
            try await bed.wait(for: running, .running)
            var line: [TransferID] = []
            for place in 1...4 { line.append(try await bed.add("/file\(place)").id) }
            func move(_ id: TransferID, _ move: QueueMove) async throws -> Int? {
                let place = try await bed.service.move(id, move)
                guard let place, let old = line.firstIndex(of: id) else { return nil }
                line.insert(line.remove(at: old), at: place)
                #expect(try await bed.service.queue(QueueQuery(.waiting, session: .cli)).map(\.id) == line)
                return place
            }
            #expect(try await move(line[3], QueueMove(0)) == 0)
            #expect(try await move(line[1], QueueMove(1, from: .current)) == 2)
            #expect(try await move(line[1], QueueMove(0, from: .end)) == 3)
            #expect(try await move(running, QueueMove(0)) == nil)
            await #expect(throws: ServiceError.self) {
                try await bed.service.move(TransferID(rawValue: 1), QueueMove(0))
            }
            bed.origin.release("all")
            for id in [running] + line { try await bed.wait(for: id, .succeeded) }
            let names = try await bed.service.transfers(TransferQuery()).transfers.map { ($0.id, $0.url) }
            let urls = Dictionary(names, uniquingKeysWith: { $1 })
            #expect(
                bed.origin.requests.map(\.path) == ([running] + line).compactMap { urls[$0].flatMap(URL.init)?.path })
        }
    }
}
