// Ferry: Ferry
// A logger that may not be Sendable.

/// A logger on its way to the one line that calls it; an app's logger need not be `Sendable`.
struct LoggerBox: @unchecked Sendable {  // SAFETY: `log` is called on the session's serial line alone
    var logger: any Logable
}
