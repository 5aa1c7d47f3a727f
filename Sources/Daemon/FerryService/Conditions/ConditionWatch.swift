import FerryCore

/// The condition source, and the listeners notified of changes besides the queue. Owned by the service.
struct ConditionWatch: Sendable {
    let source: any ConditionSource
    private var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    private var lastListener = 0

    init(_ configuration: ServiceConfiguration) {
        if let source = configuration.machine.conditions {
            self.source = source
        } else if let path = configuration.environment["FERRY_CONDITIONS_FILE"], !path.isEmpty {
            source = FileConditions(path: path, logger: configuration.logger)
        } else {
            source = SystemConditions(environment: configuration.environment, logger: configuration.logger)
        }
    }

    /// Adds a listener to notify of changes and returns its number.
    mutating func add(_ listener: AsyncStream<Void>.Continuation) -> Int {
        lastListener += 1
        listeners[lastListener] = listener
        return lastListener
    }

    mutating func remove(_ number: Int) { listeners[number] = nil }

    func notifyListeners() {
        for listener in listeners.values { listener.yield() }
    }

    func end() {
        source.stop()
        for listener in listeners.values { listener.finish() }
    }
}
