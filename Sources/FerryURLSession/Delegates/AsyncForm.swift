// Ferry: FerryURLSession
// From a method with a completion handler to its async form.

/// Lets the default of a method with a completion handler call the method's async form.
enum AsyncForm {
    /// Calls the handler with what the async form returns, unless that is a default implementation too: then nobody
    /// implements the method, and the caller of the handler finds out from the probe, which the task inherits.
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
