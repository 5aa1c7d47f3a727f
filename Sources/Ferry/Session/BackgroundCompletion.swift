// Ferry: Ferry
// The completion handler of the app's delegate.

/// The completion handler that the app's delegate was given for a session's events: called once, when they are over.
struct BackgroundCompletion {
    var handler: (@Sendable () -> Void)?
    /// Whether the app was called to handle events and they are not over.
    var isCalled = false
    /// Whether it is waited for their end.
    var isUnderWay = false
    /// Whether they are over and no handler was there.
    var isDue = false
}
