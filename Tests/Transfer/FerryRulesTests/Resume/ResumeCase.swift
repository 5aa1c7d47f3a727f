import FerryCore
import FerryRules
import Testing

/// A situation and its expected verdict.
struct ResumeCase: Sendable, CustomTestStringConvertible {
    enum Disk: Sendable { case empty, strong, dated, digest, digestWeak, weak }
    enum Ask: Sendable { case g, c, r, rDate, u, segment }

    let what: String
    let situation: ResumeSituation
    let expected: String

    var testDescription: String { what }

    init(
        _ what: String, _ disk: Disk, _ ask: Ask, _ head: ResponseHead, _ expected: String,
        _ change: (inout ResumeSituation) -> Void = { _ in }
    ) {
        let asked: Asked =
            switch ask {
            case .g: .whole
            case .c: .conditional
            case .r: .range(from: 5_000_000, to: nil, ifRange: .etag(#""v1""#))
            case .rDate: .range(from: 5_000_000, to: nil, ifRange: .date(Sample.modified))
            case .u: .range(from: 5_000_000, to: nil, ifRange: nil)
            case .segment: .range(from: 5_000_000, to: 5_999_999, ifRange: .etag(#""v1""#))
            }
        var situation = ResumeSituation(asked: asked, response: .success(head))
        if disk != .empty { situation.ranges = ByteRangeSet(0..<5_000_000) }
        situation.hasExpectedDigest = disk == .digest || disk == .digestWeak
        situation.identity =
            switch disk {
            case .empty: nil
            case .strong, .digest: Sample.tagged()
            case .dated: Sample.dated()
            case .digestWeak, .weak: Sample.weak()
            }
        change(&situation)
        self.what = what
        self.situation = situation
        self.expected = expected
    }

    /// Returns the row and the decision, for the first worker or an extra one.
    func verdict(extra isExtraWorker: Bool = false) -> (row: Int, decision: String) {
        var situation = situation
        situation.isExtraWorker = isExtraWorker
        let verdict = ResumeTable.decide(situation)
        return (verdict.row, verdict.decision.summary)
    }
}

extension ResumeCase {
    static let tag = ("ETag", #""v1""#)
    static let lastModified = ("Last-Modified", Sample.modified)
    static let rest = ("Content-Range", "bytes 5000000-9999999/10000000")
    static let whole = ("Content-Length", "10000000")

    static func part(_ fields: (String, String)..., origin: Origin = Sample.origin) -> ResponseHead {
        Sample.head(206, fields, origin: origin)
    }

    static func ok(_ fields: (String, String)..., major: Int = 1, origin: Origin = Sample.origin) -> ResponseHead {
        Sample.head(200, fields, major: major, origin: origin)
    }

    static func status(_ status: Int, _ fields: (String, String)...) -> ResponseHead { Sample.head(status, fields) }
}

/// Sample heads, identities and situations for the resume rules.
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

    /// Returns a strong identity of `size` bytes.
    static func tagged(_ etag: String? = #""v1""#, length: Int64? = size) -> ResourceIdentity {
        ResourceIdentity(
            origin: origin, etag: etag, lastModified: modified, date: served, completeLength: length,
            contentType: "application/zip")
    }

    /// Returns an identity with its date as the validator.
    static func dated() -> ResourceIdentity { tagged(nil) }

    /// Returns an identity without a usable validator.
    static func weak() -> ResourceIdentity { tagged(#"W/"v1""#) }
}

extension ResumeDecision {
    /// One line, for use in a table.
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
