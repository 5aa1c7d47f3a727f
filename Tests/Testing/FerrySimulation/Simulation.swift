import FerryCore
package import Foundation

/// The journal of a simulated daemon.
package enum SimulatedJournalKind: String, Codable, CaseIterable, Sendable {
    case memory, sqlite
}

/// The seed of a history. Together with the code, it determines the history's course.
package struct HistorySeed: Hashable, Codable, Sendable {
    /// The seed of the order of jobs and events, of the course of runs, and of the steps if none are given.
    package var seed: UInt64
    package var order: JobOrder
    package var journal: SimulatedJournalKind

    /// Half of the histories have any order of jobs, half the order of their arrival.
    package init(_ seed: UInt64, _ journal: SimulatedJournalKind, order: JobOrder? = nil) {
        self.seed = seed
        self.order = order ?? (seed % 2 == 0 ? .any : .arrival)
        self.journal = journal
    }
}

/// The result of a history.
package struct History: Sendable {
    package let seed: HistorySeed
    /// The steps that applied, up to the one that broke a law.
    package let steps: [TimedStep]
    /// The broken law, or `nil`.
    package let broken: String?
    /// Number of checks of a law.
    package let checks: Int
    /// Number of jobs, events and timers.
    package let jobs: Int
    /// Differs between histories that took different courses.
    package let trace: UInt64
    /// Notes on the course, if they were kept.
    package let log: [String]
}

/// Histories of the daemon's service that follow from seeds.
package enum Simulation {
    /// Steps of a history, without the ones that bring it to rest.
    package static let length = 40

    /// Performs `length` steps chosen by a seed, then finishes everything.
    package static func run(_ seed: HistorySeed, length: Int = length, keepsLog: Bool = false) -> History {
        var source = StepSource(seed: seed.seed)
        var count = 0
        return run(seed, keepsLog: keepsLog) { world in
            count += 1
            return count <= length ? source.next(in: world) : nil
        }
    }

    /// Performs the steps of a history, then finishes everything.
    package static func replay(_ steps: [TimedStep], _ seed: HistorySeed, keepsLog: Bool = false) -> History {
        var rest = steps[...]
        return run(seed, keepsLog: keepsLog) { _ in rest.popFirst() }
    }

    private static func run(
        _ seed: HistorySeed, keepsLog: Bool, next: (World) -> TimedStep?
    ) -> History {
        let store: any SimulatedStore = seed.journal == .memory ? MemoryStore() : SQLiteStore()
        let world = World(seed: seed.seed, order: seed.order, store: store, keepsLog: keepsLog)
        var steps: [TimedStep] = []
        var waited = 0
        SeededExecutor.with(world.scheduler) {
            world.start()
            while world.laws.broken == nil, let step = next(world) {
                for _ in 0..<step.after where world.laws.broken == nil { if !world.step() { break } }
                waited += step.after
                guard world.laws.broken == nil else { break }
                if world.perform(step.step) {
                    steps.append(TimedStep(after: waited, step: step.step))
                    waited = 0
                }
                world.check()
            }
            // A replay waits as long before it goes on.
            if waited > 0 { steps.append(TimedStep(after: waited, step: .pass(seconds: 0))) }
            if world.laws.broken == nil { world.settle() }
            world.unwind()
        }
        return History(
            seed: seed, steps: steps, broken: world.laws.broken, checks: world.laws.checks,
            jobs: world.scheduler.steps, trace: world.scheduler.trace, log: world.scheduler.log ?? [])
    }

    /// The law that a sentence is about: the sentence without numbers and ids.
    package static func law(_ sentence: String) -> String {
        sentence.split(separator: " ").filter { !$0.contains(where: \.isNumber) }.joined(separator: " ")
    }

    /// Returns a history that breaks the same law with fewer steps.
    ///
    /// Fewer steps lead to another order of jobs, so several seeds are tried for each attempt to leave steps out.
    package static func shortened(_ history: History, tries: UInt64 = 12) -> History {
        guard let law = history.broken.map(Self.law) else { return history }
        var best = history
        var size = max(1, best.steps.count / 2)
        while true {
            var start = 0
            var isShorter = false
            while start < best.steps.count {
                let end = min(best.steps.count, start + size)
                let fewer = Array(best.steps[..<start] + best.steps[end...])
                let found = (0..<tries).lazy.map { number in
                    var seed = best.seed
                    if number > 0 { seed.seed = best.seed.seed &+ number &* 1_000_003 }
                    return replay(fewer, seed)
                }.first { $0.broken.map(Self.law) == law && $0.steps.count <= fewer.count }
                if let found {
                    best = found
                    isShorter = true
                } else {
                    start = end
                }
            }
            if size == 1, !isShorter { return best }
            size = max(1, size / 2)
        }
    }
}

/// A history that can be replayed: what a test or a file holds.
package struct RecordedHistory: Hashable, Codable, Sendable {
    package var seed: HistorySeed
    package var steps: [TimedStep]

    package init(_ history: History) { self.init(seed: history.seed, steps: history.steps) }

    package init(seed: HistorySeed, steps: [TimedStep]) {
        self.seed = seed
        self.steps = steps
    }

    /// One line for each step.
    package var text: String { steps.map { "\($0.after) \($0.step)\n" }.joined() }

    /// The history as JSON, for ``init(json:)``.
    package var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    package init(json: Data) throws { self = try JSONDecoder().decode(Self.self, from: json) }
}
