import FerryCore
import FerryTesting
import Foundation
import Testing

@testable import FerrySimulation

/// Histories run in a process of their own: they replace Swift's executors, and need sets with a fixed order.
@Suite(.timeLimit(.minutes(10))) struct `The simulated service` {
    private func simulate(_ arguments: [String], _ folder: TemporaryFolder) async throws -> CommandResult {
        let command = ChildProcess.Command(
            try BuiltProgram.simulator.path(), arguments, environment: ["SWIFT_DETERMINISTIC_HASHING": "1"],
            folder: folder.path)
        return await (try ChildProcess(command, files: folder.file("simulator"))).result()
    }

    @Test(arguments: SimulatedJournalKind.allCases)
    func `keeps its laws with both journals`(journal: SimulatedJournalKind) async throws {
        try await withTemporaryFolder { folder in
            let result = try await simulate(["--journal", journal.rawValue, "--histories", "250"], folder)
            #expect(result.status == 0, "\(result.stdout)")
        }
    }

    /// A seed is of use only if it can be run again.
    @Test func `takes the same course for the same seed`() async throws {
        try await withTemporaryFolder { folder in
            let result = try await simulate(["--twice", "--histories", "60", "--seed", "1000"], folder)
            #expect(result.status == 0, "\(result.stdout)")
        }
    }

    /// Histories that once broke a law, shortened by the simulator.
    @Test(arguments: [
        "removed-while-submitted", "canceled-while-submitted", "woken-by-an-answer", "slot-held-during-a-launch",
        "earlier-list-after-a-later-one", "earlier-list-during-a-reading",
        "ended-while-submitted", "starts-after-other-runs", "submission-answered-after-a-failed-removal",
        "changed-while-read-as-overdue", "canceled-while-started-again", "waits-at-both-limits",
    ])
    func `keeps its laws in histories that once broke one`(name: String) async throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Histories/\(name).json").path(percentEncoded: false)
        try await withTemporaryFolder { folder in
            let result = try await simulate(["--replay", file], folder)
            #expect(result.status == 0, "\(result.stdout)")
        }
    }

    @Test func `records a history so that it can be replayed`() throws {
        let steps = [
            TimedStep(after: 3, step: .submit(1, Wanted())), TimedStep(after: 0, step: .act(.pause, [1])),
            TimedStep(after: 90, step: .kill(reboots: true)),
        ]
        let recorded = RecordedHistory(seed: HistorySeed(7, .sqlite), steps: steps)
        #expect(try RecordedHistory(json: Data(recorded.json.utf8)) == recorded)
        #expect(recorded.text.split(separator: "\n").count == 3)
    }

    @Test func `knows a law by its sentence without ids and numbers`() {
        #expect(Simulation.law("0003b9 stands in 2 places") == "stands in places")
    }
}
