import Logging

/// A log handler that lowers the service's `info` and `notice` messages to `debug` while the service runs inside an
/// app. An app that does not configure logging prints none of them.
struct LibraryLogHandler: LogHandler {
    private var inner: Logger
    var logLevel: Logger.Level

    init(label: String) { self.init(Logger(label: label)) }

    /// - Parameter inner: Receives the messages.
    init(_ inner: Logger) {
        self.inner = inner
        // Avoids building messages that `inner` would drop.
        logLevel = inner.logLevel <= .debug ? inner.logLevel : max(.warning, inner.logLevel)
    }

    /// Creates a logger that follows the app's logging configuration.
    static func logger(label: String) -> Logger { Logger(label: label, factory: { LibraryLogHandler(label: $0) }) }

    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var event = event
        if event.level == .info || event.level == .notice { event.level = .debug }
        guard event.level >= inner.logLevel else { return }
        event.metadata = metadata.merging(event.metadata ?? [:]) { $1 }
        inner.handler.log(event: event)
    }
}
