// Ferry: Ferry
// Whoever writes the log.

/// Writes the log of a manager.
public protocol Logable {
    /// Whose log it is.
    var identifier: String { get }
    /// How much is logged.
    var option: LogOption { get set }

    /// Writes an entry; called for one entry at a time on the manager's operation queue, and free to call the manager.
    func log(_ type: LogType)
}
