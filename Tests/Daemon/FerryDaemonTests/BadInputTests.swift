import FerryTesting
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct `Bad input to ferry` {
    private static let body = SeededBody(seed: 71, size: 100_000)

    struct Line: Sendable, CustomTestStringConvertible {
        /// Arguments, with `ORIGIN` for the origin's address.
        var arguments: [String]
        var status: Int32
        /// Text that standard error must contain.
        var says: String
        var testDescription: String { arguments.joined(separator: " ") }

        init(_ arguments: String..., status: Int32, says: String) {
            self.arguments = arguments
            self.status = status
            self.says = says
        }
    }

    static let zeros = String(repeating: "0", count: 64)
    static let lines = [
        Line("get", status: 64, says: "Nothing to fetch"),
        Line("get", "-i", "/nonexistent", status: 64, says: "“/nonexistent” cannot be read"),
        Line("get", "ftp://127.0.0.1/x", status: 64, says: "(unsupported_scheme)"),
        Line("get", "file:///etc/passwd", status: 64, says: "(unsupported_scheme)"),
        Line("get", "nonsense", status: 64, says: "(invalid_url)"),
        Line("get", "http://", status: 64, says: "(invalid_url)"),
        Line("get", "http://127.0.0.1:0/x", status: 64, says: "(invalid_url)"),
        Line("get", "http://127.0.0.1:65536/x", status: 64, says: "(invalid_url)"),
        Line("get", "ORIGIN/a", "ORIGIN/b", "-o", "one", status: 64, says: "-o names one file"),
        Line("get", "ORIGIN/a", "--checksum", "sha256:12", status: 64, says: "sha256"),
        Line("get", "ORIGIN/a", "--checksum", "crc32:00000000", status: 64, says: "crc32"),
        Line("get", "ORIGIN/a", "--checksum", zeros + "0", status: 64, says: "ALGORITHM:HEX"),
        Line("get", "ORIGIN/a", "--checksum", zeros, status: 8, says: "(digest_mismatch)"),
        Line("get", "ORIGIN/a", "--retries", "-1", status: 64, says: "retries"),
        Line("get", "ORIGIN/a", "--retries", "1001", status: 64, says: "“1001” is not a number from 0 to 1000"),
        Line("get", "ORIGIN/a", "--limit-rate", "fast", status: 64, says: "fast"),
        Line("get", "ORIGIN/a", "--limit-rate", "1", status: 64, says: "rate"),
        Line("get", "ORIGIN/a", "--on-conflict", "overwrite", status: 64, says: "overwrite"),
        Line("get", "ORIGIN/a", "--priority", "urgent", status: 64, says: "urgent"),
        Line("get", "ORIGIN/a", "-H", "no colon", status: 64, says: "no colon"),
        Line("get", "ORIGIN/a", "-H", "Host: other", status: 64, says: "(invalid_request)"),
        Line("get", "ORIGIN/a", "-H", "X: a\r\nY: b", status: 64, says: "X"),
        Line("get", "ORIGIN/a", "-o", "", status: 64, says: "names no file"),
        Line("get", "ORIGIN/a", "--session", "", status: 64, says: "session"),
        Line("get", "ORIGIN/a", "--expected-size", "5", status: 8, says: "(length_mismatch)"),
        Line("get", "ORIGIN/a", "--max-size", "5", status: 11, says: "(too_large)"),
        Line("get", "ORIGIN/a", "--checksum", "sha256:" + zeros, status: 8, says: "(digest_mismatch)"),
        Line("get", "ORIGIN/a", "-d", "/dev/null/x", status: 10, says: "(destination_unwritable)"),
        Line("get", "ORIGIN/a", "-d", "/etc/hostname", status: 10, says: "(destination_unwritable)"),
        Line("get", "ORIGIN/a", "-d", "/proc", status: 10, says: "(destination_unwritable)"),
        Line("get", "http://nowhere.invalid/x", "--retries", "0", status: 3, says: "nowhere.invalid"),
        Line("info", "0123456789abcdef", status: 15, says: "(unknown_transfer)"),
        Line("info", "nonsense", status: 15, says: "(unknown_transfer)"),
        Line("wait", "0123456789abcdef", status: 15, says: "(unknown_transfer)"),
        Line("pause", "0123456789abcdef", status: 15, says: "(unknown_transfer)"),
        Line("resume", "0123456789abcdef", status: 15, says: "(unknown_transfer)"),
        Line("cancel", "0123456789abcdef", status: 15, says: "(unknown_transfer)"),
        Line("retry", "0123456789abcdef", status: 15, says: "(unknown_transfer)"),
        Line("remove", "0123456789abcdef", status: 15, says: "(unknown_transfer)"),
        Line("pause", status: 64, says: "--all"),
        Line("list", "--limit", "0", status: 64, says: "--limit"),
        Line("list", "--state", "asleep", status: 64, says: "asleep"),
        Line("fetch", "ORIGIN/a", status: 64, says: "fetch"),
        Line("get", "--nonsense", "ORIGIN/a", status: 64, says: "--nonsense"),
    ]

    @Test func `has a clear sentence, the status of the table, and leaves nothing`() async throws {
        try await withDaemon(OriginScript(Self.body)) { ferry, origin in
            for line in Self.lines {
                let arguments = line.arguments.map { $0.replacing("ORIGIN", with: origin.url("")) }
                let result = try await ferry.run(arguments)
                #expect(result.status == line.status, "\(line): \(result)")
                #expect(result.stderr.contains(line.says), "\(line): \(result)")
                #expect(result.stdout.isEmpty, "\(line): \(result)")
                #expect(ferry.contents.isEmpty, "\(line)")
            }
        }
    }

    struct Answer: Sendable, CustomTestStringConvertible {
        var code: Int
        var exit: Int32
        var word: String
        var testDescription: String { "\(code)" }
    }

    @Test(arguments: [
        Answer(code: 404, exit: 5, word: "not_found"), Answer(code: 410, exit: 5, word: "not_found"),
        Answer(code: 403, exit: 5, word: "http_status"), Answer(code: 401, exit: 6, word: "auth_required"),
        Answer(code: 407, exit: 6, word: "proxy_auth_required"), Answer(code: 500, exit: 5, word: "server_busy"),
        Answer(code: 503, exit: 5, word: "server_busy"), Answer(code: 418, exit: 5, word: "http_status"),
        Answer(code: 304, exit: 11, word: "redirect_refused"),
    ])
    func `a refusal of the server is an exit status and a word`(answer: Answer) async throws {
        try await withDaemon(OriginScript(Self.body, always: .status(answer.code, body: "<html>no</html>"))) {
            ferry, origin in
            let result = try await ferry.run(["get", origin.url(), "--retries", "0"])
            #expect(result.status == answer.exit, "\(result)")
            #expect(result.stderr.contains("(\(answer.word))"), "\(result)")
            #expect(ferry.contents.isEmpty)
            #expect(origin.requests.count == 1)
        }
    }

    @Test func `T1 a refused port fails at once without retries, and is retried with them`() async throws {
        try await withDaemon(OriginScript(Self.body)) { ferry, origin in
            await origin.refuseConnections()
            let none = try await ferry.run(["get", origin.url(), "--retries", "0"])
            #expect(none.status == 3, "\(none)")
            #expect(none.stderr.contains("(connect_failed)"), "\(none)")
            let waiting = try ferry.spawn(["get", origin.url()])
            try await eventually("get says that it waits") { waiting.stderr.contains("waiting: ") }
            try await origin.acceptConnections()
            let result = await waiting.result()
            #expect(result.status == 0, "\(result)")
            #expect(result.stderr.contains("next attempt in"), "\(result)")
            #expect(ferry.contents == ["file.bin"])
        }
    }

    @Test(arguments: [
        (#"attachment; filename="../../etc/passwd""#, "passwd"),
        (#"attachment; filename=".bashrc""#, "bashrc"),
        (#"attachment; filename="-rf""#, "_-rf"),
        (#"attachment; filename="a\\b""#, "b"),
        (#"attachment; filename*=UTF-8''%2e%2e%2f%1b%5b31mred"#, "_[31mred"),
        (#"attachment; filename="con.txt""#, "_con.txt"),
        (#"attachment; filename="/""#, "x"),
    ])
    func `F3 a server's name stays in the folder and harmless on the terminal`(
        disposition: String, name: String
    ) async throws {
        try await withDaemon(OriginScript(Self.body, always: .disposition(disposition))) { ferry, origin in
            let result = try await ferry.run(["get", origin.url("/x")])
            #expect(result.status == 0, "\(result)")
            #expect(ferry.contents == [name])
            #expect(!result.stderr.contains("\u{1B}"))
        }
    }

    @Test func `E2 text of a server is shown with its control characters escaped`() async throws {
        let script = OriginScript(
            Self.body, always: .raw(Array("HTTP/1.1 404 \u{1B}[31mNo\r\nContent-Length: 0\r\n\r\n".utf8)))
        try await withDaemon(script) { ferry, origin in
            let result = try await ferry.run(["get", origin.url("/%1b%5b31m"), "--retries", "0"])
            #expect(result.status != 0)
            #expect(!result.stderr.contains("\u{1B}"), "\(result)")
            let listed = try await ferry.run(["list"])
            #expect(!listed.stdout.contains("\u{1B}"), "\(listed)")
        }
    }

    @Test func `E1 of several transfers the first failure is the status, and the others arrive`() async throws {
        let script = OriginScript(Self.body, .on(.path("/gone"), .status(404)), .on(.path("/no"), .status(401)))
        try await withDaemon(script) { ferry, origin in
            let result = try await ferry.run(
                ["get", origin.url("/a"), "ftp://x/y", origin.url("/gone"), origin.url("/no"), origin.url("/b")])
            #expect(result.status == 64, "\(result)")
            #expect(ferry.contents == ["a", "b"])
            let second = try await ferry.run(["get", origin.url("/c"), origin.url("/gone"), origin.url("/no")])
            #expect(second.status == 5, "\(second)")
            #expect(ferry.contents == ["a", "b", "c"])
        }
    }
}
