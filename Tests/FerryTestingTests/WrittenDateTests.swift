import FerryCore
import FerryTesting
import Foundation
import Testing

@Suite struct `Dates that the origin writes` {
    @Test(
        arguments: [
            (784_111_777.9, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (-0.5, "Wed, 31 Dec 1969 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (1e300, "Fri, 31 Dec 9999 23:59:59 GMT"), (-1e300, "Sat, 01 Jan 0000 00:00:00 GMT"),
        ] as [(Double, String)])
    func `dates are written in the preferred form`(seconds: Double, text: String) {
        #expect(HTTPDate.format(Date(timeIntervalSince1970: seconds)) == text)
    }

    @Test func `what is written is read back, day by day`() {
        for day in stride(from: -200_000, through: 800_000, by: 97) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 3_723)
            #expect(HTTPDate.parse(HTTPDate.format(date)) == date)
        }
    }
}
