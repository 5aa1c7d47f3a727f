// Ferry: FerryEngine
// The way from the original URL to the final answer.

import FerryCore
import Foundation

/// What changes from one request of a try to the next: redirects lead to other URLs, methods and fields.
struct Course: Sendable {
    var url: HTTPURL
    var method: String
    /// The caller's fields.
    var fields: [HeaderField]
    /// The origin that the fields were given for.
    var home: Origin
    /// Whether the caller's body goes along.
    var sendsBody: Bool
    var chain: RedirectChain
    /// The credentials that default handling of a challenge uses.
    var proposed: Credentials?
    var hasReplacedConnection = false

    /// The way from the request's URL, or from one of its mirrors (docs/behaviour/transfers.md#S11).
    init(
        _ job: TransferJob, original: HTTPURL, source: Int = 0, secrets: (HTTPURL) -> String?
    ) throws(TransferError) {
        let start = source == 0 ? original : try HTTPURL(parsing: job.request.mirrors[source - 1])
        let isForeign = start.origin != original.origin
        url = start.withoutUserinfo
        method = job.request.method
        // What the caller gave is for the origin of its own URL.
        fields = isForeign ? [] : job.request.headers
        home = original.origin
        sendsBody = job.request.body != nil
        chain = RedirectChain(start: start, method: method, secrets: secrets(start))
        proposed = (isForeign ? nil : job.credentials) ?? start.credentials
    }

    /// The caller's fields that go to the URL.
    func given(_ foreign: ForeignFields) -> [HeaderField] {
        RequestFields.forOrigin(url.origin, fields: fields, givenFor: home, foreignFields: foreign)
    }

    /// Goes on to another request.
    mutating func follow(
        _ target: HTTPURL, method newMethod: String, fields newFields: [HeaderField]?, _ foreign: ForeignFields
    ) {
        if target.origin != url.origin { proposed = nil }
        if let own = target.credentials { proposed = own }
        url = target.withoutUserinfo
        if newMethod != method {
            sendsBody = false
            fields = LoadFields.withoutBody(fields)
        }
        method = newMethod
        if let newFields {
            (fields, home) = (newFields, url.origin)
        } else if foreign == .keep, url.origin != home {
            // What was dropped on the way to another origin stays dropped on the way back.
            (fields, home) = (given(foreign), url.origin)
        }
    }
}
