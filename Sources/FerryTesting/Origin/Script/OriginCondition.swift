// Ferry: FerryTesting
// When a rule of the origin's script applies.

/// When a rule applies.
package indirect enum OriginCondition: Sendable {
    case always
    /// Requests by their number since the script was set, from 1.
    case requestNumbers(Range<Int>)
    /// Requests by their number among those for the same path since the script was set, from 1.
    case pathRequestNumbers(Range<Int>)
    /// Connections by their number since the origin started, from 1.
    case connectionNumbers(Range<Int>)
    /// This path without its query; with a `*` at the end every path that begins so.
    case path(String)
    /// Requests with a Range field.
    case ranged
    /// Requests with a field of that name.
    case has(String)
    /// Every `of`-th request: the first has the index 0.
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
        case .turn(let index, let count): (exchange.number - 1) % count == index
        case .both(let first, let second): first.matches(exchange) && second.matches(exchange)
        case .not(let condition): !condition.matches(exchange)
        }
    }
}
