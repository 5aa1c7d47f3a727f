@testable import Ferry
import Foundation
import Testing

@Suite struct `Numbers as text` {
    @Test(
        arguments: [
            (0, "0 B/s"), (-5, "0 B/s"), (999, "999 B/s"), (1000, "1.0 KB/s"), (1_500_000, "1.5 MB/s"),
            (999_949, "999.9 KB/s"), (999_950, "1.0 MB/s"), (2_340_000_000, "2.3 GB/s"),
            (Int64.max, "9223372.0 TB/s"),
        ] as [(Int64, String)])
    func `a speed has the unit that suits it`(bytes: Int64, text: String) {
        #expect(SpeedText.text(bytes) == text)
    }

    @Test(
        arguments: [
            (0, "00:00"), (-1, "00:00"), (9, "00:09"), (61, "01:01"), (3599, "59:59"), (3600, "1:00:00"),
            (36_061, "10:01:01"),
        ] as [(Int64, String)])
    func `a time has hours once there is one`(seconds: Int64, text: String) {
        #expect(TimeText.text(seconds) == text)
    }

    @Test(
        arguments: [
            (0, 0, ""), (-1, 0, ""), (.infinity, 0, ""), (.nan, 0, ""), (1, 0, "1970-01-01 00:00:01"),
            (1_709_210_096, 0, "2024-02-29 12:34:56"), (1_709_210_096, 3600, "2024-02-29 13:34:56"),
        ] as [(Double, Int, String)])
    func `a date is that of the time zone`(seconds: Double, offset: Int, text: String) throws {
        let zone = try #require(TimeZone(secondsFromGMT: offset))
        #expect(DateText.text(seconds, timeZone: zone) == text)
    }
}
