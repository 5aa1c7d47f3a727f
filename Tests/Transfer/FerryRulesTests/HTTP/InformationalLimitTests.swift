import FerryCore
import FerryRules
import Testing

@Suite struct `Informational responses` {
    private func count(of size: Int, body: Int = 0) -> Int {
        var limit = InformationalLimit()
        limit.sent(body)
        for number in 0..<100_000 {
            do { try limit.take(size) } catch { return number }
        }
        return .max
    }

    @Test(arguments: [(30, 32), (2048, 32), (2049, 31), (60_000, 1), (65_536, 1), (65_537, 0), (200_000, 0)])
    func `are limited to 32 heads and 64 KiB`(size: Int, heads: Int) {
        #expect(count(of: size) == heads)
    }

    @Test func `may report the progress of an upload`() {
        #expect(count(of: 100, body: (64 << 10) - 1) == 32)
        #expect(count(of: 100, body: 64 << 10) == 33)
        #expect(count(of: 100, body: 64 << 20) == 32 + 1024)
        #expect(count(of: 60_000, body: 64 << 20) == ((64 << 10) + 1024 * 2048) / 60_000)
        #expect(count(of: 100, body: .max) > 32)
    }
}
