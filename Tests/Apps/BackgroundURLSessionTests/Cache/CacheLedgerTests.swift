import Foundation
import Testing

@testable import FerryURLSession

@Suite struct `The ledger of a cache` {
    private func name(_ resource: String, _ variant: String = "0") -> CacheName {
        CacheName(resource: resource, variant: variant)
    }

    /// Returns a ledger with entries of 10 bytes each, stored in this order.
    private func ledger(_ names: [CacheName], capacity: Int = 1000) -> CacheLedger<String> {
        var ledger = CacheLedger<String>()
        for (number, name) in names.enumerated() {
            let stored = Date(timeIntervalSince1970: Double(number))
            _ = ledger.insert("\(number)", as: name, size: 10, stored: stored, capacity: capacity)
        }
        return ledger
    }

    @Test func `counts what its entries take, each name once`() {
        var ledger = ledger([name("a"), name("b"), name("a"), name("a", "1")])
        #expect(ledger.size == 30)
        let removed = ledger.remove(name("a"))
        #expect(removed?.content == "2" && ledger.size == 20)
        let again = ledger.remove(name("a"))
        #expect(again == nil && ledger.size == 20)
    }

    @Test func `has the newest of several responses first`() {
        let ledger = ledger([name("a", "1"), name("a", "2"), name("b")])
        #expect(ledger.candidates(for: "a").map(\.name.variant) == ["2", "1"])
        #expect(ledger.candidates(for: "c").isEmpty)
    }

    @Test func `removes the least recently used response`() {
        var ledger = ledger((0..<8).map { name("\($0)") })
        ledger.use(name("0"))
        let removed = ledger.insert("new", as: name("8"), size: 10, stored: Date(), capacity: 80)
        // An eighth of the capacity is freed at once.
        #expect(removed?.map(\.name.resource) == ["1", "2"])
        #expect(ledger.size == 70 && ledger.size <= 80)
    }

    @Test func `refuses a response larger than the cache, and keeps its entries`() {
        var ledger = ledger([name("a"), name("b")])
        let removed = ledger.insert("large", as: name("c"), size: 81, stored: Date(), capacity: 80)
        #expect(removed == nil && ledger.size == 20)
    }

    @Test func `is empty after it has shrunk to nothing`() {
        var ledger = ledger([name("a"), name("b")])
        let removed = ledger.shrink(to: 0)
        #expect(removed.count == 2 && ledger.size == 0 && ledger.all.isEmpty)
        let more = ledger.shrink(to: -1)
        #expect(more.isEmpty)
    }

    @Test func `never takes more than its room, whatever comes`() {
        var random = SystemRandomNumberGenerator()
        var ledger = CacheLedger<Int>()
        for number in 0..<5000 {
            let name = name("\(Int.random(in: 0..<50, using: &random))", "\(Int.random(in: 0..<3, using: &random))")
            switch Int.random(in: 0..<10, using: &random) {
            case 0: ledger.remove(name)
            case 1: ledger.use(name)
            default:
                let size = Int.random(in: 0..<300, using: &random)
                _ = ledger.insert(number, as: name, size: size, stored: Date(), capacity: 1000)
            }
            let sum = ledger.all.reduce(0) { $0 + $1.entry.size }
            #expect(ledger.size == sum && sum <= 1000)
        }
    }
}
