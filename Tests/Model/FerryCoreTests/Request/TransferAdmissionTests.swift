import FerryCore
import Foundation
import Testing

@Suite struct `Admission` {
    private func request(_ change: (inout TransferRequest) -> Void = { _ in }) -> TransferRequest {
        var request = TransferRequest(url: "http://example.com/a", folder: "/tmp")
        change(&request)
        return request
    }

    private func refusal(_ change: (inout TransferRequest) -> Void) -> ErrorCode? {
        #expect(throws: ServiceError.self) { try TransferAdmission.admit(request(change)) }?.code
    }

    @Test func `Q7 userinfo leaves the URL and becomes credentials of its origin`() throws {
        let admitted = try TransferAdmission.admit(request { $0.url = "https://ann:s%20p@example.com:444/a?b#c" })
        #expect(admitted.request.url == "https://example.com:444/a?b#c")
        #expect(admitted.credentials == Credentials(user: "ann", password: "s p"))
        #expect(admitted.origin.description == "https://example.com:444")
        #expect(try TransferAdmission.admit(request()).credentials == nil)
    }

    @Test(arguments: [
        ("ftp://example.com/", ErrorCode.unsupportedScheme), ("file:///etc/passwd", .unsupportedScheme),
        ("http://", .invalidURL), ("http://a b/", .invalidURL), ("example.com/x", .invalidURL), ("", .invalidURL),
    ])
    func `Q7 a URL that cannot be fetched is refused`(url: String, code: ErrorCode) {
        #expect(refusal { $0.url = url } == code)
    }

    @Test(arguments: ["Host", "connection", "Content-Length", "Transfer-Encoding", "Proxy-Authorization", "Expect"])
    func `Q4 fields that are Ferry's own are refused`(name: String) {
        #expect(refusal { $0.headers = [HeaderField(name: name, value: "x")] } == .invalidRequest)
    }

    @Test(arguments: [
        ("a b", "x"), ("A", "x\r\nB: y"), ("A", "\u{0}"), ("", "x"), ("A", String(repeating: "x", count: 70_000)),
    ])
    func `Q6 fields that HTTP cannot carry are refused`(name: String, value: String) {
        #expect(refusal { $0.headers = [HeaderField(name: name, value: value)] } == .invalidRequest)
    }

    @Test func `X10 a Referer loses userinfo and fragment`() throws {
        let field = HeaderField(name: "Referer", value: "http://u:p@example.com/x#y")
        let admitted = try TransferAdmission.admit(request { $0.headers = [field] })
        #expect(admitted.request.headers == [HeaderField(name: "Referer", value: "http://example.com/x")])
    }

    @Test(arguments: [
        ("/", "/"), ("/a/b", "/a/b"), ("//a///b/", "/a/b"), ("/a/./b/.", "/a/b"), ("/a/../b", "/b"), ("/../..", "/"),
        ("/a/b/../../c", "/c"), ("/...", "/..."),
    ])
    func `a folder is brought into its plain form`(path: String, plain: String) throws {
        #expect(try TransferAdmission.admit(request { $0.file.folder = path }).request.file.folder == plain)
    }

    @Test(arguments: ["", "a", "./a", "~/a", "/a\u{0}b"])
    func `a folder that is no absolute path is refused`(path: String) {
        #expect(refusal { $0.file.folder = path } == .invalidRequest)
    }

    @Test(arguments: ["", ".", "..", "a/..", "a/", "a\u{0}", "/"])
    func `F4 a name that names no file is refused`(name: String) {
        #expect(refusal { $0.file.name = name } == .invalidRequest)
    }

