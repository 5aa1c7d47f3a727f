import Synchronization

/// Detects whether a delegate implements a method. The default implementations mark the call as unimplemented.
///
/// Swift's protocols have no optional requirements, so every delegate has every method.
enum DelegateProbe {
    @TaskLocal static var current: ImplementationProbe?

    /// Makes a call and returns whether the delegate's own implementation handled it.
    ///
    /// Only for methods without an `async` form. The default implementation of a method with one marks the call only
    /// when its task runs.
    static func call(_ body: () -> Void) -> Bool {
        let probe = ImplementationProbe()
        $current.withValue(probe) { body() }
        return !probe.isMissing
    }

    /// Marks the current call as unimplemented by the delegate. Called by the default implementations.
    static func markMissing() { current?.markMissing() }
}

/// A record that a call reached a default implementation.
final class ImplementationProbe: Sendable {
    private let missing = Atomic(false)

    var isMissing: Bool { missing.load(ordering: .relaxed) }

    func markMissing() { missing.store(true, ordering: .relaxed) }
}

/// Forwards the default implementation of a method with a completion handler to the method's `async` form.
enum AsyncForm {
    /// Calls the handler with the result of the `async` form. If that is a default implementation too, the delegate
    /// does not implement the method. The caller learns this from the probe, which the task inherits.
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
