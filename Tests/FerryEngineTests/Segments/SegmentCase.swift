import FerryCore
import FerryTesting
import Testing

/// One misbehaviour of an origin, and what must come of it with any number of connections.
struct SegmentCase: Sendable, CustomTestStringConvertible {
    /// How many requests come before the first answer goes on behind its first bytes.
    enum Others: Sendable {
        /// One for each connection.
        case all
        /// One more than the first: the others may see no sense in trying.
        case one
        /// None: the first head forbids others.
        case none

        func requests(_ connections: Int) -> Int {
            switch self {
            case .all: connections
            case .one: min(2, connections)
            case .none: 1
            }
        }
    }

    static let size: Int64 = 8 << 20
    static let body = SeededBody(seed: 401, size: size + 12_345)
    /// Another version of the same length.
    static let other = SeededBody(seed: 402, size: size + 12_345)

    let number: String
    let name: String
    let rules: [OriginRule]
    let others: Others
    /// Whether the digest of ``body`` is expected.
    let hasDigest: Bool
    /// The file that must be there.
    let file: SeededBody
    /// Whether the file may be ``body`` as well: it depends on who asks first.
    let mayBeFirst: Bool
    /// The error that may end the transfer where a part came before the misbehaviour; nil if the file must be there.
    let mayFail: ErrorCode?

    init(
        _ number: String, _ name: String, others: Others = .one, digest: Bool = false, file: SeededBody = body,
        mayBeFirst: Bool = false, mayFail: ErrorCode? = nil, _ rules: OriginRule...
    ) {
        self.number = number
        self.name = name
        self.rules = rules
        self.others = others
        hasDigest = digest
        self.file = file
        self.mayBeFirst = mayBeFirst
        self.mayFail = mayFail
    }

    var testDescription: String { "\(number) \(name)" }

    /// The first answer waits behind its first bytes, so that the others come while it lasts.
    var script: OriginScript {
        OriginScript(Self.body, rules: [.on(.unranged, .hold("first", at: .body(Self.firstBytes)))] + rules)
    }

    static let firstBytes: Int64 = 100_000
}

/// The part of a file that a request asks for.
struct AskedPart {
    /// Ends at `Int64.max` where the request names no end.
    let range: Range<Int64>
    /// The value of If-Range.
    let validator: String?

    /// nil for a request without a range.
    init?(_ request: RecordedRequest) {
        guard let value = request.value("Range"), value.hasPrefix("bytes=") else { return nil }
        let ends = value.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int64(ends[0]) else { return nil }
        range = first..<(Int64(ends[1]).map { $0 + 1 } ?? .max)
        validator = request.value("If-Range")
    }
}
