import FerryAPI
import FerryCore
import FerryTesting
import Foundation
import Testing

@testable import FerryServer

@Suite(.timeLimit(.minutes(1))) struct `The page over HTTP` {
    /// Folder of the page's sources.
    private static let folder = Checkout.file("Sources/Gateway/FerryPage/files").path

    @Test func `has every file of its folder, as it is`() throws {
        let names = try #require(FileManager.default.enumerator(atPath: Self.folder)?.allObjects as? [String])
        let files = names.filter { !$0.hasSuffix("texts") }
        let paths = files.map { $0 == "index.html" ? "/" : "/" + $0 }
        #expect(Set(paths) == PageFile.paths)
        for (name, path) in zip(files, paths) {
            let file = try #require(PageFile.all.first { $0.path == path })
            #expect(Data(file.bytes) == FileManager.default.contents(atPath: "\(Self.folder)/\(name)"), "\(name)")
        }
    }

    /// Files loaded by the browser once the list is shown.
    private static let late: Set = [
        "/actions.js", "/add.js", "/change.js", "/command.js", "/commands.js", "/curl.js", "/detail.js", "/dialogs.js",
        "/links.js", "/metalink.js", "/more.js",
    ]

    @Test(arguments: ["en", "de"]) func `is light until the list is there, and light after it`(language: String) {
        func size(_ paths: Set<String>) -> Int {
            PageFile.all.filter { paths.contains($0.path) }.reduce(0) { $0 + $1.bytes.count }
        }
        let first = PageFile.paths.filter { !Self.late.contains($0) && !$0.hasPrefix("/texts/") }
        #expect(size(first.union(["/texts/\(language).js"])) < 110 << 10)
        #expect(size(Self.late.union(["/texts/\(language)-more.js"])) < 80 << 10)
    }

    @Test func `has words for each reason and in other languages for each error`() throws {
        func words(_ language: String) throws -> String {
            let file = try #require(PageFile.all.first { $0.path == "/texts/\(language).js" })
            return String(decoding: file.bytes, as: UTF8.self)
        }
        let (german, english) = (try words("de"), try words("en"))
        func missing(_ names: [String], in text: String) -> [String] { names.filter { !text.contains(" \($0): '") } }
        // The daemon's own messages are English. The text of an invalid request, or of a newer daemon, cannot be
        // translated.
        let own: Set<ErrorCode> = [.invalidRequest, .unrecognized]
        #expect(missing(ErrorCode.allCases.filter { !own.contains($0) }.map(\.rawValue), in: german) == [])
        for text in [german, english] { #expect(missing(WaitReason.allCases.map(\.rawValue), in: text) == []) }
    }

    /// A code that is renamed or misspelled would offer the wrong remedy, or none.
    @Test func `offers remedies for codes and reasons that exist`() throws {
        let file = try #require(PageFile.all.first { $0.path == "/words.js" })
        let script = String(decoding: file.bytes, as: UTF8.self)
        func words(_ pattern: Regex<(Substring, Substring)>) -> Set<String> {
            Set(script.matches(of: pattern).flatMap { $0.output.1.split(separator: /[', ]+/).map(String.init) })
        }
        let codes = words(/new Set\(\[(.*?)\]\)/).union(words(/\bcode === '(\w+)'/))
        #expect(codes.count > 12 && codes.subtracting(ErrorCode.allCases.map(\.rawValue)) == [])
        let reasons = words(/\breason === '(\w+)'/)
        #expect(reasons.count > 5 && reasons.subtracting(WaitReason.allCases.map(\.rawValue)) == [])
        let states = words(/\bstate === '(\w+)'/)
        #expect(states.count > 3 && states.subtracting(TransferState.allCases.map(\.rawValue)) == [])
    }

    @Test func `is served without the secret, under a policy that allows its own parts alone`() async throws {
        try await withGateway { bed in
            for file in PageFile.all {
                let answer = try await bed.send("GET", file.path)
                #expect(answer.status == 200 && Array(answer.body) == file.bytes, "\(file.path)")
                #expect(answer.headers["content-type"] == file.contentType)
                let policy = try #require(answer.headers["content-security-policy"])
                #expect(policy.hasPrefix("default-src 'none'; "))
                #expect(!policy.contains("unsafe") && !policy.contains("*") && !policy.contains("http"))
                #expect(policy.contains("frame-ancestors 'none'"))
                #expect(answer.headers["x-content-type-options"] == "nosniff")
                #expect(answer.headers["referrer-policy"] == "no-referrer")
            }
            #expect(try await bed.send("GET", "/", host: "evil.example").status == 403)
            #expect(try await bed.send("GET", "/nothing.js").status == 401)
        }
    }

    @Test func `may be led to by other sites, but is part of none`() async throws {
        try await withGateway { bed in
            let led = ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"]
            let taken = ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"]
            let cases = [
                ("GET", "/", led, 200), ("POST", "/", led, 403), ("GET", "/v1/version", led, 403),
                ("GET", "/app.js", taken, 403),
            ]
            for (method, path, fields, status) in cases {
                let answer = try await bed.send(method, path, fields)
                #expect(answer.status == status, "\(method) \(path)")
            }
        }
    }

    /// A regression: one transfer with another destination, or one removed by another client, kept the files of all
    /// others.
    @Test func `removes the files that it may, and says which it may not`() async throws {
        try await withGateway { bed in
            func add(_ folder: String) async throws -> TransferID {
                let body = #"{"url":"http://a.example/f","folder":"\#(folder)"}"#
                return try await bed.send("POST", "/v1/transfers", bed.bearer, body).value(Transfer.self).id
            }
            let good = try await add("/srv/media")
            var wider = GatewayChange()
            wider.addedFolders = ["/srv/other"]
            _ = try await bed.gateway.change(wider)
            let other = try await add("/srv/other")
            (wider.addedFolders, wider.removedFolders) = ([], ["/srv/other"])
            _ = try await bed.gateway.change(wider)
            let body = #"{"action":"remove_with_file","ids":["\#(good)","\#(other)","0000000000000001"]}"#
            let answer = try await bed.send("POST", "/v1/actions", bed.bearer, body)
            let results = try answer.value(ActOnTransfers.Response.self).results
            #expect(results.map(\.id) == [good, other, TransferID(rawValue: 1)])
            #expect(results.map(\.error?.code) == [nil, .invalidRequest, .unknownTransfer])
        }
    }

    @Test func `shows the folders for files with their room`() async throws {
        try await withGateway { bed in
            #expect(try await bed.send("GET", "/v1/folders").status == 401)
            let folders = try await bed.send("GET", "/v1/folders", bed.bearer).value([FolderRoom].self)
            #expect(folders.map(\.path) == ["/srv/media"])
            #expect(try #require(folders.first?.free) > 0)
        }
    }

    /// A regression: a client with the old secret continued to receive events.
    @Test func `loses its connections when the secret is replaced`() async throws {
        try await withGateway { bed in
            let connection = try Connection(port: bed.port)
            defer { connection.end() }
            let head = "GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(bed.secret)\r\n\r\n"
            connection.write(Data(head.utf8))
            var answer = try await offPool { connection.read() }
            #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 200"))
            _ = try await bed.gateway.secret(isNew: true)
            while !answer.isEmpty { answer = try await offPool { connection.read() } }
        }
    }
}
