import FerryCore

/// The result of a history.
package struct History: Sendable {
    package let seed: UInt64
    /// The steps that applied, up to the one that broke a law.
    package let steps: [Step]
    /// The broken law, or `nil`.
    package let broken: String?
    /// How often a law was looked at.
    package let checks: Int
}

/// Histories that follow from seeds.
package enum Simulation {
    /// Steps of a history, without those that bring it to rest.
    package static let length = 200

    /// Performs `length` steps chosen by a seed, then finishes everything.
    package static func run(seed: UInt64, length: Int = length, mistake: Mistake? = nil) -> History {
        var source = StepSource(seed: seed)
        var world = SimulatedWorld(mistake: mistake)
        var steps: [Step] = []
        while steps.count < length, world.broken == nil {
            let step = source.next(in: world)
            if world.take(step) { steps.append(step) }
        }
        if world.broken == nil { world.settle() }
        return History(seed: seed, steps: steps, broken: world.broken, checks: world.checks)
    }

    /// Performs the steps of a history, then finishes everything.
    ///
    /// - Returns: The broken law, or `nil`.
    package static func replay(_ steps: [Step], mistake: Mistake? = nil) -> String? {
        var world = SimulatedWorld(mistake: mistake)
        for step in steps { world.take(step) }
        if world.broken == nil { world.settle() }
        return world.broken
    }

    /// The law that a sentence is about: the sentence without numbers and ids.
    package static func law(_ sentence: String) -> String {
        sentence.split(separator: " ").filter { !$0.contains(where: \.isNumber) }.joined(separator: " ")
    }

    /// A history that breaks a law as this one does, of which no step can be left out.
    package static func shortened(_ history: History, mistake: Mistake? = nil) -> [Step] {
        var steps = history.steps
        let law = history.broken.map(Self.law)
        var size = max(1, steps.count / 2)
        while true {
            var start = 0
            var isShorter = false
            while start < steps.count {
                let end = min(steps.count, start + size)
                let fewer = Array(steps[..<start] + steps[end...])
                if replay(fewer, mistake: mistake).map(Self.law) == law {
                    steps = fewer
                    isShorter = true
                } else {
                    start = end
                }
            }
            if size == 1, !isShorter { return steps }
            size = max(1, size / 2)
        }
    }
}

extension [Step] {
    /// The history as a test holds it.
    package var text: String { "[\n" + map { "    \($0),\n" }.joined() + "]" }
}
