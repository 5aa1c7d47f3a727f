// Ferry: FerryURLSession
// How long a process lives that was launched for events.

/// Decides when a process that was launched for events has done its work (statement 57). Performs nothing.
struct LaunchedLife: Hashable, Sendable {
    /// Whether the daemon has launched the process and it has not become active since.
    private(set) var isBackground: Bool
    /// Calls to handle events whose completion handler was not called yet, by their number.
    private(set) var pending: [Int: String] = [:]
    private var calls = 0

    init(isBackground: Bool) { self.isBackground = isBackground }

    mutating func becameActive() { isBackground = false }

    /// The app is called to handle a session's events; the number names the call.
    mutating func calledToHandleEvents(of session: String) -> Int {
        calls += 1
        pending[calls] = session
        return calls
    }

    /// A completion handler was called.
    ///
    /// - Returns: whether it was the first time.
    mutating func completed(_ call: Int) -> Bool { pending.removeValue(forKey: call) != nil }

    /// Whether the process ends now.
    ///
    /// - Parameter isQuiet: whether no event waits for a delegate or runs in one.
    func ends(isQuiet: Bool) -> Bool { isBackground && calls > 0 && pending.isEmpty && isQuiet }
}
