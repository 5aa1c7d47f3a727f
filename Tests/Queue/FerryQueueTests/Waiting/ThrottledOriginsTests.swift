import FerryCore
import FerryQueue
import Testing

@Suite struct `Held origins` {
    private let now = ContinuousClock.now
    private let one = TransferID(rawValue: 1)
    private let two = TransferID(rawValue: 2)

    private func held(_ claims: (String, Double, TransferID)...) -> ThrottledOrigins {
        var held = ThrottledOrigins()
        for (origin, seconds, id) in claims { held.hold(origin, until: now + .seconds(seconds), by: id) }
        return held
    }

    @Test func `an origin is held until the last time that its answers name`() {
        var held = held(("a", 10, one), ("a", 20, two), ("a", 5, two), ("b", 1, one))
        #expect(held.origins == ["a", "b"])
        #expect(held.end(of: "a") == now + .seconds(20) && held.end(of: "c") == nil)
        held.expire("a", at: now + .seconds(10))
        #expect(held.contains("a"))
        held.expire("a", at: now + .seconds(20))
        #expect(!held.contains("a") && held.contains("b"))
        held.expire("c", at: now)
        #expect(held.origins == ["b"])
    }

    @Test func `it is throttled only while a transfer exists that received the response`() {
        var held = held(("a", 10, one), ("a", 20, two), ("b", 10, one))
        #expect(held.release(by: one) == ["b"])
        #expect(held.origins == ["a"] && held.end(of: "a") == now + .seconds(20))
        #expect(held.release(by: one) == [])
        #expect(held.release(by: two) == ["a"])
        #expect(held.isEmpty)
    }

    @Test func `the user lifts it for all`() {
        var held = held(("a", 10, one), ("a", 20, two), ("b", 10, one))
        let lifted = [held.release("a"), held.release("a")]
        #expect(lifted == [true, false])
        #expect(held.origins == ["b"])
    }
}
