import FerryCore
import FerryFleet
import FerryFoundation
import Testing

/// Requests that whoever may submit can store with SQL, and what a worker makes of them.
@Suite struct `A worker that gets a hostile request` {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// A part of the sentence, which is that of the command.
        var sentence: String
        var change: @Sendable (inout TransferRequest) -> Void

        init(_ name: String, _ sentence: String, _ change: @escaping @Sendable (inout TransferRequest) -> Void) {
            (testDescription, self.sentence, self.change) = (name, sentence, change)
        }
    }

    static let cases = [
        Case("a folder above the store", "another destination") { $0.file.folder = "/srv/../etc" },
        Case("a relative folder", "absolute path") { $0.file.folder = "srv" },
        Case("a name with a slash", "plain file name") { $0.file.name = "../file" },
        Case("no name", "plain file name") { $0.file.name = nil },
        Case("the store's mark", "plain file name") { $0.file.name = ".ferry-fleet-store" },
        Case("a copy's name", "plain file name") { $0.file.name = ".ferry-fleet-1-1-a-1.part" },
        Case("another destination than the queue knows", "another destination") { $0.file.name = "other" },
        Case("another server than the queue knows", "another destination or server") { $0.url = "https://b.example/" },
        Case("another scheme", "ftp") { $0.url = "ftp://example.org/file" },
        Case("no URL", "URL") { $0.url = "" },
        Case("a password", "no secrets") { $0.url = "https://u:p@example.org/file" },
        Case("Authorization", "no secrets") { $0.headers = [HeaderField(name: "Authorization", value: "Bearer x")] },
        Case("a cookie", "no secrets") {
            $0.cookies = [GivenCookie(name: "a", value: "b", domain: "example.org", path: "/", secure: false)]
        },
        Case("a login", "no secrets") {
            $0.login.logins = [GivenLogin(host: "example.org", user: "u", password: "p")]
        },
        Case("a file to upload", "GET") {
            $0.method = "PUT"
            $0.body = .file(RequestBody.SentFile(path: "/home/x/.pgpass"))
        },
        Case("another method", "GET") { $0.method = "POST" },
        Case("a proxy", "belong to one machine") { $0.transport.proxyEnvironment = ["http_proxy": "http://p:1"] },
        Case("a CA file", "belong to one machine") {
            $0.tls.trust = RequestTrust(authorities: "/etc/ssl/x.pem")
        },
        Case("a partial file", "belong to one machine") {
            $0.file.onConflict = .replace
            $0.file.continues = PartialSource(
                path: "/home/x/.pgpass", offset: 1, etag: nil, lastModified: nil, date: nil, completeLength: nil)
        },
        Case("a folder for partial files", "belong to one machine") { $0.file.partialFolder = "/etc" },
        Case("the daemon's spool", "belong to one machine") { $0.file.spooled = true },
        Case("allowed folders", "belong to one machine") { $0.file.allowedFolders = AllowedFolders(["/"]) },
        Case("the policy of the command line", "--on-conflict") { $0.file.onConflict = .update },
        Case("a long request", "64 KiB") { $0.tags = (0..<1000).map { "\($0)" + String(repeating: "t", count: 100) } },
        Case("a number out of range", "") { $0.timing.retries = -1 },
    ]

    @Test(arguments: cases)
    func `fails the job with the command's sentence, and fetches nothing`(hostile: Case) {
        var bed = AgentBed.with(AgentBed.lease { hostile.change(&$0) })
        bed.fetch()
        guard case .failed(let error)? = bed.ended.first?.outcome else {
            Issue.record("\(bed.ended)")
            return
        }
        #expect(error.code == .invalidRequest && error.message.contains(hostile.sentence), "\(error.message)")
        #expect(bed.submitted.isEmpty && bed.looks.isEmpty && bed.prepared.isEmpty)
    }

    @Test(arguments: cases)
    func `is refused by the command with the same sentence`(hostile: Case) throws {
        var request = try #require(AgentBed.lease().request)
        hostile.change(&request)
        // The queue's own knowledge is made of the request itself.
        guard !hostile.sentence.hasPrefix("another destination") else { return }
        let error = #expect(throws: ServiceError.self) { try JobRequest(transfer: request).admitted().text() }
        #expect(error?.message.contains(hostile.sentence) == true, "\(String(describing: error?.message))")
    }

    @Test func `fetches an ordinary one`() {
        var bed = AgentBed.with(AgentBed.lease())
        bed.fetch()
        #expect(bed.submitted.count == 1 && bed.ended.isEmpty)
    }

    // MARK: Texts of servers

    @Test(arguments: ["nul \u{0} inside", String(repeating: "é", count: 5000), "\u{1b}[2J\r\n\u{7f}"])
    func `stores texts of servers short and without control characters`(text: String) {
        var error = ServiceError(.notFound, "example.org: \(text)")
        error.details.body = text
        let stored = error.storable
        for each in [stored.message, stored.details.body ?? ""] {
            #expect(each.utf8.count <= 1024 + 3)
            #expect(!each.unicodeScalars.contains { $0.properties.generalCategory == .control })
        }
        #expect(stored.code == error.code)
    }
}
