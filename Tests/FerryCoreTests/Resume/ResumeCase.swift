// Ferry: FerryCoreTests
// One line of the tables that test the resume rules.

import FerryCore
import Testing

/// One situation and the verdict that it must have.
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

    /// Row and decision, for the first worker or an extra one.
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
