@testable import Ferry
import FerryCore
import Foundation
import Synchronization
import Testing

@Suite struct `Numbers of a task` {
    private static let start = ContinuousClock.now

    private static func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    private func task() -> DownloadTask { .detached(.waiting, .unknown, url: URL(string: "http://example.org/a")) }

    /// Returns a transfer as reported by the daemon.
    private func transfer(_ said: Said) throws -> Transfer {
        var fields: [String: Any] = [
            "id": "00000000000000a1", "session": "s", "url": "http://example.org/a", "state": said.state.rawValue,
            "bytes_received": said.received, "created_at": 0, "started_over": said.startedOver,
        ]
        fields["bytes_expected"] = said.expected
        return try JSONDecoder().decode(Transfer.self, from: JSONSerialization.data(withJSONObject: fields))
    }

    struct Said {
        var state: TransferState
        var received: Int
        var expected: Int?
        var startedOver = 0
        /// Fraction shown by the task.
        var fraction: Double
        var isRestarted = false
    }

    private static let running = Said(state: .running, received: 50, expected: 100, fraction: 0.5)

    static let courses: [(String, [Said])] = [
        (
            "bytes come",
            [
                Said(state: .running, received: 0, expected: nil, fraction: 0), running,
                Said(state: .succeeded, received: 100, expected: 100, fraction: 1),
            ]
        ),
        (
            "the daemon has died and kept less",
            [
                running, Said(state: .waiting, received: 20, expected: 100, fraction: 0.5),
                Said(state: .running, received: 30, expected: nil, fraction: 0.5),
                Said(state: .running, received: 60, expected: 100, fraction: 0.6),
            ]
        ),
        (
            "the server has another version",
            [
                running,
                Said(state: .running, received: 10, expected: 40, startedOver: 1, fraction: 0.25, isRestarted: true),
                Said(state: .running, received: 20, expected: 40, startedOver: 1, fraction: 0.5),
                Said(state: .running, received: 0, expected: nil, startedOver: 2, fraction: 0, isRestarted: true),
            ]
        ),
        (
            "a failure has given the bytes up",
            [
                running, Said(state: .failed, received: 0, expected: nil, fraction: 0.5),
                Said(state: .running, received: 0, expected: nil, fraction: 0, isRestarted: true), running,
            ]
        ),
        (
            "a failure has kept bytes",
            [
                running, Said(state: .failed, received: 40, expected: 100, fraction: 0.5),
                Said(state: .running, received: 45, expected: 100, fraction: 0.5),
            ]
        ),
        (
            "the finished file is gone",
            [
                Said(state: .succeeded, received: 100, expected: 100, fraction: 1),
                Said(state: .running, received: 0, expected: nil, fraction: 0, isRestarted: true),
                Said(state: .running, received: 10, expected: 100, fraction: 0.1),
            ]
        ),
        (
            "the server sends more than it has said",
            [running, Said(state: .running, received: 120, expected: 100, fraction: 1)]
        ),
    ]

    /// docs/behaviour/session-manager.md#K7
    @Test(arguments: courses)
    func `let the fraction fall when the bytes are given up, and else never`(name: String, course: [Said]) throws {
        let task = task()
        let progress = task.progress
        var last = 0.0
        for (index, said) in course.enumerated() {
            let transfer = try transfer(said)
            let isRestarted = task.state.withLock { state in
                defer { if said.state == .running { state.stored = .running } }
                return state.take(transfer, now: Self.at(Double(index)))
            }
            #expect(isRestarted == said.isRestarted, "\(name), \(index)")
            #expect(abs(progress.fractionCompleted - said.fraction) < 0.001, "\(name), \(index): \(progress)")
            #expect(isRestarted || progress.fractionCompleted >= last, "\(name), \(index)")
            last = progress.fractionCompleted
        }
    }

    /// The daemon keeps no secrets of a finished task, so a call with headers has to pass them again.
    @Test(
        arguments: [
            (.waiting, false), (.suspended, false), (.failed, true), (.canceled, true), (.succeeded, true),
        ] as [(Status, Bool)])
    func `take the headers of a call to the daemon where it may have forgotten them`(status: Status, isTaken: Bool) {
        let headers = ["Authorization": "Bearer x"]
        let task = task()
        task.state.withLock { state in
            state.stored = status
            state.asked.headers = headers
            func change(_ headers: HTTPHeaders?, _ name: String? = nil) -> TransferChange? {
                state.change(headers: headers, name: name) { headers in
                    var request = TransferRequest(url: "", folder: "")
                    request.headers = headers.map { HeaderField(name: $0, value: $1) }
                    return request
                }
            }
            #expect(change(nil) == nil)
            #expect((change(headers)?.headers != nil) == isTaken)
            #expect(change(["X-A": "b"])?.headers == [HeaderField(name: "X-A", value: "b")])
            #expect(state.asked.headers == ["X-A": "b"])
            #expect(change(nil, "other")?.name == "other")
        }
    }

