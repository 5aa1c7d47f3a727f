import FerryCore
import Foundation
import Testing

@Suite struct `The error table` {
    @Test(arguments: ErrorCode.allCases)
    func `E1 every code has a row with numbers that its faces can show`(code: ErrorCode) {
        let row = code.row
        #expect(!row.meaning.isEmpty)
        #expect((1..<126).contains(row.exitStatus), "126 and above mean something else to a shell")
        #expect((400..<600).contains(row.httpStatus))
        #expect(row.urlError.map { $0 < 0 } ?? true)
        #expect(row.aria2.map { (1...32).contains($0) } ?? true)
        #expect(code.rawValue.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "_" })
    }

    @Test func `E1 the usage status is that of refused requests alone`() {
        let usage = ErrorCode.allCases.filter { $0.row.exitStatus == 64 }
        #expect(Set(usage) == [.invalidURL, .unsupportedScheme, .invalidRequest, .requestNotReplaceable])
    }

    @Test(arguments: [
        (ErrorCode.offline, ErrorClass.wait), (.diskFull, .wait), (.connectionLost, .patient), (.serverBusy, .patient),
        (.hostNotFound, .doubtful), (.badResponse, .doubtful), (.notFound, .final), (.digestMismatch, .final),
        (.tlsCertificate, .final), (.deadlineExceeded, .final),
    ])
    func `a code has the class of the specification`(code: ErrorCode, errorClass: ErrorClass) {
        #expect(code.row.errorClass == errorClass)
    }

    @Test func `a mirror is tried after errors of a connection or of what one URL leads to`() {
        let codes = ErrorCode.allCases.filter { $0.row.subject.allowsMirrors }
        #expect(
            Set(codes) == [
                .dnsFailed, .hostNotFound, .connectFailed, .connectionLost, .timedOut, .tooSlow, .tlsFailed,
                .tlsCertificate, .serverBusy, .notFound, .httpStatus, .authRequired, .urlExpired, .badResponse,
                .rangeMismatch, .resourceChanged, .tooManyRedirects, .redirectRefused,
            ])
    }

    @Test func `a connection that failed may be made again after errors of the network or of the moment`() {
        let codes = ErrorCode.allCases.filter { $0.row.subject.isOfConnection }
        #expect(
            Set(codes) == [
                .offline, .dnsFailed, .hostNotFound, .connectFailed, .connectionLost, .timedOut, .tooSlow,
                .proxyFailed, .tlsFailed, .serverBusy, .canceled,
            ])
    }

    @Test func `names and proxies alone are tried patiently by an app's own rule, as they change with the network`() {
        let codes = ErrorCode.allCases.filter { $0.row.subject.changesWithNetwork && $0.row.errorClass == .doubtful }
        #expect(Set(codes) == [.hostNotFound, .proxyFailed])
        let policy = RetryPolicy(rule: RetryRule())
        let patient = ErrorCode.allCases.filter { policy.errorClass(of: ServiceError($0, "No.")) != $0.row.errorClass }
        #expect(Set(patient) == Set(codes))
    }

    @Test func `the subject of an error determines the wait reason`() {
        let reasons = Dictionary(grouping: ErrorCode.allCases) { $0.row.subject.waitReason }
        #expect(reasons[.network] == [.offline] && reasons[.disk] == [.diskFull])
        #expect(reasons[.destination] == [.destinationUnwritable] && reasons.count == 4 && reasons[.retry] != nil)
    }

    @Test func `every exit status has a code, and only two belong to no end of a transfer`() {
        let used = Set(ErrorCode.allCases.map(\.row.exit))
        #expect(used == Set(ErrorExit.allCases))
        #expect(ErrorExit.allCases.filter { !$0.isOfTransfer } == [.unknownTransfer, .usage])
        #expect(ErrorExit.allCases.map(\.rawValue) == ErrorExit.allCases.map(\.rawValue).sorted())
    }

    /// Programs parse the page, too. Each row of the table must be exactly one row of the page.
    @Test func `docs errors md agrees with the table`() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../../docs/errors.md")
        let lines = try String(contentsOf: page.standardizedFileURL, encoding: .utf8).split(separator: "\n")
        let rows = lines.filter { $0.hasPrefix("| <a id=") }.map(String.init)
        let left: [KeptBytes: String] = [.none: "nothing", .partial: "part", .whole: "whole"]
        func number(_ value: Int?) -> String { value.map(String.init) ?? "–" }
        let expected = ErrorCode.allCases.map { code in
            let row = code.row
            let cells = [
                "<a id=\"\(code.rawValue)\"></a>`\(code.rawValue)`", row.meaning, row.errorClass.rawValue,
                String(row.exitStatus), String(row.httpStatus), number(row.aria2), number(row.urlError),
                left[row.kept] ?? "",
            ]
            return "| " + cells.joined(separator: " | ") + " |"
        }
        #expect(rows == expected)
    }
}

@Suite struct `An error on the wire` {
    @Test func `E2 carries code, sentence, details and class`() throws {
        var error = ServiceError(
            .notFound, "It is gone.", details: ErrorDetails(httpStatus: 404, body: "x", errno: 2, url: "http://a/"),
            as: .doubtful)
        error.details.attempts = 3
        error.details.nextAttemptAt = Date(timeIntervalSince1970: 9)
        let read = try JSONDecoder().decode(ServiceError.self, from: JSONEncoder().encode(error))
        #expect(read == error && read.errorClass == .doubtful && read.description == "It is gone. (not_found)")
    }

    @Test func `a word of a newer peer is kept and passed on`() throws {
        let text = #"{"code":"sun_flare","message":"Wait."}"#
        let error = try JSONDecoder().decode(ServiceError.self, from: Data(text.utf8))
        #expect(error.code == .unrecognized && error.word == "sun_flare" && error.errorClass == .final)
        let written = String(decoding: try JSONEncoder().encode(error), as: UTF8.self)
        #expect(written.contains("sun_flare") && !written.contains("details"))
    }

    @Test func `a class of a newer peer is left to the code's row`() throws {
        let text = #"{"code":"timed_out","message":"Late.","class":"whimsical"}"#
        #expect(try JSONDecoder().decode(ServiceError.self, from: Data(text.utf8)).errorClass == .patient)
    }
}
