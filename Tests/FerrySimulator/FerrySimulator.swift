import Foundation
import FerrySimulation

/// Runs histories of the simulated queue, one after the other, and prints the ones that break a law. Built and started
/// by scripts/simulate.
@main
enum FerrySimulator {
    private struct Options {
        var seed: UInt64 = 1
        var seconds = 60.0
        var histories = Int.max
        /// A deliberate mistake that the laws should detect.
        var mistake: Mistake?

        /// Returns `nil` if an argument is invalid.
        init?(_ arguments: [String]) {
            var rest = arguments[...]
            while let name = rest.popFirst() {
                guard let value = rest.popFirst() else { return nil }
                switch name {
                case "--seed": guard let number = UInt64(value) else { return nil }; seed = number
                case "--seconds": guard let number = Double(value) else { return nil }; seconds = number
                case "--histories": guard let number = Int(value) else { return nil }; histories = number
                case "--mistake": guard let found = Mistake(rawValue: value) else { return nil }; mistake = found
                default: return nil
                }
            }
        }
    }

    static func main() {
        guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
            print("usage: simulate [--seed N] [--seconds N] [--histories N] [--mistake NAME]")
            exit(2)
        }
        exit(run(options) == 0 ? 0 : 1)
    }

    private static func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

    /// Returns the number of histories that broke a law.
    private static func run(_ options: Options) -> Int {
        let start = ContinuousClock.now
        var (histories, steps, checks, failures) = (0, 0, 0, 0)
        while histories < options.histories, ContinuousClock.now - start < .seconds(options.seconds), failures < 5 {
            let history = Simulation.run(seed: options.seed &+ UInt64(histories), mistake: options.mistake)
            histories += 1
            steps += history.steps.count
            checks += history.checks
            guard let broken = history.broken else { continue }
            failures += 1
            say("seed \(history.seed), after \(history.steps.count) steps: \(broken)")
            let short = Simulation.shortened(history, mistake: options.mistake)
            say("shortened to \(short.count): \(Simulation.replay(short, mistake: options.mistake) ?? "")")
            say(short.text)
        }
        let time = max(0.001, (ContinuousClock.now - start) / .seconds(1))
        let last = options.seed &+ UInt64(max(0, histories - 1))
        say(
            "\(histories) histories (seeds \(options.seed) to \(last)), \(steps) steps, \(checks) looks at laws, "
                + "\(failures) failures; \(Int(Double(histories) / time)) histories and "
                + "\(Int(Double(steps) / time)) steps a second")
        return failures
    }
}
