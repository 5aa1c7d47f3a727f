import FerryCore
import Foundation
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
}

@Suite struct `Batches` {
    @Test func `of whole requests share the templates of neighbours`() {
        func request(_ url: String, _ change: (inout TransferRequest) -> Void = { _ in }) -> TransferRequest {
            var request = TransferRequest(url: url, folder: "/f")
            change(&request)
            return request
        }
        let file = PartialSource(
            path: "/p", offset: 1, etag: "\"e\"", lastModified: nil, date: nil, completeLength: nil)
        let batch = TransferBatch([
            request("a") { $0.file.name = "one" }, request("b"), request("c") { $0.file.folder = "/g" }, request("d"),
            request("e") { $0.file.continues = file }, request("f") { $0.file.continues = file },
        ])
        #expect(batch.items.each.map(\.template) == [0, 0, 1, 2, 3, 4])
        #expect(batch.items.each.map(\.url) == ["a", "b", "c", "d", "e", "f"])
        #expect(batch.items.each.map(\.name) == ["one", nil, nil, nil, nil, nil])
        #expect(batch.templates.map(\.file.folder) == ["/f", "/g", "/f", "/f", "/f"])
        #expect(batch.templates.map(\.file.continues) == [nil, nil, nil, file, file])
    }

    @Test func `keep the data of each note`() {
        var one = TransferRequest(url: "a", folder: "/f")
        one.note = ClientNote(application: "a", identifier: "i", task: 1, kind: .download, data: "1")
        var other = one
        other.note?.data = "2"
        let batch = TransferBatch([one, other])
        #expect(batch.templates.count == 1 && batch.items.each.map(\.data) == ["1", "2"])
    }

    @Test func `of lines have an item for each`() {
        let batch = TransferBatch(template: TransferRequest(url: "", folder: "/f"), urls: URLLines(["a", "b"]))
        #expect(batch.items.each == ["a", "b"].map { TransferBatch.Item(template: 0, url: $0) })
    }

    @Test func `are answered with runs`() {
        let error = ServiceError(.invalidURL, "It is none.")
        var report = TransferBatch.Report()
        report.accept(first: TransferID(rawValue: 5), count: 2)
        report.accept(first: TransferID(rawValue: 7), count: 1)
        report.refuse(error)
        report.refuse(error, count: 3)
        report.refuse(ServiceError(.unsupportedScheme, "It is another."))
        report.accept(first: TransferID(rawValue: 8), count: 1)
        #expect(report.runs.map(\.count) == [3, 4, 1, 1] && report.count == 9)
        #expect(report.ids == [5, 6, 7, 8].map(TransferID.init))
        #expect(report.runs.map(\.error?.code) == [nil, .invalidURL, .unsupportedScheme, nil])
    }

    @Test func `answer each item where that is wanted`() {
        let error = ServiceError(.invalidURL, "It is none.")
        let results = [
            TransferBatch.Result(id: TransferID(rawValue: 5)), TransferBatch.Result(error: error),
            TransferBatch.Result(error: error), TransferBatch.Result(id: TransferID(rawValue: 6)),
        ]
        let report = TransferBatch.Report(results, lastEvent: 3)
        #expect(report.runs.map(\.count) == [1, 2, 1] && report.results == results && report.count == 4)
    }

    @Test(arguments: ["-1", "67108865", "9223372036854775807"])
    func `refuse a report that claims more items than a request has room for`(count: String) {
        let claim = #"{"last_event":1,"runs":[{"count":\#(count),"first":"0000000000000001"},{"count":9}]}"#
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(TransferBatch.Report.self, from: Data(claim.utf8))
        }
    }
}
