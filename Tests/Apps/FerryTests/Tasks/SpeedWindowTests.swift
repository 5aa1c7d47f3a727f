@testable import Ferry
import Testing

@Suite struct `The speed of a task` {
    private static let start = ContinuousClock.now

    private static func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    /// Returns a window with a sample of `bytes` bytes every tenth of a second.
    private func window(_ bytes: Int64, samples: Int) -> SpeedWindow {
        var window = SpeedWindow()
        for sample in 0...samples { window.add(bytes * Int64(sample), at: Self.at(Double(sample) / 10)) }
        return window
    }

    @Test(arguments: [(0, 0.0, 0), (1, 0.1, 50), (5, 0.5, 250), (10, 1.0, 500), (30, 3.0, 500), (30, 3.05, 500)])
    func `is the bytes of the last second`(samples: Int, moment: Double, bytes: Int64) {
        #expect(window(50, samples: samples).bytesPerSecond(at: Self.at(moment)) == bytes)
    }

    @Test func `is nothing a second after the last bytes`() {
        let window = window(50, samples: 30)
        #expect(window.bytesPerSecond(at: Self.at(3.5)) == 250)
        #expect(window.bytesPerSecond(at: Self.at(3.99)) == 50)
        #expect(window.bytesPerSecond(at: Self.at(4)) == 0 && window.bytesPerSecond(at: Self.at(100)) == 0)
    }

    @Test func `is zero in a sampled stall`() {
        var window = window(50, samples: 30)
        for sample in 31...45 { window.add(1500, at: Self.at(Double(sample) / 10)) }
        #expect(window.bytesPerSecond(at: Self.at(4.5)) == 0)
        window.add(1700, at: Self.at(4.6))
        #expect(window.bytesPerSecond(at: Self.at(4.6)) == 200)
    }

    @Test func `counts bytes after a silence`() {
        var window = window(50, samples: 10)
        window.add(800, at: Self.at(60))
        #expect(window.bytesPerSecond(at: Self.at(60)) == 300)
    }

    @Test func `begins anew with a count that went back`() {
        var window = window(50, samples: 30)
        window.add(20, at: Self.at(3.1))
        #expect(window.bytesPerSecond(at: Self.at(3.1)) == 0)
        window.add(90, at: Self.at(3.2))
        #expect(window.bytesPerSecond(at: Self.at(3.2)) == 70)
        window.clear()
        #expect(window.bytesPerSecond(at: Self.at(3.2)) == 0)
    }
}
