import FerryCore
import FerryRules
import Foundation
import Testing

@Suite struct `Retry delays` {
    @Test(arguments: [
        (1, 0.5, 1.0), (2, 0.5, 2), (3, 0.5, 4), (9, 0.5, 256), (10, 0.5, 300), (11, 0.5, 300), (Int.max, 0.5, 300),
        (0, 0.5, 1), (-5, 0.5, 1), (1, 0, 0.8), (10, 0, 240),
    ])
    func `T2 the delay doubles up to five minutes`(failures: Int, random: Double, seconds: Double) {
        #expect(abs(RetryDelay.seconds(afterFailures: failures, random: random) - seconds) < 1e-9)
    }

    @Test func `T2 the delay is spread by at most a fifth`() {
        for step in 0..<1000 {
            let delay = RetryDelay.seconds(afterFailures: 4, random: Double(step) / 1000)
            #expect((6.4..<9.6).contains(delay))
        }
    }
}

@Suite struct `Retry-After` {
    private let now = Date(timeIntervalSince1970: 784_111_777)  // Sun, 06 Nov 1994 08:49:37 GMT

    @Test(
        arguments: [
            ("120", 120), ("0", 1), ("1", 1), (" 7\t", 7), ("86400", 86_400), ("86401", 86_400),
            ("99999999999999999999999999999999999999", 86_400), (String(repeating: "9", count: 5000), 86_400),
            ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sunday, 06-Nov-94 08:50:37 GMT", 60),
            ("Sun Nov  6 08:50:37 1994", 60),
            ("Sun, 06 Nov 2094 08:49:37 GMT", 86_400),
            ("Sun, 06 Nov 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:49:36 GMT", nil), ("", nil), (" ", nil),
            ("-5", nil), ("+5", nil), ("1.5", nil), ("5 s", nil), ("soon", nil), ("٣", nil), ("0x10", nil),
            ("1e3", nil),
        ] as [(String, Double?)])
    func `T5 seconds and dates are read and nonsense is ignored`(value: String, seconds: Double?) {
        #expect(RetryAfter(parsing: value, now: now)?.seconds == seconds)
    }

    @Test func `T5 up to a tenth is added`() throws {
        let after = try #require(RetryAfter(parsing: "100", now: now))
        #expect(after.delay(random: 0) == 100)
        #expect(abs(after.delay(random: 0.5) - 105) < 1e-9)
    }
}
