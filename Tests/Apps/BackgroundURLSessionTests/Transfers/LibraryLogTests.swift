import Logging
import Synchronization
import Testing

@testable import FerryURLSession

@Suite struct `The log of the service in an app` {
    private final class Entries: Sendable {
        let all = Mutex<[String]>([])
    }

    private struct Recorder: LogHandler {
        let entries: Entries
        var logLevel: Logger.Level
        var metadata: Logger.Metadata = [:]
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            entries.all.withLock { $0.append("\(event.level) \(event.message) \(event.metadata?.count ?? 0)") }
        }
    }

    private func entries(at level: Logger.Level) -> [String] {
        let entries = Entries()
        let inner = Logger(label: "inner") { _ in Recorder(entries: entries, logLevel: level) }
        var logger = Logger(label: "outer") { _ in LibraryLogHandler(inner) }
        logger[metadataKey: "a"] = "b"
        for level in Logger.Level.allCases { logger.log(level: level, "\(level)", metadata: ["c": "d"]) }
        return entries.all.withLock { $0 }
    }

    @Test func `shows warnings alone where the app has asked for nothing`() {
        #expect(entries(at: .info) == ["warning warning 2", "error error 2", "critical critical 2"])
        #expect(entries(at: .error) == ["error error 2", "critical critical 2"])
    }

    @Test func `shows the rest where the app debugs`() {
        #expect(
            entries(at: .debug) == [
                "debug debug 2", "debug info 2", "debug notice 2", "warning warning 2", "error error 2",
                "critical critical 2",
            ])
    }
}
