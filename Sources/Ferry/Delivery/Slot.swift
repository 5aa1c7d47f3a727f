// Ferry: Ferry
// A closure that was registered for a kind of callback.

/// A closure that was registered for a kind of callback; registering another takes its place.
struct Slot<Value>: Sendable {
    let line: DeliveryLine
    let call: Handler<Value>
    /// Told from the closures before and after it in the same place.
    let number: Int
}
