import FerryCore
import FerryRules
import FerryTesting
import Foundation
import JournalKit
import Testing

@testable import FerryQueue
@testable import FerryService

@Suite(.timeLimit(.minutes(2))) struct `A journal without room` {
    private static let body = SeededBody(seed: 35, size: 300_000)
    /// The facts do not fit into the remaining space of a page.
    private static let script = OriginScript(
        body, .always(.etag("\"" + String(repeating: "e", count: 6000) + "\"")),
        .on(.request(1), .hold("begun", at: .head)))

    /// The wait must not be reported as waiting for a slot.
    @Test func `is what a transfer waits for, in words, until there is room`() async throws {
        try await withStoredService(Self.script, { $0.delayScale = 1000 }) { bed, local in
            let id = try await bed.add().id
            await bed.origin.waitForHold("begun")
            try await withoutRoom(local) {
                bed.origin.release("begun")
                let waiting = try await bed.wait(for: id, waiting: .disk)
                #expect(waiting.error?.code == .diskFull)
                #expect(waiting.error?.message.contains("journal") == true)
                #expect(waiting.times.nextAttempt != nil)
                let listed = try await bed.service.transfers(TransferQuery()).transfers.first
                #expect(listed?.reason == .disk && listed?.error?.code == .diskFull)
            }
            try await bed.act(.resume, id)
            let done = try await bed.wait(for: id, .succeeded)
            #expect(done.error == nil)
        }
    }

    /// Outcomes are stored in groups, each in one transaction.
    @Test func `refuses an outcome that does not fit, and stores the others of its group`() async throws {
        try await withStoredService(Self.script) { bed, local in
            let journal = local.journal
            var ends: [TransferEnd] = []
            for number in 0..<4 {
                let id = try await bed.add("/\(number)") { $0.timing.paused = true }.id
                var record = try #require(try await journal.record(id))
                if number == 1 { record.facts.name = String(repeating: "n", count: 2_000_000) }
                ends.append(TransferEnd(record, .canceled, at: .distantPast))
            }
            var stored: [Bool] = []
            try await withRoom(forPages: 100, local) {
                let tasks = ends.map { end in
                    Task { (try? await local.parts.ends.store(end)) != nil }
                }
                for task in tasks { stored.append(await task.value) }
            }
            #expect(stored == [true, false, true, true])
        }
    }

    /// A regression: a transfer whose outcome could not be stored was removed from its queue and was in none.
    @Test func `leaves a transfer in its line whose cancellation cannot be stored`() async throws {
        try await withStoredService(Self.script) { bed, local in
            let sessions = try (0..<40).map { try SessionID("session\($0)") }
            for number in 0..<1000 {
                _ = try await bed.add("/\(number)") {
                    $0.session = sessions[number % 40]
                    $0.timing.notBefore = Date(timeIntervalSinceNow: 1000)
                }
            }
            // The changes of few transfers soon need a page more. Those of all free as many pages as they need.
            try await withoutRoom(local) {
                for session in sessions {
                    _ = try await bed.service.act(.cancel, on: TransferSelection(ids: nil, session: session))
                }
            }
            var query = TransferQuery()
            query.limit = 1000
            let shown = try await bed.service.transfers(query).transfers
            // A transfer with a stored intent finishes once there is room. The others wait as before.
            let left = shown.filter { $0.state != .canceled && $0.state != .suspended }
            #expect(shown.count == 1000)
            #expect(left.allSatisfy { $0.state == .waiting && $0.reason == .beginDate })
            #expect(left.count > 0, "\(left.count)")
            let all = query
            try await eventually("the ends of those whose cancellation is stored") {
                let states = Set(try await bed.service.transfers(all).transfers.map(\.state))
                return states.isSubset(of: [.canceled, .waiting]) && states.contains(.canceled)
            }
        }
    }
}
