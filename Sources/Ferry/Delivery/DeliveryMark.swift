// Ferry: Ferry
// A place in a line of closures.

/// A place in a line: reached once the closure there, and all before it, have returned.
struct DeliveryMark: Hashable, Sendable {
    let line: DeliveryLine
    let number: Int
}
