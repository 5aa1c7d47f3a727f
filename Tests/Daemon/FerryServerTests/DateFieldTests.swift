import Foundation
import Testing

@testable import FerryServer

@Suite struct `The date of answers` {
    @Test(
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (784_111_777.9, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (784_111_778, "Sun, 06 Nov 1994 08:49:38 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (.infinity, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ] as [(Double, String)])
    func `is that of the moment`(seconds: Double, text: String) {
        #expect(DateField().text(at: Date(timeIntervalSince1970: seconds)) == text)
    }

    @Test func `follows the clock forth and back`() {
        let field = DateField()
        let times: [Double] = [784_111_777, 784_111_777.9, 784_111_778, 0, 784_111_777]
        let told = times.map { field.text(at: Date(timeIntervalSince1970: $0)).suffix(12) }
        #expect(told == ["08:49:37 GMT", "08:49:37 GMT", "08:49:38 GMT", "00:00:00 GMT", "08:49:37 GMT"])
    }
}
