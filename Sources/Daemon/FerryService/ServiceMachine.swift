package import FerryEngine
import FerryQueue

/// The parts of a machine that a service uses. A simulation replaces them.
package struct ServiceMachine: Sendable {
    package var engine = EngineMachine()
    package var processes: any ProcessHost = SystemProcesses()
    /// The condition source. `nil` is the machine, or the file in `FERRY_CONDITIONS_FILE`.
    package var conditions: (any ConditionSource)?
    /// Returns random numbers for jitter, from 0 up to, but not including, 1.
    package var random: @Sendable () -> Double = { Double.random(in: 0..<1) }

    package var clock: any MachineClock { engine.clock }

    package init() {}
}

extension Moment {
    /// The current moment of a machine's clocks.
    init(_ clock: any MachineClock) { self.init(clock: clock.now, active: clock.active) }
}
