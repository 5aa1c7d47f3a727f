import Logging

/// Logs `info` and `notice` messages of the service as `debug` while it runs inside an app: there they help to debug the app,
/// and an app that sets up no logging of its own prints none of them.
struct LibraryLogHandler: LogHandler {
    private var inner: Logger
    var logLevel: Logger.Level

    init(label: String) { self.init(Logger(label: label)) }

    /// - Parameter inner: gets the entries.
    init(_ inner: Logger) {
        self.inner = inner
        // Messages that `inner` would drop are not built.
        logLevel = inner.logLevel <= .debug ? inner.logLevel : max(.warning, inner.logLevel)
    }

    /// A logger that shows what the app has asked for by its own logging.
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
