// Ferry: FerryCore
// What a client keeps with its transfer.

/// What a client keeps with its transfer: whose it is, and what the client needs to know it again.
package struct ClientNote: Hashable, Codable, Sendable {
    package enum Kind: String, CaseIterable, Codable, Sendable { case download, upload, data }

    /// The app, as it is identified to the user.
    package var application: String
    /// The session's identifier within the app.
    package var identifier: String
    /// The task's number within the session.
    package var task: Int
    package var kind: Kind
    /// The client's own, at most 1 MiB; nobody else reads it.
    package var data: String

    package init(application: String, identifier: String, task: Int, kind: Kind, data: String) {
        self.application = application
        self.identifier = identifier
        self.task = task
        self.kind = kind
        self.data = data
    }
}
