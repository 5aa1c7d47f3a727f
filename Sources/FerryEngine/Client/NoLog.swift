import Logging

/// A log that keeps nothing: the HTTP client logs URLs and fields that must not be written down.
struct NoLog: LogHandler {
    /// What every client and request is given.
    static let logger = Logger(label: "ferry.http", factory: { _ in NoLog() })

    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .critical

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {}
}
