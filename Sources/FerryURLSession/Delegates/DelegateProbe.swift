import Synchronization

/// Finds out whether a delegate implements a method: the default implementations say so when they run.
///
/// Swift's protocols have no optional requirements, so every delegate "has" every method.
enum DelegateProbe {
    @TaskLocal static var current: ImplementationProbe?

    /// Makes a call, and says whether a method of the delegate's own answered it.
    ///
    /// For methods without an `async` form: the default of a method with one says so only when its task runs.
    static func call(_ body: () -> Void) -> Bool {
        let probe = ImplementationProbe()
        $current.withValue(probe) { body() }
        return !probe.isMissing
    }

    /// Called by a default implementation: the delegate does not implement this method.
    static func markMissing() { current?.markMissing() }
}

/// Remembers that a call met a default implementation.
final class ImplementationProbe: Sendable {
    private let missing = Atomic(false)

    var isMissing: Bool { missing.load(ordering: .relaxed) }

    func markMissing() { missing.store(true, ordering: .relaxed) }
}

/// Lets the default of a method with a completion handler call the method's async form.
enum AsyncForm {
    /// Calls the handler with what the async form returns. If the async form is a default implementation too, the delegate
    /// does not implement the method, and the caller of the handler finds out from the probe, which the task inherits.
    static func answer<each Value>(
        _ handler: @escaping @Sendable (repeat each Value) -> Void,
        _ form: @escaping @Sendable () async -> (repeat each Value)
    ) {
        Task(name: "async delegate method") {
            let values = await form()
            handler(repeat each values)
        }
    }
}
