/// A value on its way into a journal, and what that journal has made of it.
///
/// Made before the transaction, so that no other commit waits while a value is written as text. A journal that has made nothing of it
/// stores the value itself.
package struct Prepared<Value: Sendable>: Sendable {
    package let value: Value
    /// The journal's own form of it.
    package let form: (any Sendable)?

    package init(_ value: Value, form: (any Sendable)? = nil) {
        self.value = value
        self.form = form
    }
}

/// What a run has found out about its transfer.
package typealias StoredFacts = Prepared<TransferFacts>

/// The end of a transfer.
package typealias StoredEnd = Prepared<TransferEnd>

/// What many new transfers have in common.
package typealias BatchTemplate = Prepared<TransferRecord>

/// The end of a transfer, and what its event shows.
package struct TransferEnd: Sendable {
    /// The transfer with its outcome.
    package let record: TransferRecord
    /// The transfer as its event shows it for ever.
    package let snapshot: Transfer

    package init(_ record: TransferRecord, snapshot: Transfer) {
        self.record = record
        self.snapshot = snapshot
    }
}

/// What is a transfer's own among many that are alike.
package struct BatchRow: Sendable {
    package let id: TransferID
    package let url: String
    package let origin: String
    package let credentials: Credentials?
    package let folder: String
    /// The file's name; nil keeps that of the template, mostly none.
    package var name: String?
    /// The data of the note; nil keeps that of the template.
    package let data: String?

    package init(
        id: TransferID, url: String, origin: String, credentials: Credentials?, folder: String, name: String?,
        data: String?
    ) {
        self.id = id
        self.url = url
        self.origin = origin
        self.credentials = credentials
        self.folder = folder
        self.name = name
        self.data = data
    }
}
