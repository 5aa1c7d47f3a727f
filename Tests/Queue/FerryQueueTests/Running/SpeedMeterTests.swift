import FerryCore
import FerryQueue
import Testing

@Suite struct `The speed of a transfer` {
    private let second: UInt64 = 1_000_000_000

    @Test func `is unknown until there are two samples`() {
        var meter = SpeedMeter()
        #expect(meter.bytesPerSecond == nil)
        meter.add(bytes: 5, now: second)
        #expect(meter.bytesPerSecond == nil)
        meter.add(bytes: 50, now: second + 1)
        #expect(meter.bytesPerSecond == nil, "two samples at almost one time are one")
        meter.add(bytes: 1005, now: 2 * second)
        #expect(meter.bytesPerSecond == 1000)
    }

    @Test func `is that of the last five seconds`() {
        var meter = SpeedMeter()
        meter.add(bytes: 0, now: 0)
        meter.add(bytes: 1_000_000, now: second)
        for index: UInt64 in 2...10 { meter.add(bytes: 1_000_000 + Int64(index), now: index * second) }
        #expect(meter.bytesPerSecond == 1)
    }

    @Test func `starts again when the bytes do`() {
        var meter = SpeedMeter()
        meter.add(bytes: 0, now: 0)
        meter.add(bytes: 1000, now: second)
        meter.add(bytes: 10, now: second + 5)
        #expect(meter.bytesPerSecond == nil)
        meter.add(bytes: 30, now: 2 * second + 5)
        #expect(meter.bytesPerSecond == 20)
    }

    @Test func `falls to zero while nothing comes`() {
        var meter = SpeedMeter()
        for index: UInt64 in 0...10 { meter.add(bytes: 700, now: index * second) }
        #expect(meter.bytesPerSecond == 0)
    }
}
