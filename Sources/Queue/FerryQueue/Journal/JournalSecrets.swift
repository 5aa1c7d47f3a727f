package import FerryRules

/// Marks rows whose transfers have secrets, so that they are found without reading all rows.
package enum JournalSecrets: Int, Sendable {
    case none
    /// Secrets are in use.
    case kept
    /// Secrets were given again after completion, to fetch the file anew.
    case givenAnew

    /// A completion that forgets secrets does so in its own commit. A finished transfer with secrets was therefore
    /// given them by a later change, unless its row is new.
    package init(_ record: TransferRecord) {
        if !record.hasSecrets {
            self = .none
        } else if record.outcome?.forgetsSecrets == true, record.revision.number > 0 {
            self = .givenAnew
        } else {
            self = .kept
        }
    }
}
