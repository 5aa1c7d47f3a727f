import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Logging
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct `The log` {
    /// Records all log messages at every level.
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private struct Keeping: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.add("\(event.message) \(event.metadata ?? [:]) \(metadata)") }
    }

    @Test func `names no query and no field`() async throws {
        let lines = Lines()
        try await withEngine(
            OriginScript(SeededBody(seed: 3, size: 1000)),
            configured: { $0.logger = Logger(label: "test") { _ in Keeping(lines: lines) } }
        ) { harness, origin in
            let history = await harness.transfer(
                harness.request(origin.url("/file?token=hush")) {
                    $0.headers = [HeaderField(name: "X-Key", value: "hush")]
                })
            #expect(history.success != nil)
        }
        #expect(!lines.all.contains { $0.contains("hush") }, "\(lines.all)")
    }
}
