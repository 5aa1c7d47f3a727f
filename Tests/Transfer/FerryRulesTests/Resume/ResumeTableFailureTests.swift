import FerryCore
import FerryRules
import Testing

private typealias Row = ResumeCase

/// docs/behaviour/transfers.md#the-table-of-answers
@Suite struct `Resume table, rows 28 to 38` {
    @Test(arguments: [400, 401, 403, 404, 410])
    func `R12 row 28 a final URL that has expired`(status: Int) {
        #expect(Row("", .strong, .r, Row.status(status), "") { $0.reusedFinalURL = true }.verdict() == (28, "original"))
        let row = Row("", .strong, .segment, Row.status(status), "") {
            $0.reusedFinalURL = true
            $0.anotherWorkerReceives = true
        }
        #expect(row.verdict(extra: true) == (28, "original"))
    }

    @Test(arguments: [401, 403, 410])
    func `R12 row 29 an expired URL keeps the bytes`(status: Int) {
        for disk in [Row.Disk.strong, .digest, .weak] {
            #expect(Row("", disk, .g, Row.status(status), "").verdict() == (29, "retry url_expired doubtful"))
        }
    }

    @Test func `R12 row 30 credentials are wanted`() {
        #expect(Row("", .empty, .g, Row.status(401), "").verdict() == (30, "fail auth_required final"))
    }

    @Test(arguments: [
        Row("404", .empty, .g, Row.status(404), "fail not_found final"),
        Row("410", .empty, .g, Row.status(410), "fail not_found final"),
        Row("bytes", .strong, .r, Row.status(404), "retry not_found doubtful"),
    ])
    private func `R12 row 31 not found`(row: Row) {
        #expect(row.verdict() == (31, row.expected))
    }

    @Test(arguments: [
        Row("32", .empty, .g, Row.status(407), "fail proxy_auth_required final"),
        Row("34", .strong, .r, Row.status(500), "retry server_busy doubtful"),
        Row("35", .strong, .r, Row.status(421), "fresh"),
        Row("35", .strong, .r, Row.status(421), "fail http_status final") { $0.usedFreshConnection = true },
        Row("36", .strong, .r, Row.status(511), "network"),
    ])
    private func `R12 row 32 34 35 36 statuses with a row of their own`(row: Row) {
        #expect(row.verdict() == (Int(row.what) ?? -1, row.expected))
    }

    @Test(arguments: [401, 403, 404, 410, 425, 451, 520])
    func `S7 where the caller said which statuses are results, others fail at once`(status: Int) {
        for disk in [Row.Disk.strong, .digest, .weak] {
            let row = Row("", disk, .r, Row.status(status), "") { $0.acceptableStatuses = .success }
            #expect(row.verdict().decision.hasPrefix("fail "), "\(row.verdict())")
        }
    }

    @Test(arguments: [408, 429, 500, 502, 503, 504])
    func `S10 where the caller said which statuses are results, a busy server is asked again`(status: Int) {
        let row = Row("", .strong, .r, Row.status(status), "") { $0.acceptableStatuses = .success }
        #expect(row.verdict().decision.hasPrefix("retry server_busy"))
    }

    @Test(arguments: [(404, "start"), (500, "start"), (403, "fail http_status final")])
    func `S7 a status that the caller takes is the result`(status: Int, expected: String) {
        let row = Row("", .empty, .g, Row.status(status), "") {
            $0.acceptableStatuses =
                status == 403 ? StatusRange(lower: 404, upper: 405) : StatusRange(lower: 200, upper: 600)
        }
        #expect(row.verdict().decision.hasPrefix(expected), "\(row.verdict())")
    }

    @Test(arguments: [408, 425, 429, 502, 503, 504, 520, 521, 522, 523, 524])
    func `R12 row 33 a busy server is asked again`(status: Int) {
        #expect(Row("", .strong, .r, Row.status(status), "").verdict() == (33, "retry server_busy patient"))
        #expect(Row("", .empty, .g, Row.status(status), "").verdict() == (33, "retry server_busy patient"))
    }

