package import FerryCore
package import FerryRules

/// A value with the form that a journal prepared for it.
///
/// Prepared before the transaction, so that no other commit waits for the encoding. A journal without a prepared form
/// stores the value itself.
package struct Prepared<Value: Sendable>: Sendable {
    package let value: Value
    /// The journal's own form of the value.
    package let form: (any Sendable)?

    package init(_ value: Value, form: (any Sendable)? = nil) {
        self.value = value
        self.form = form
    }
}

/// Facts recorded by a run.
package typealias StoredFacts = Prepared<TransferFacts>

/// A transfer's completion.
package typealias StoredEnd = Prepared<TransferEnd>

/// Properties shared by many new transfers.
package typealias BatchTemplate = Prepared<TransferRecord>

/// Per-item values of a batch of similar requests.
package struct BatchRow: Sendable {
    package let id: TransferID
    package let url: String
    package let origin: String
    package let credentials: Credentials?
    package let folder: String
    /// The file's name. Nil uses that of the template.
    package var name: String?
    /// The data of the note. Nil uses that of the template.
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