    @Test func `say -1 for a size that is not known`() throws {
        let task = task()
        let first = try transfer(Said(state: .running, received: 10, expected: nil, fraction: 0))
        let second = try transfer(Said(state: .running, received: 20, expected: 100, fraction: 0))
        #expect(task.progress.totalUnitCount == -1)
        task.state.withLock { _ = $0.take(first, now: Self.start) }
        #expect(task.progress.totalUnitCount == -1 && task.progress.completedUnitCount == 10)
        task.state.withLock { _ = $0.take(second, now: Self.start) }
        #expect(task.progress.totalUnitCount == 100 && task.progress.completedUnitCount == 20)
    }

    /// Returns a task that receives `bytes` every tenth of a second, as seen after a second.
    private func flowing(_ bytes: Int, expected: Int?) throws -> DownloadTask {
        let task = task()
        for sample in 0...10 {
            let said = Said(state: .running, received: sample * bytes, expected: expected, fraction: 0)
            let transfer = try transfer(said)
            task.state.withLock { state in
                state.stored = .running
                state.take(transfer, now: Self.at(Double(sample) / 10))
            }
        }
        return task
    }

    /// docs/behaviour/session-manager.md#K8
    @Test(arguments: [(nil, 0), (1000, 0), (1001, 1), (2000, 1), (2001, 2), (6000, 5)] as [(Int?, Int64)])
    func `say how many seconds are left, and 0 if that is not known`(expected: Int?, seconds: Int64) throws {
        let task = try flowing(100, expected: expected)
        #expect(task.state.withLock { $0.timeRemaining(now: Self.at(1)) } == seconds)
        #expect(task.state.withLock { $0.timeRemaining(now: Self.at(3)) } == 0)
        let progress = task.state.withLock { $0.downloadProgress(now: Self.at(1)) }
        #expect(progress.bytesPerSecond == 1000 && progress.timeRemaining == (seconds > 0 ? .seconds(seconds) : nil))
    }

    @Test func `have no speed two seconds after the last bytes, and none unless the task runs`() throws {
        let task = try flowing(100, expected: nil)
        #expect(task.state.withLock { $0.speed(now: Self.at(1)) } == 1000)
        #expect(task.state.withLock { $0.speed(now: Self.at(3)) } == 0)
        for status in [Status.waiting, .suspended, .failed, .succeeded] {
            task.state.withLock { $0.stored = status }
            #expect(task.state.withLock { $0.speed(now: Self.at(1)) } == 0)
        }
    }

    @Test func `add up to those of the manager`() throws {
        let tasks = try [flowing(100, expected: 5000), flowing(30, expected: nil), task()]
        let sum = TaskSum(tasks, at: Self.at(1))
        // Tasks of unknown size count as the mean of the known sizes.
        #expect(sum.received == 1300 && sum.total == 15_000)
        #expect(sum.speed == 1300 && sum.timeRemaining == 11)
        #expect(TaskSum(tasks, at: Self.at(3)).speed == 0 && TaskSum([], at: .now).speed == 0)
    }

    // MARK: The manager's progress

    /// Returns a task that the server has said this about.
    private func task(_ said: Said) throws -> DownloadTask {
        let (task, transfer) = (task(), try transfer(said))
        task.state.withLock { state in
            state.stored = Status(transfer.state) ?? .waiting
            _ = state.take(transfer, now: Self.start)
        }
        return task
    }

    private func waiting() throws -> DownloadTask { try task(Said(state: .waiting, received: 0, fraction: 0)) }

    private func done(_ size: Int) throws -> DownloadTask {
        try task(Said(state: .succeeded, received: size, expected: size, fraction: 1))
    }

    @Test func `K7 a manager is not done while tasks wait whose size is unknown`() throws {
        #expect(TaskSum([try waiting(), try waiting()]).total == -1)
        let sum = TaskSum([try done(100), try done(300), try waiting(), try waiting()])
        #expect(sum.received == 400 && sum.total == 800)
        let large = try task(Said(state: .running, received: 500, fraction: 0))
        #expect(TaskSum([try done(100), large]).total == 601)
    }

    @Test func `K7 the fraction stays while a size turns out larger than assumed, and goes back with a restart`() throws
    {
        var steady = SteadyFraction()
        func fraction(_ tasks: [DownloadTask]) -> Double {
            let sum = TaskSum(tasks)
            let total = steady.total(of: sum)
            return total > 0 ? Double(sum.received) / Double(total) : 0
        }
        let half = fraction([try done(100), try waiting()])
        #expect(half == 0.5)
        for (received, expected) in [(0, 0.5), (400, 0.5), (900, 0.9), (1000, 1)] {
            let large = try task(Said(state: .running, received: received, expected: 1011, fraction: 0))
            let shown = fraction([try done(100), large])
            #expect(abs(shown - expected) < 0.01 && shown < 1)
        }
        let restarted = try task(Said(state: .running, received: 0, expected: 1000, startedOver: 1, fraction: 0))
        #expect(fraction([try done(100), restarted]) < 0.1)
        #expect(fraction([try done(100), try done(1000)]) == 1)
    }

    @Test func `K7 a size that the app expects counts from the start`() throws {
        let url = try #require(URL(string: "http://example.org/a"))
        let state = TaskState(
            note: TaskNote(url: url.absoluteString), url: url, folder: "/", fileName: "a", expectedSize: 700)
        #expect(state.total == 700)
    }
}
