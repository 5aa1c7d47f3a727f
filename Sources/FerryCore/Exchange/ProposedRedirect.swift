// Ferry: FerryCore
// A redirect that waits for its client's word.

/// A redirect that waits for its client's word.
package struct ProposedRedirect: Hashable, Sendable {
    /// The head of the redirect.
    package var head: ResponseHead
    package var url: String
    package var method: String
    /// The client's fields as they would be sent.
    package var fields: [HeaderField]
    /// Whether the body would be sent again.
    package var keepsBody: Bool

    package init(head: ResponseHead, url: String, method: String, fields: [HeaderField], keepsBody: Bool) {
        self.head = head
        self.url = url
        self.method = method
        self.fields = fields
        self.keepsBody = keepsBody
    }
}

/// What becomes of a redirect.
package enum RedirectAnswer: Hashable, Sendable {
    case follow
    /// Another request is made instead, with these fields of the client's.
    case followOther(url: String, method: String, fields: [HeaderField])
    /// The redirect itself is the result.
    case stay
    /// The transfer ends as canceled.
    case cancel
}
