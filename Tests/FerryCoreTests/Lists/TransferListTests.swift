// Ferry: FerryCoreTests
// Lists of URLs, and what became of them.

import FerryCore
import Testing

@Suite struct `Lists of URLs` {
    @Test(
        arguments: [
            ("", []), ("\n\r\n\n", []), ("a", ["a"]), ("a\n", ["a"]), ("a\r\nb\n\nc\r", ["a", "b", "c"]),
            ("\na b\n", ["a b"]),
        ] as [(String, [String])])
    func `have a URL a line`(text: String, lines: [String]) {
        for prefix in ["", "first\n"] {
            var found: [String] = []
            URLLines(Array((prefix + text).utf8), from: prefix.utf8.count).forEach { line in
                found.append(String(decoding: line, as: UTF8.self))
            }
            #expect(found == lines)
        }
    }

    @Test func `are written with a line feed each`() {
        #expect(URLLines(["a", "b"]).text.elementsEqual("a\nb\n".utf8))
        #expect(URLLines([UInt8]("a\n".utf8), from: 9).text.isEmpty)
    }

    @Test func `are answered with runs`() {
        let error = TransferError(.invalidURL, "It is none.")
        var report = TransferList.Report()
        report.accept(first: TransferID(rawValue: 5), count: 2)
        report.accept(first: TransferID(rawValue: 7), count: 1)
        report.refuse(error)
        report.refuse(error, count: 3)
        report.refuse(TransferError(.unsupportedScheme, "It is another."))
        report.accept(first: TransferID(rawValue: 8), count: 1)
        #expect(report.runs.map(\.count) == [3, 4, 1, 1] && report.count == 9)
        #expect(report.ids == [5, 6, 7, 8].map(TransferID.init))
        #expect(report.runs.map(\.error?.code) == [nil, .invalidURL, .unsupportedScheme, nil])
    }
}
