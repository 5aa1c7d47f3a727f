import FerryQueue
import Foundation
import Testing

/// A network with one server, in simulated time, that transfers small files with a growing number at a time.
private struct SimulatedServer {
    /// Seconds from a request to its response.
    var trip = 0.1
    /// Files per second that server and network can transfer at most.
    var rate = Double.infinity
    /// Files that a new connection takes in its first round trip, and twice as many in each further one.
    var first = Double.infinity
    /// Number of requests at a time above which the server refuses.
    var refuses = Int.max

    struct Course {
        var seconds = 0.0
        var most = 0
        var last = 0
        var refusals = 0
    }

    /// Transfers files, and returns how long it took with how many at a time.
    ///
    /// - Parameter growth: `nil` transfers a fixed number at a time.
    func transfer(_ files: Int, _ growth: SmallFileGrowth?, fixed: Int = 8, limit: Int) -> Course {
        var growth = growth
        var course = Course()
        let start = ContinuousClock.now
        var (waiting, now, free) = (files, 0.0, 0.0)
        /// The times at which running files end, and whether they are refused.
        var running: [(end: Double, isRefused: Bool)] = []
        while waiting > 0 || !running.isEmpty {
            let target = growth?.target ?? fixed
            while waiting > 0, running.count < target {
                waiting -= 1
                let isRefused = running.count >= refuses
                let begins = max(free, now)
                let rising = first * exp2((begins / trip).rounded(.down)) / trip
                free = isRefused ? free : begins + 1 / min(rate, rising)
                running.append((isRefused ? now + trip : max(now + trip, free), isRefused))
            }
            course.most = max(course.most, running.count)
            guard let next = running.min(by: { $0.end < $1.end }) else { break }
            now = next.end
            let ended = running.filter { $0.end == now }
            running.removeAll { $0.end == now }
            let instant = start + .seconds(now)
            let refused = ended.count(where: \.isRefused)
            course.refusals += refused
            waiting += refused
            if refused > 0 { growth?.refused(at: instant) }
            if ended.count > refused {
                growth?.filesEnded(ended.count - refused, isBusy: waiting > 0, limit: limit, at: instant)
            }
        }
        course.seconds = now
        course.last = growth?.target ?? fixed
        return course
    }
}

@Suite struct `The number of small files at a time` {
    private static let trips = [0.001, 0.01, 0.05, 0.1, 0.3]

    @Test(arguments: trips) func `grows to what one connection of HTTP2 takes, over any distance`(trip: Double) {
        let server = SimulatedServer(trip: trip)
        let course = server.transfer(2000, SmallFileGrowth(base: 8), limit: 100)
        let best = server.transfer(2000, nil, fixed: 100, limit: 100)
        #expect(course.last == 100)
        #expect(course.seconds < 1.5 * best.seconds)
    }

    /// A connection over a long round trip speeds up by itself. That must not be taken for the limit of the server.
    @Test(arguments: trips, [1.0, 2, 4]) func `grows over a new connection that is still slow`(
        trip: Double, first: Double
    ) {
        let server = SimulatedServer(trip: trip, first: first)
        let course = server.transfer(2000, SmallFileGrowth(base: 8), limit: 100)
        let best = server.transfer(2000, nil, fixed: 100, limit: 100)
        #expect(course.last == 100)
        #expect(course.seconds < 1.5 * best.seconds)
    }

    @Test(arguments: trips) func `grows to 16 connections of HTTP1, and no further`(trip: Double) {
        let limit = SmallFileGrowth.mostConnections
        let course = SimulatedServer(trip: trip).transfer(1000, SmallFileGrowth(base: 8), limit: limit)
        #expect(course.most == 16 && course.last == 16)
    }

    @Test(arguments: [50.0, 200, 1000]) func `stays where more would not raise the rate`(rate: Double) {
        // The server is near: eight at a time already use its whole rate.
        let server = SimulatedServer(trip: 1 / rate, rate: rate)
        let course = server.transfer(2000, SmallFileGrowth(base: 8), limit: 100)
        let fixed = server.transfer(2000, nil, limit: 100)
        #expect(course.last == 8 && course.most <= 16)
        #expect(course.seconds <= 1.05 * fixed.seconds)
    }

    @Test func `stops growing at the rate of the server`() {
        // 200 files a second over 0.1 seconds: twenty at a time are enough.
        let course = SimulatedServer(trip: 0.1, rate: 200).transfer(4000, SmallFileGrowth(base: 8), limit: 100)
        #expect((16...32).contains(course.last))
    }

    @Test(arguments: [8, 12, 20, 50]) func `is back at once where the server refuses`(most: Int) {
        let server = SimulatedServer(trip: 0.1, refuses: most)
        let course = server.transfer(2000, SmallFileGrowth(base: 8), limit: 100)
        #expect(course.last == 8)
        // One step too far, and no other for a minute.
        #expect(course.refusals <= 100)
        #expect(server.transfer(100, nil, limit: 100).refusals == 0)
    }

    @Test func `does not grow without others that wait`() {
        var growth = SmallFileGrowth(base: 8)
        let start = ContinuousClock.now
        for number in 0..<1000 {
            growth.filesEnded(1, isBusy: false, limit: 100, at: start + .milliseconds(number))
        }
        #expect(growth.target == 8)
    }

    @Test func `is never above its limit, also when that falls`() {
        var growth = SmallFileGrowth(base: 8)
        let start = ContinuousClock.now
        for number in 0..<200 {
            growth.filesEnded(growth.target, isBusy: true, limit: 100, at: start + .milliseconds(100 * number))
        }
        #expect(growth.target == 100)
        growth.filesEnded(1, isBusy: true, limit: 20, at: start + .seconds(21))
        #expect(growth.target == 20)
        growth.filesEnded(1, isBusy: true, limit: 4, at: start + .seconds(22))
        #expect(growth.target == 8)
    }
}
