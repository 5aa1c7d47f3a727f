// Ferry: FerryEngineTests
// Several limits of one transfer.

import FerryCore
import Testing

@testable import FerryEngine

@Suite struct `Several rate limits` {
    /// A million bytes take long enough that the second that may have gathered meanwhile makes no difference.
    @Test(
        arguments: [
            ([], 0), ([0], 0), ([1000], 1000), ([1000, 1000], 1000), ([1000, 0, 1000], 1000), ([2000, 500], 2000),
            ([500, 2000, 1000], 2000),
        ] as [([Int64], Double)])
    func `are waited for at the same time, not one after the other`(rates: [Int64], seconds: Double) {
        let gate = RateGate(rates.map { RateLimiter(rate: $0) }, priority: .normal)
        let wait = Double(gate.reserve(1_000_000)) / 1e9
        #expect(wait <= seconds && wait >= seconds - 1)
    }

    @Test(arguments: [([], true), ([0, 0], true), ([0, 5], false)] as [([Int64], Bool)])
    func `are open where there is none`(rates: [Int64], isOpen: Bool) {
        #expect(RateGate(rates.map { RateLimiter(rate: $0) }, priority: .normal).isOpen == isOpen)
    }
}
