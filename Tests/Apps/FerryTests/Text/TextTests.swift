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

    @Test func `numbers, texts and lists have the forms that code for Tiercel calls`() {
        #expect(Int64(1_500_000).tr.convertSpeedToString() == "1.5 MB/s")
        #expect(Int64(3600).tr.convertTimeToString() == "1:00:00")
        #expect(Int64(1_500_000).tr.convertBytesToString() == "1.5 MB")
        #expect(0.0.tr.convertTimeToDateString() == "" && 1.5.tr.convertTimeToDateString().count == 19)
        #expect("abc".tr.md5 == "900150983cd24fb0d6963f7d28e17f72")
        #expect("abc".tr.sha1 == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect("abc".tr.sha256.hasPrefix("ba7816bf") && "abc".tr.sha512.hasPrefix("ddaf35a1"))
        #expect(FileManager.default.tr.freeDiskSpaceInBytes > 0)
        #expect([1, 2].safeObject(at: 1) == 2 && [1].safeObject(at: 1) == nil && [1].safeObject(at: -1) == nil)
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
