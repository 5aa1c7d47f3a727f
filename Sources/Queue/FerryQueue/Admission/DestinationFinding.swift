package import FerryRules

/// The result of checking a destination.
package enum DestinationFinding: Sendable {
    /// Free paths in order of preference. Empty if the response names the file.
    case free([String])
    /// The file exists and is kept.
    case skipped(Outcome.Success)
}
