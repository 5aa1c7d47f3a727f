/// What a journal's row says of a transfer's secrets, so that transfers that have some are found without reading all.
package enum JournalSecrets: Int, Sendable {
    case none
    /// It needs them, or an earlier version has stored them.
    case kept
    /// They were given after an end that forgets secrets, to fetch the file again.
    case givenAnew

    /// An end forgets the secrets in the commit that stores it: a transfer that has some afterwards was given them by a change,
    /// unless its row is of a version without revisions.
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
