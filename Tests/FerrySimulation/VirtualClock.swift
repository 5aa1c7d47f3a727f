import FerryCore
import Foundation

@testable import FerryService

/// The clocks of a simulated machine; time passes by steps alone.
struct VirtualClock {
    private static let start = ContinuousClock.now

    /// Seconds that have passed since the beginning.
    private(set) var elapsed = 0.0
    /// Seconds by which the wall clock was set.
    private var set = 0.0
    private(set) var wasSet = false
    private(set) var wasSetBack = false
    private var boot = 0
    private var booted = -100.0

    var moment: Moment {
        Moment(
            clock: Self.start + .seconds(elapsed),
            active: ActiveTime.Instant(
                wall: Date(timeIntervalSince1970: 1_000_000 + elapsed + set), boot: "boot \(boot)",
                uptime: elapsed - booted))
    }

    /// The moment, with alarms that go by the wall clock.
    var momentByWallClock: Moment {
        var moment = moment
        moment.clock += .seconds(set)
        return moment
    }

    mutating func pass(_ seconds: Double) { elapsed += seconds }

    /// Advances the time up to a moment.
    mutating func pass(until end: ContinuousClock.Instant) {
        elapsed = max(elapsed, (end - Self.start) / .seconds(1))
    }

    mutating func setWallClock(by seconds: Double) {
        set += seconds
        wasSet = true
        wasSetBack = wasSetBack || seconds < 0
    }

    mutating func reboot() {
        boot += 1
        booted = elapsed
    }
}

/// Numbers that look random and are the same for the same seed.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    /// The numbers of neighbouring seeds have nothing in common.
    init(seed: UInt64) { state = Self.mixed(Self.mixed(seed) ^ 0x6A09_E667_F3BC_C909) }

    mutating func next() -> UInt64 {
        state = state &+ 0x9E37_79B9_7F4A_7C15
        return Self.mixed(state)
    }

    private static func mixed(_ number: UInt64) -> UInt64 {
        var word = number
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    mutating func below(_ count: Int) -> Int { Int.random(in: 0..<max(1, count), using: &self) }

    /// True once in so many times.
    mutating func once(in count: Int) -> Bool { below(count) == 0 }

    mutating func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }
}
