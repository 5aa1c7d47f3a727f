// Ferry: FerryCoreTests
// Heads, identities and situations for the tests of the resume rules.

import FerryCore

enum Sample {
    static let origin = Origin(scheme: "http", host: "a.example", port: 80)
    static let otherOrigin = Origin(scheme: "http", host: "b.example", port: 80)
    static let url = "http://a.example/file?key=secret"
    static let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
    static let otherModified = "Sun, 06 Nov 1994 08:49:39 GMT"
    static let served = "Sun, 06 Nov 1994 08:50:00 GMT"
    static let size: Int64 = 10_000_000

    static func head(
        _ status: Int, _ fields: [(String, String)] = [], major: Int = 1, origin: Origin = origin
    ) -> ResponseHead {
        ResponseHead(
            status: status, major: major, fields: fields.map { HeaderField(name: $0.0, value: $0.1) }, url: url,
            origin: origin)
    }

    /// A strong identity of `size` bytes.
    static func tagged(_ etag: String? = #""v1""#, length: Int64? = size) -> ResourceIdentity {
        ResourceIdentity(
            origin: origin, etag: etag, lastModified: modified, date: served, completeLength: length,
            contentType: "application/zip")
    }

    /// An identity whose validator is its date.
    static func dated() -> ResourceIdentity { tagged(nil) }

    /// No validator.
    static func weak() -> ResourceIdentity { tagged(#"W/"v1""#) }
}

extension ResumeDecision {
    /// One line that a table can state.
    var summary: String {
        switch self {
        case .follow(let location): "follow \(location)"
        case .leave: "leave"
        case .hostLimit: "host limit"
        case .unchanged: "unchanged"
        case .retryLater(let error): "retry \(error.word) \(error.errorClass.rawValue)"
        case .start(let body):
            "start \(body.framing) of \(body.completeLength.map(String.init) ?? "?")"
                + (body.restart == nil ? "" : " restart") + (body.isResumable ? "" : " once")
        case .continueAt(let offset, let until, _): "continue \(offset)..<\(until)"
        case .restart(_, let rangesOff): rangesOff ? "G ranges off" : "G"
        case .askOnceMoreFresh: "fresh"
        case .askUnconditionalRange: "U"
        case .alreadyComplete(let length): "complete \(length)"
        case .askOriginalURL: "original"
        case .waitForNetwork: "network"
        case .fail(let error): "fail \(error.word) \(error.errorClass.rawValue)"
        }
    }
}
