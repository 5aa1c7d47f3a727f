import Logging

/// Lets the service of an app's process log as a library does: what the daemon's log shows as `info` and `notice` is for those who
/// debug the app, and an app that sets up no logging of its own prints none of it.
struct LibraryLogHandler: LogHandler {
    private var inner: Logger
    var logLevel: Logger.Level

    init(label: String) { self.init(Logger(label: label)) }

    /// - Parameter inner: gets the entries.
    init(_ inner: Logger) {
        self.inner = inner
        // What `inner` does not show is not put together.
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
