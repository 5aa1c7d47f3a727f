import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Acceptable statuses` {
    private let body = SeededBody(seed: 97, size: 300_000)

    private func strict(_ request: inout TransferRequest) {
        request.response.acceptableStatuses = .success
        request.file.name = "file.bin"
        request.file.onConflict = .replace
    }

    @Test(arguments: [304, 400, 401, 403, 404, 410, 416, 425, 451, 505])
    func `S7 another status fails at once, with its head to be seen and its body nowhere`(status: Int) async throws {
        try await withEngine(OriginScript(body, always: .status(status, body: "sorry"))) { harness, origin in
            try harness.put("file.bin")
            let history = await harness.transfer(harness.request(origin.url("/a"), strict))
            #expect(history.failure?.details.httpStatus == status, "\(history.errors)")
            #expect(history.facts.response?.status == status)
            #expect(history.facts.response?.url == origin.url("/a"))
            #expect(history.facts.response?.fields.contains { $0.isNamed("Date") } == true)
            #expect(history.reports.count == 1)
            #expect(harness.text("file.bin") == "old")
            #expect(harness.contents == ["file.bin"])
        }
    }

    @Test(arguments: [408, 429, 500, 502, 503, 504])
    func `S10 a busy server is asked five times more`(status: Int) async throws {
        try await withEngine(OriginScript(body, always: .status(status))) { harness, origin in
            let request = harness.request(origin.url()) {
                strict(&$0)
                $0.timing.statusRetries = 5
            }
            let history = await harness.transfer(request)
            #expect(history.failure?.code == .serverBusy)
            #expect(origin.requests.count == 6)
            #expect(history.facts.response?.status == status)
            #expect(harness.contents == [])
        }
    }

    @Test(arguments: [403, 404])
    func `S7 S11 a refusal midway keeps the bytes, and the next attempt resumes from them`(status: Int) async throws {
        let script = OriginScript(body, .on(.request(1), .cut(after: 150_000)), .on(.request(2), .status(status)))
        try await withEngine(script) { harness, origin in
            let request = harness.request(origin.url(), strict)
            let first = await harness.transfer(request)
            #expect(first.failure?.details.httpStatus == status)
            #expect(first.facts.response?.status == status)
            #expect(first.facts.ranges == ByteRangeSet(0..<150_000))
            let second = await harness.transfer(request, from: first.facts)
            try harness.expectFile(second, body)
            #expect(second.facts.response?.status == 206)
            #expect(origin.requests.map { $0.value("Range") } == [nil, "bytes=150000-", "bytes=150000-"])
        }
    }

    @Test func `S7 a status of the caller's range is the result, and a success outside of it is none`() async throws {
        try await withEngine(OriginScript(body, .on(.path("/gone"), .status(404, body: "gone")))) { harness, origin in
            let odd = { (request: inout TransferRequest) in
                request.response.acceptableStatuses = StatusRange(lower: 404, upper: 405)
                request.file.name = "page"
            }
            let page = await harness.transfer(harness.request(origin.url("/gone"), odd))
            #expect(page.success?.size == 4, "\(page.errors)")
            #expect(harness.text("page") == "gone")
            let whole = await harness.transfer(harness.request(origin.url("/there"), odd))
            #expect(whole.failure?.details.httpStatus == 200)
            #expect(harness.contents == ["page"])
        }
    }
}
