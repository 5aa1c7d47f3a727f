// Ferry: FerryURLSession
// Whoever handles the events of a background session.

/// Handles the events of a background session that is no `URLSession` of this process.
package protocol EventHandling: AnyObject, Sendable {
    /// The app was called to handle events: its completion handler is due when they are over.
    func calledToHandleEvents()

    /// Returns once no event waits for a callback or runs in one, and the daemon knows of them.
    func waitUntilQuiet() async
}
