/// The content that the origin serves, and the rules of its misbehavior.
///
/// ```swift
/// let script = OriginScript(
///     SeededBody(seed: 7, size: 1_000_000),
///     .on(.request(1), .cut(after: 500_000)),
///     .on(.ranged, .rangeFromZero))
/// ```
/// Without rules the origin behaves correctly: it sends Content-Length, a strong ETag, Last-Modified, Date and
/// Accept-Ranges, and handles Range, If-Range, If-None-Match and If-Modified-Since.
package struct OriginScript: Sendable {
    /// The body of every path that is not in `files`.
    package var body: SeededBody
    /// Bodies by path.
    package var files: [String: SeededBody] = [:]
    /// The rules. All that match a request apply, in this order.
    package var rules: [OriginRule]

    package init(_ body: SeededBody = SeededBody(seed: 1, size: 300_000), rules: [OriginRule]) {
        self.body = body
        self.rules = rules
    }

    package init(_ body: SeededBody = SeededBody(seed: 1, size: 300_000), _ rules: OriginRule...) {
        self.init(body, rules: rules)
    }

    /// Creates a script with modes that apply to every request.
    package init(
        _ body: SeededBody = SeededBody(seed: 1, size: 300_000), always first: OriginMode, _ others: OriginMode...
    ) {
        self.init(body, rules: [OriginRule(condition: .always, modes: [first] + others)])
    }

    package func body(at path: String) -> SeededBody { files[path] ?? body }

    /// Returns the modes that apply to one exchange.
    package func modes(for exchange: OriginExchange) -> [OriginMode] {
        rules.filter { $0.condition.matches(exchange) }.flatMap(\.modes)
    }
}

/// Modes for the requests that match a condition.
package struct OriginRule: Sendable {
    package var condition: OriginCondition
    package var modes: [OriginMode]

    package init(condition: OriginCondition, modes: [OriginMode]) {
        self.condition = condition
        self.modes = modes
    }

    package static func on(_ condition: OriginCondition, _ modes: OriginMode...) -> OriginRule {
        OriginRule(condition: condition, modes: modes)
    }

    package static func always(_ modes: OriginMode...) -> OriginRule {
        OriginRule(condition: .always, modes: modes)
    }
}

extension [OriginRule] {
    /// Redirects from each path to the next. The last one is served.
    package static func redirects(through paths: String..., status: Int = 302) -> [OriginRule] {
        zip(paths, paths.dropFirst()).map { .on(.path($0), .redirect(to: $1, status: status)) }
    }

    /// `hops` redirects: from `/hop/<hops>` down to `/hop/1`, which redirects to the target.
    package static func redirects(hops: Int, to target: String = "/file.bin") -> [OriginRule] {
        (1...hops).map { hop in
            .on(.path("/hop/\(hop)"), .redirect(to: hop == 1 ? target : "/hop/\(hop - 1)"))
        }
    }
}

/// The condition of a rule.
package indirect enum OriginCondition: Sendable {
    case always
    /// Requests by number since the script was set, from 1.
    case requestNumbers(Range<Int>)
    /// Requests by number among those for the same path since the script was set, from 1.
    case pathRequestNumbers(Range<Int>)
    /// Connections by number since the origin started, from 1.
    case connectionNumbers(Range<Int>)
    /// Requests for this path, ignoring the query. A `*` at the end matches every path with this prefix.
    case path(String)
    /// Requests with a Range field.
    case ranged
    /// Requests with a field of this name.
    case has(String)
    case method(String)
    /// Every `of`-th request, starting at this index. The first request has index 0.
    case turn(Int, of: Int)
    case both(OriginCondition, OriginCondition)
    case not(OriginCondition)

    package static var unranged: OriginCondition { .not(.ranged) }
    package static func request(_ number: Int) -> OriginCondition { .requestNumbers(number..<number + 1) }
    package static func requests(_ numbers: some RangeExpression<Int>) -> OriginCondition {
        .requestNumbers(numbers.relative(to: 1..<Int.max))
    }
    package static func pathRequests(_ numbers: some RangeExpression<Int>) -> OriginCondition {
        .pathRequestNumbers(numbers.relative(to: 1..<Int.max))
    }
    package static func connection(_ number: Int) -> OriginCondition { .connectionNumbers(number..<number + 1) }
    package static func connections(_ numbers: some RangeExpression<Int>) -> OriginCondition {
        .connectionNumbers(numbers.relative(to: 1..<Int.max))
    }
    package func and(_ other: OriginCondition) -> OriginCondition { .both(self, other) }

    package func matches(_ exchange: OriginExchange) -> Bool {
        switch self {
        case .always: true
        case .requestNumbers(let numbers): numbers.contains(exchange.number)
        case .pathRequestNumbers(let numbers): numbers.contains(exchange.pathNumber)
        case .connectionNumbers(let numbers): numbers.contains(exchange.request.connection)
        case .path(let path) where path.hasSuffix("*"): exchange.request.path.hasPrefix(path.dropLast())
        case .path(let path): exchange.request.path == path
        case .ranged: exchange.request.value("Range") != nil
        case .has(let name): exchange.request.value(name) != nil
        case .method(let method): exchange.request.method == method
        case .turn(let index, let count): (exchange.number - 1) % count == index
        case .both(let first, let second): first.matches(exchange) && second.matches(exchange)
        case .not(let condition): !condition.matches(exchange)
        }
    }
}

/// A request with the origin's counts of earlier ones.
package struct OriginExchange: Sendable {
    package var request: RecordedRequest
    /// 1 for the first request since the script was set.
    package var number: Int
    /// 1 for the first request for this path since the script was set.
    package var pathNumber: Int
    /// Number of responses in progress, including this one.
    package var activeResponses: Int
    /// Current time in seconds since 1970.
    package var now: Int64

    package init(request: RecordedRequest, number: Int, pathNumber: Int, activeResponses: Int, now: Int64) {
        self.request = request
        self.number = number
        self.pathNumber = pathNumber
        self.activeResponses = activeResponses
        self.now = now
    }
}
