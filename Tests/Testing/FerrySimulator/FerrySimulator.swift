import FerrySimulation
import Foundation

/// Runs histories of the daemon's service and prints the ones that break a law. Built and started by scripts/simulate.
@main
enum FerrySimulator {
    private struct Options {
        var seed: UInt64 = 1
        var seconds = 60.0
        var histories = Int.max
        var length = Simulation.length
        var journals = SimulatedJournalKind.allCases
        /// Whether each history runs twice, to compare its courses.
        var isTwice = false
        /// Whether the course of each history is printed.
        var isVerbose = false
        /// Whether the first history that breaks a law is described in one line, and ends the run.
        var isFirst = false
        /// The file of a history to replay.
        var replayed: String?

        /// Returns `nil` if an argument is invalid.
        init?(_ arguments: [String]) {
            var rest = arguments[...]
            while let name = rest.popFirst() {
                switch name {
                case "--twice": isTwice = true
                case "--verbose": isVerbose = true
                case "--first": isFirst = true
                default:
                    guard let value = rest.popFirst() else { return nil }
                    switch name {
                    case "--seed": guard let number = UInt64(value) else { return nil }; seed = number
                    case "--seconds": guard let number = Double(value) else { return nil }; seconds = number
                    case "--histories": guard let number = Int(value) else { return nil }; histories = number
                    case "--length": guard let number = Int(value) else { return nil }; length = number
                    case "--replay": replayed = value
                    case "--journal":
                        guard let journal = SimulatedJournalKind(rawValue: value) else { return nil }
                        journals = [journal]
                    default: return nil
                    }
                }
            }
        }
    }

    static func main() {
        guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
            print(
                "usage: simulate [--seed N] [--seconds N] [--histories N] [--length N] [--journal memory|sqlite] [--twice] [--first] [--verbose] [--replay FILE]"
            )
            exit(2)
        }
        guard ProcessInfo.processInfo.environment["SWIFT_DETERMINISTIC_HASHING"] != nil else {
            print("Set SWIFT_DETERMINISTIC_HASHING=1: the order of sets and dictionaries is random otherwise.")
            exit(2)
        }
        if let file = options.replayed { exit(replay(file, options) ? 0 : 1) }
        exit(run(options) == 0 ? 0 : 1)
    }

    /// Replays a recorded history. Returns whether all laws held.
    private static func replay(_ file: String, _ options: Options) -> Bool {
        do {
            let recorded = try RecordedHistory(json: Data(contentsOf: URL(filePath: file)))
            let history = Simulation.replay(recorded.steps, recorded.seed, keepsLog: options.isVerbose)
            for line in history.log { say(line) }
            say(history.broken ?? "all laws hold")
            return history.broken == nil
        } catch {
            say("\(file) cannot be replayed: \(error)")
            return false
        }
    }

    private static func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

    /// Returns the number of failures.
    private static func run(_ options: Options) -> Int {
        let start = ContinuousClock.now
        var (histories, steps, jobs, checks, failures) = (0, 0, 0, 0, 0)
        while histories < options.histories, ContinuousClock.now - start < .seconds(options.seconds), failures < 5 {
            let number = options.seed &+ UInt64(histories)
            let journal = options.journals[Int(number / 2 % UInt64(options.journals.count))]
            let seed = HistorySeed(number, journal)
            let history = Simulation.run(seed, length: options.length, keepsLog: options.isVerbose)
            histories += 1
            steps += history.steps.count
            jobs += history.jobs
            checks += history.checks
            for line in history.log { say(line) }
            if options.isTwice {
                let other = Simulation.run(seed, length: options.length)
                if other.trace != history.trace || other.jobs != history.jobs {
                    failures += 1
                    say(
                        "seed \(number): the second run took another course, \(other.jobs) jobs instead of \(history.jobs)"
                    )
                }
            }
            guard let broken = history.broken else { continue }
            failures += 1
            say(
                "seed \(number), \(seed.order) order, journal \(journal), after \(history.steps.count) steps and "
                    + "\(history.jobs) jobs: \(broken)")
            if options.isFirst { return 1 }
            let short = Simulation.shortened(history)
            say("shortened to \(short.steps.count) steps with seed \(short.seed.seed): \(short.broken ?? "")")
            say(RecordedHistory(short).text)
            say(RecordedHistory(short).json)
        }
        let time = max(0.001, (ContinuousClock.now - start) / .seconds(1))
        let last = options.seed &+ UInt64(max(0, histories - 1))
        say(
            "\(histories) histories (seeds \(options.seed) to \(last)), \(steps) steps, \(jobs) jobs, \(checks) checks of laws, "
                + "\(failures) failures; \(Int(Double(histories) / time)) histories and "
                + "\(Int(Double(jobs) / time)) jobs a second")
        return failures
    }
}