    @Test(arguments: [
        Row("304", .empty, .g, Row.status(304), ""), Row("300", .empty, .g, Row.status(300, ("Location", "/x")), ""),
        Row("305", .strong, .r, Row.status(305), ""), Row("306", .strong, .r, Row.status(306), ""),
        Row("no Location", .empty, .g, Row.status(302), ""),
        Row("empty Location", .empty, .g, Row.status(302, ("Location", "")), ""),
        Row("two Locations", .empty, .g, Row.status(302, ("Location", "/a"), ("Location", "/b")), ""),
        Row("bad Location", .empty, .g, Row.status(302, ("Location", "file:///x")), "") { $0.locationIsGood = false },
    ])
    private func `R12 row 37 a redirect that cannot be followed`(row: Row) {
        #expect(row.verdict() == (37, "fail redirect_refused final"))
    }

    @Test(arguments: [
        Row("400", .empty, .g, Row.status(400), ""), Row("403", .empty, .g, Row.status(403), ""),
        Row("451", .strong, .r, Row.status(451), ""), Row("505", .empty, .g, Row.status(505), ""),
        Row("416 to G", .empty, .g, Row.status(416), ""), Row("412 to G", .weak, .g, Row.status(412), ""),
        Row("204 to R", .strong, .r, Row.status(204), ""), Row("999", .empty, .g, Row.status(999), ""),
        Row("not accepted", .empty, .g, Row.status(203), "") {
            $0.acceptableStatuses = StatusRange(lower: 200, upper: 201)
        },
    ])
    private func `R12 row 38 any other status fails`(row: Row) {
        #expect(row.verdict() == (38, "fail http_status final"))
    }

    @Test(arguments: [401, 403, 404, 407, 429, 500, 421, 511, 302, 418])
    func `R11 policy any makes the response the result`(status: Int) throws {
        let row = Row("", .empty, .g, Row.status(status, ("Content-Length", "12")), "") {
            $0.acceptsAnyStatus = true
            $0.expectedSize = 10_000_000
        }
        let verdict = ResumeTable.decide(row.situation)
        #expect(29...38 ~= verdict.row)
        guard case .start(let body) = verdict.decision else {
            Issue.record("The body is the file.")
            return
        }
        #expect(body.framing == .length(12))
        #expect(!body.isResumable)
        #expect(body.notes == [.statusIsResult])
    }

    @Test(arguments: [
        (401, "fail url_expired final"), (403, "fail url_expired final"), (404, "fail not_found final"),
        (410, "fail url_expired final"), (418, "fail http_status final"), (429, "retry server_busy patient"),
        (503, "retry server_busy patient"), (302, "fail redirect_refused final"),
    ])
    private func `R11 a refused continuation keeps the bytes, by policy any too`(status: Int, outcome: String) {
        let row = Row("", .strong, .r, Row.status(status, ("Content-Length", "12")), outcome) {
            $0.acceptsAnyStatus = true
        }
        #expect(row.verdict().decision == outcome)
    }

    @Test func `E2 the sentence has the response, the details the status, and neither a secret`() throws {
        let row = Row("", .empty, .g, Row.status(404), "")
        guard case .fail(let error) = ResumeTable.decide(row.situation).decision else {
            Issue.record("404 fails.")
            return
        }
        #expect(
            error.message
                == "The server responded with 404 Not Found for http://a.example/file?key=; check the address.")
        #expect(error.details.httpStatus == 404)
        #expect(error.details.url == "http://a.example/file?key=")
    }

    @Test func `E2 userinfo and tokens are not shown`() {
        let head = ResponseHead(
            status: 418, fields: [], url: "http://u:p%40ss@a.example/x?token#x", origin: Sample.origin)
        let verdict = ResumeTable.decide(ResumeSituation(asked: .whole, response: .success(head)))
        guard case .fail(let error) = verdict.decision else {
            Issue.record("418 fails.")
            return
        }
        #expect(error.message == "The server responded with 418 for http://a.example/x?.")
    }
}
