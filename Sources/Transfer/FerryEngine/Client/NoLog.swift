import Logging

/// A log handler that discards everything: the HTTP client logs URLs and fields that must not be stored.
struct NoLog: LogHandler {
    /// The logger for all clients and requests.
    static let logger = Logger(label: "ferry.http", factory: { _ in NoLog() })

    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .critical

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {}
}
