@testable import Ferry
import Foundation
import Logging
import Synchronization
import Testing

@Suite struct `Entries of the log` {
    /// Records the messages of swift-log.
    private final class Kept: Sendable {
        let lines = Mutex<[String]>([])
    }

    private struct Handler: LogHandler {
        let kept: Kept
        var metadata: Logging.Logger.Metadata = [:]
        var logLevel = Logging.Logger.Level.trace
        subscript(metadataKey key: String) -> Logging.Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let facts = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            kept.lines.withLock { $0.append("\(event.level) \(event.message) \(facts.joined(separator: " "))") }
        }
    }

    private static let url = URL(string: "http://user:hunter2@example.org/a?b=c")

    private func task() -> DownloadTask { .detached(.failed, .unknown, url: Self.url) }

    @Test func `are blocks of lines`() {
        #expect(
            LogText.block(.downloadTask("running", task: task()), identifier: "movies") == """
                ************************ FerryLog ************************
                identifier    :  movies
                Message       :  [DownloadTask] running
                Task URL      :  http://user:redacted@example.org/a?b=

                """)
        #expect(
            LogText.block(.error("It failed.", error: FerryError.indexOutOfRange), identifier: "movies") == """
                ************************ FerryLog ************************
                identifier    :  movies
                Message       :  [Error] It failed.
                Description   :  There is no task at this index; the order stays as it is.

                """)
    }

    @Test(arguments: [
        ("http://user:hunter2@example.org/a", "http://user:redacted@example.org/a"),
        ("http://:hunter2@example.org/a", "http://:redacted@example.org/a"),
        ("see http://a:hunter2@b and ftp://c:hunter2@d/e.", "see http://a:redacted@b and ftp://c:redacted@d/e."),
        ("http://user:hun:ter@2@example.org/a", "http://user:redacted@example.org/a"),
        ("see https://a/b?x=1&token&y=s.e-c. And", "see https://a/b?x=&y=. And"),
        ("“https://a/b?sig=%2Fx:y”, https://c/d?e=f#g", "“https://a/b?sig=”, https://c/d?e=#g"),
        ("really? a=b", "really? a=b"),
        ("http://example.org:81/a:b@c", "http://example.org:81/a:b@c"),
        ("http://user@example.org", "http://user@example.org"),
        ("http://[::1]:81/a@b", "http://[::1]:81/a@b"), ("no URL: a:b@c", "no URL: a:b@c"), ("", ""),
    ])
    func `have no passwords of URLs`(text: String, shown: String) {
        #expect(LogText.redacted(text) == shown)
    }

    @Test func `go to swift-log with their level`() {
        let kept = Kept()
        let logger = Logging.Logger(label: "test") { _ in Handler(kept: kept) }
        var writer = SwiftLogLogger(identifier: "movies", logger: logger)
        #expect(writer.identifier == "movies" && writer.option == .default)
        writer.log(.downloadTask("running", task: task()))
        writer.log(
            .error("Refused: http://a:hunter2@b", error: FerryError.fetchDownloadTaskFailed(url: "http://a:hunter2@b")))
        writer.option = .none
        writer.log(.downloadTask("succeeded", task: task()))
        let lines = kept.lines.withLock { $0 }
        #expect(
            lines == [
                "debug running manager=movies url=http://user:redacted@example.org/a?b=",
                "error Refused: http://a:redacted@b "
                    + "error=The manager has no download of http://a:redacted@b. manager=movies",
            ])
    }
}
