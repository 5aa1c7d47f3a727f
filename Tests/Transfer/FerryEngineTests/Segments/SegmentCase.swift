import FerryCore
import FerryTesting
import Testing

/// A misbehavior of an origin, and the expected result with any number of connections.
struct SegmentCase: Sendable, CustomTestStringConvertible {
    /// Number of further requests before the first response continues after its first bytes.
    enum Others: Sendable {
        /// One for each connection.
        case all
        /// One: the other workers may find no reason for a request.
        case one
        /// None: the first head rules out further requests.
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
    /// The expected file.
    let file: SeededBody
    /// Whether ``body`` is also accepted, because the result depends on the order of the requests.
    let mayBeFirst: Bool
    /// The accepted error if a part arrived before the misbehavior, or `nil` if the transfer must succeed.
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

    /// The first response is held after its first bytes, so that the other requests arrive meanwhile.
    var script: OriginScript {
        OriginScript(Self.body, rules: [.on(.unranged, .hold("first", at: .body(Self.firstBytes)))] + rules)
    }

    static let firstBytes: Int64 = 100_000
}

/// The range requested of a file.
struct AskedPart {
    /// `Int64.max` is the upper bound of an open-ended request.
    let range: Range<Int64>
    /// The value of If-Range.
    let validator: String?

    /// Returns `nil` for a request without a range.
    init?(_ request: RecordedRequest) {
        guard let value = request.value("Range"), value.hasPrefix("bytes=") else { return nil }
        let ends = value.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int64(ends[0]) else { return nil }
        range = first..<(Int64(ends[1]).map { $0 + 1 } ?? .max)
        validator = request.value("If-Range")
    }
}
