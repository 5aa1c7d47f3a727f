// Ferry: FerryTesting
// What the origin serves and how it misbehaves, as data.

/// What the origin serves, and the rules by which it misbehaves.
///
/// ```swift
/// let script = OriginScript(
///     SeededBody(seed: 7, size: 1_000_000),
///     .on(.request(1), .cut(after: 500_000)),
///     .on(.ranged, .rangeFromZero))
/// ```
/// Without rules the origin is a good one: Content-Length, strong ETag, Last-Modified, Date, Accept-Ranges, and right
/// answers to Range, If-Range, If-None-Match and If-Modified-Since.
package struct OriginScript: Sendable {
    /// What every path serves that `files` does not name.
    package var body: SeededBody
    /// What single paths serve.
    package var files: [String: SeededBody] = [:]
    /// All rules that match a request apply, in this order.
    package var rules: [OriginRule]

    package init(_ body: SeededBody = SeededBody(seed: 1, size: 300_000), rules: [OriginRule]) {
        self.body = body
        self.rules = rules
    }

    package init(_ body: SeededBody = SeededBody(seed: 1, size: 300_000), _ rules: OriginRule...) {
        self.init(body, rules: rules)
    }

    /// A script whose modes apply to every request.
    package init(
        _ body: SeededBody = SeededBody(seed: 1, size: 300_000), always first: OriginMode, _ others: OriginMode...
    ) {
        self.init(body, rules: [OriginRule(condition: .always, modes: [first] + others)])
    }

    package func body(at path: String) -> SeededBody { files[path] ?? body }

    /// The modes that apply to one exchange.
    package func modes(for exchange: OriginExchange) -> [OriginMode] {
        rules.filter { $0.condition.matches(exchange) }.flatMap(\.modes)
    }
}
