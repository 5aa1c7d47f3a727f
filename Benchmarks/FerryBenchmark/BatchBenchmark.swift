import Dispatch
import Ferry
import Foundation

/// Measures calls for all tasks at once, from a thread of its own and on the main queue, and the same one by one.
final class BatchBenchmark: Sendable {
    /// One in so many tasks is used for calls one by one.
    private static let part = 20

    private let count: Int
    private let urls: [String]
    private let manager: SessionManager
    private let heartbeat = Heartbeat()
    private let clock = ContinuousClock()

    init(count: Int, url: String, folder: String) {
        self.count = count
        urls = (0..<count).map { "\(url)-\($0)" }
        manager = makeManager(in: folder)
    }

    /// Everything that is measured, as JSON; afterwards all tasks are there, suspended.
    func run() -> String {
        manager.completion { _ in }.progress { _ in }
        let before = Memory.anonymousBytes
        measureSingles()
        var rows = measureTotals("", onMain: false)
        rows += measureTotals("_on_main", onMain: true)
        rows += measureSingles()
        manager.multiDownload(urls)
        let memory = Memory.anonymousBytes - before
        finish { manager.totalSuspend(onMainQueue: false, handler: $0) }
        let lines = rows.map { #""\#($0.name)": {"seconds": \#($0.seconds), "main": \#($0.main)}"# }
        return #"{"tasks": \#(count), "memory": \#(memory), \#(lines.joined(separator: ", "))}"#
    }

    private struct Row {
        var name: String
        var seconds: Double
        /// The longest time, in seconds, for which the main queue did nothing else.
        var main: Double
    }

    // MARK: All at once

    private func measureTotals(_ suffix: String, onMain: Bool) -> [Row] {
        [
            row("multiDownload" + suffix, onMain) { [manager, urls] in
                manager.multiDownload(urls, onMainQueue: false, handler: $0)
            },
            row("totalSuspend" + suffix, onMain) { [manager] in manager.totalSuspend(onMainQueue: false, handler: $0) },
            row("totalStart" + suffix, onMain) { [manager] in manager.totalStart(onMainQueue: false, handler: $0) },
            row("totalCancel" + suffix, onMain) { [manager] in manager.totalCancel(onMainQueue: false, handler: $0) },
        ]
    }

    private func row(
        _ name: String, _ onMain: Bool, _ call: @escaping @Sendable (@escaping Handler<SessionManager>) -> Void
    ) -> Row {
        _ = heartbeat.longest()
        let duration = clock.measure {
            finish { handler in
                if onMain { DispatchQueue.main.async { call(handler) } } else { call(handler) }
            }
        }
        return Row(name: name, seconds: duration / .seconds(1), main: heartbeat.longest() / .seconds(1))
    }

    private func finish(_ call: (@escaping Handler<SessionManager>) -> Void) {
        let done = DispatchSemaphore(value: 0)
        call { _ in done.signal() }
        done.wait()
    }

    // MARK: One by one

    /// Calls for a part of the tasks, one by one; what they would take for all.
    @discardableResult
    private func measureSingles() -> [Row] {
        let some = Array(urls.prefix(max(1, count / Self.part)))
        return [
            single("download", some) { [manager] in manager.download($0, onMainQueue: false, handler: $1) },
            single("suspend", some) { [manager] in manager.suspend($0, onMainQueue: false, handler: $1) },
            single("start", some) { [manager] in manager.start($0, onMainQueue: false, handler: $1) },
            single("cancel", some) { [manager] in manager.cancel($0, onMainQueue: false, handler: $1) },
        ]
    }

    private func single(
        _ name: String, _ urls: [String], _ call: (String, @escaping Handler<DownloadTask>) -> Void
    ) -> Row {
        _ = heartbeat.longest()
        let duration = clock.measure {
            let done = DispatchSemaphore(value: 0)
            for url in urls { call(url) { _ in done.signal() } }
            for _ in urls { done.wait() }
        }
        let scaled = duration / .seconds(1) * Double(count) / Double(urls.count)
        return Row(name: name, seconds: scaled, main: heartbeat.longest() / .seconds(1))
    }
}