    @Test func `F2 the folder of the partial file is an absolute path in its plain form`() throws {
        #expect(refusal { $0.file.partialFolder = "tmp" } == .invalidRequest)
        #expect(
            try TransferAdmission.admit(request { $0.file.partialFolder = "//a/../b/" }).request.file.partialFolder
                == "/b")
    }

    @Test func `S7 acceptable statuses may be none and not fewer`() throws {
        #expect(refusal { $0.response.acceptableStatuses = StatusRange(lower: 300, upper: 200) } == .invalidRequest)
        _ = try TransferAdmission.admit(
            request { $0.response.acceptableStatuses = StatusRange(lower: 200, upper: 200) })
    }

    @Test func `numbers out of their range are refused`() {
        let bad: [(inout TransferRequest) -> Void] = [
            { $0.transport.rateLimit = 1023 }, { $0.transport.rateLimit = -1 }, { $0.timing.retries = -1 },
            { $0.timing.retries = 1001 },
            { $0.timing.statusRetries = -1 }, { $0.response.expectedSize = -1 }, { $0.response.maxSize = -1 },
            { $0.timing.minSpeed = -1 },
            { $0.timing.giveUpAfter = -1 }, { $0.timing.giveUpAfter = .nan }, { $0.timing.giveUpAfter = .infinity },
            { $0.timing.minSpeedTime = 0.5 }, { $0.timing.minSpeedTime = 3601 }, { $0.transport.connections = 0 },
            { $0.transport.connections = 65 },
            { $0.transport.connections = -1 },
            {
                $0.response.expectedSize = 11
                $0.response.maxSize = 10
            },
        ]
        for change in bad { #expect(refusal(change) == .invalidRequest) }
    }

    @Test func `numbers at the ends of their ranges are taken`() throws {
        let good: [(inout TransferRequest) -> Void] = [
            { $0.transport.rateLimit = 1024 }, { $0.transport.rateLimit = 0 }, { $0.timing.retries = 0 },
            { $0.timing.retries = 1000 },
            { $0.timing.giveUpAfter = 0 }, { $0.timing.giveUpAfter = 365 * 86_400 }, { $0.response.expectedSize = 0 },
            { $0.response.maxSize = .max },
            { $0.timing.minSpeedTime = 1 }, { $0.timing.minSpeedTime = 3600 }, { $0.transport.connections = 1 },
            { $0.transport.connections = 64 },
        ]
        for change in good { _ = try TransferAdmission.admit(request(change)) }
    }

    @Test func `S11 mirrors are kept in canonical form`() throws {
        let admitted = try TransferAdmission.admit(
            request { $0.mirrors = ["HTTP://Example.ORG:80/./a?b", "https://example.com/a"] })
        #expect(admitted.request.mirrors == ["http://example.org/a?b", "https://example.com/a"])
    }

    @Test(
        arguments: [
            (["ftp://example.org/a"], .unsupportedScheme), (["example.org/a"], .invalidURL), ([""], .invalidURL),
            (["http://example.org/\u{7}"], .invalidURL), (["http://u:p@example.org/a"], .invalidRequest),
            (["http://EXAMPLE.com:80/a#x"], .invalidRequest),
            (["http://example.org/a", "http://example.org/a"], .invalidRequest),
            ((0...64).map { "http://example.org/\($0)" }, .invalidRequest),
        ] as [([String], ErrorCode)])
    func `S11 a mirror that is no other URL of the file is refused`(mirrors: [String], code: ErrorCode) {
        #expect(refusal { $0.mirrors = mirrors } == code)
    }

    @Test func `S11 an upload has no mirrors`() {
        #expect(
            refusal {
                $0.method = "PUT"
                $0.mirrors = ["http://example.org/a"]
            } == .invalidRequest)
    }

    @Test(arguments: ["", "a\nb", "\u{1B}[31m", String(repeating: "x", count: 256)])
    func `a tag that cannot be shown on a line is refused`(tag: String) {
        #expect(refusal { $0.tags = ["good", tag] } == .invalidRequest)
    }

    @Test func `admitting what was admitted changes nothing`() throws {
        let once = try TransferAdmission.admit(
            request {
                $0.url = "http://u@EXAMPLE.com:80/a/../b c".replacingOccurrences(of: " ", with: "%20")
                $0.file.folder = "//x/../tmp/"
            }
        ).request
        #expect(try TransferAdmission.admit(once).request == once)
    }
}
