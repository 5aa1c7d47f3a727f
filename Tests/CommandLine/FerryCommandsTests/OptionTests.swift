import ArgumentParser
import CommandKit
import FerryCore
import Testing

@testable import FerryCommands

@Suite struct `Options` {
    @Test(
        arguments: [
            ("0", 0), ("800000", 800_000), ("500k", 512_000), ("500K", 512_000), ("8M", 8 << 20), ("1.5G", 3 << 29),
            ("2MiB", 2 << 20), ("2MB", 2 << 20), ("7B", 7), ("1T", 1 << 40),
        ] as [(String, Int64)])
    func `an amount of bytes is read as curl reads it`(text: String, bytes: Int64) throws {
        #expect(try ByteAmount.parse(text) == bytes)
    }

    @Test(arguments: ["", "k", "-1", "1x", "9999999999T", "1 M", "0x10", "1e3", "nan", "5iB", "+5"])
    func `text that is no amount of bytes is refused`(text: String) {
        #expect(throws: ValidationError.self) { try ByteAmount.parse(text) }
    }

    @Test(
        arguments: [
            ("Accept: text/plain", "Accept", "text/plain"), ("X-A:b", "X-A", "b"), ("X-Empty:", "X-Empty", ""),
            ("Cookie: a=b: c \t", "Cookie", "a=b: c"),
        ])
    func `a header field is split at its first colon`(text: String, name: String, value: String) throws {
        #expect(try HeaderArgument.parse(text) == HeaderField(name: name, value: value))
    }

    @Test(arguments: ["Accept", ": x", ""])
    func `a field without a name is refused`(text: String) {
        #expect(throws: ValidationError.self) { try HeaderArgument.parse(text) }
    }

    private static let numbers = [
        "-9223372036854775808", "-1", "-0", "0", "1", "64", "65", "1000", "1001", "1023", "1024", "9007199254740992",
        "9223372036854775807", "9223372036854775808", "99999999999999999999999999", "1e300", "1.5", "nan", "inf",
        "0x10",
        "8388608T", "8388607T", "9223372036854775807k", "\u{663}", "", " 1",
    ]

    private static let numberOptions = [
        "--retries", "-x", "--limit-rate", "--expected-size", "--max-size", "--priority", "--connect-timeout",
        "--max-redirs", "--max-time", "-Y",
    ]

    /// Every number on a command line either reaches the daemon or is rejected with a message.
    @Test(arguments: Self.numberOptions)
    func `a number on a command line is taken or refused`(option: String) async throws {
        for number in Self.numbers {
            let daemon = FakeDaemon()
            let refusal = await refusal(of: [option, number], daemon)
            #expect(daemon.requests.isEmpty == (refusal != nil), "\(number)")
            #expect(refusal?.isEmpty != true, "\(number)")
        }
    }

    @Test(arguments: Self.numberOptions)
    func `a number that is refused ends the program with a sentence and status 64`(option: String) async {
        let (daemon, console) = (FakeDaemon(), RecordingConsole())
        #expect(await ferry("add", "http://example.com/x", option, "nan", daemon: daemon, console: console) == 64)
        #expect(daemon.requests.isEmpty && !console.talk.isEmpty)
    }

    /// Runs `ferry add` alone. The whole program would explain a rejection with the help of all commands, which takes a
    /// second in a debug build.
    private func refusal(of options: [String], _ daemon: FakeDaemon) async -> String? {
        do {
            let words = JoinedOptions.separated(["add", "http://example.com/x"] + options)
            _ = try await AddCommand.parse(Array(words.dropFirst())).run(in: context(daemon))
            return nil
        } catch let error as ValidationError {
            return error.message
        } catch {
            return "\(error)"
        }
    }

    @Test func `L3 the terms of a connection go to the daemon`() async {
        let daemon = FakeDaemon()
        let options = [
            "--connect-timeout", "2.5", "--max-redirs", "0", "--compressed", "-Y10k", "-y", "60", "--limit-rate", "1M",
        ]
        #expect(await FerryProgram.run(["add", "http://h/x"] + options, in: context(daemon)) == 0)
        let request = daemon.requests.first
        #expect(request?.timing.connectTimeout == 2.5 && request?.transport.redirects.most == 0)
        #expect(request?.timing.minSpeed == 10_240 && request?.timing.minSpeedTime == 60)
        #expect(request?.response.decode == true)
        #expect(request?.headers == [HeaderField(name: "Accept-Encoding", value: "gzip, deflate")])
        _ = await FerryProgram.run(
            ["add", "http://h/y", "--compressed", "-H", "accept-encoding: gzip"], in: context(daemon))
        #expect(daemon.requests.last?.headers.map(\.value) == ["gzip"])
    }

    @Test(
        arguments: [
            (["--connect-timeout", "0"], "ferry: --connect-timeout: “0” is not a number of seconds above 0."),
            (["--max-redirs", "-1"], "ferry: --max-redirs: “-1” is not a number from 0 to 100."),
            (["-y", "10"], "--speed-time needs --speed-limit."),
            (["-Y", "1k", "-y", "0"], "ferry: -y: “0” is not a number of seconds from 1 to 3600."),
        ])
    func `L3 the terms of a connection have bounds, and the sentence names the option`(
        options: [String], sentence: String
    ) async {
        let console = RecordingConsole()
        #expect(await FerryProgram.run(["add", "http://h/x"] + options, in: context(FakeDaemon(), console)) == 64)
        #expect(console.talk.contains(sentence))
    }

    private func context(_ daemon: FakeDaemon, _ console: RecordingConsole = RecordingConsole()) -> CommandContext {
        CommandContext(console: console, environment: [:], currentFolder: "/") { daemon }
    }

    @Test func `a length of a list is taken or refused`() async {
        for number in Self.numbers { #expect([0, 64].contains(await ferry("list", "--limit", number)), "\(number)") }
    }

    @Test func `fields come from a file, and a password from standard input, where no list of processes shows them`()
        async throws
    {
        let daemon = FakeDaemon()
        let console = RecordingConsole(files: ["secret": "A: b\r\n\nCookie: c=d\n", "-": "p w@\nmore"])
        let status = await ferry(
            "add", "http://example.com/x", "http://own:pw@example.com/y", "-H", "@secret", "-H", "E: f", "-u", "me",
            "--password-stdin", daemon: daemon, console: console)
        #expect(status == 0)
        #expect(daemon.requests.map(\.url) == ["http://me:p%20w%40@example.com/x", "http://own:pw@example.com/y"])
        #expect(daemon.requests.first?.headers.map(\.name) == ["A", "Cookie", "E"])
        #expect(daemon.requests.first?.headers.map(\.value) == ["b", "c=d", "f"])
    }

    @Test(
        arguments: [
            ("me:pw", nil, "http://me:pw@h/"), ("me:", nil, "http://me:@h/"), ("me:a:b", nil, "http://me:a%3Ab@h/"),
            ("mé", "pä/ß", "http://m%C3%A9:p%C3%A4%2F%C3%9F@h/"), ("me", "", "http://me:@h/"), ("", "pw", nil),
            (":pw", nil, nil), ("me", nil, nil), ("me:pw", "pw", nil),
        ] as [(String, String?, String?)])
    func `a user needs one password`(option: String, input: String?, url: String?) throws {
        guard let url else {
            #expect(throws: ValidationError.self) { try Login(option: option, input: input) }
            return
        }
        #expect(try Login(option: option, input: input).added(to: "http://h/") == url)
        #expect(try Login(option: option, input: input).added(to: "nonsense") == "nonsense")
        #expect(try Login(option: option, input: input).added(to: "http://a@h/?@") == "http://a@h/?@")
    }

    @Test(
        arguments: [
            ["--password-stdin"], ["-u", "me"], ["-i", "-", "-H", "@-"], ["-H", "@-", "-H", "@-"],
            ["-u", "me", "--password-stdin", "-H", "@-"], ["-H", "@"], ["-H", "@gone"], ["-H", "@wrong"],
        ])
    func `ambiguous or unreadable text is refused`(options: [String]) async {
        let console = RecordingConsole(files: ["-": "", "wrong": "hunter2"])
        let context = CommandContext(console: console, environment: [:], currentFolder: "/home/me") { FakeDaemon() }
        #expect(await FerryProgram.run(["add", "http://example.com/x"] + options, in: context) == 64)
        #expect(!console.talk.contains("hunter2"))
    }

    @Test func `blank lines and comments of a list are skipped`() {
        let text = "# mirror\r\nhttp://a/1\r\n\r\n  http://a/2#part  \n\t# end\nhttp://a/3"
        #expect(URLList(text).urls == ["http://a/1", "http://a/2#part", "http://a/3"])
    }

    @Test(
        arguments: [
            (".", "/home/me"), ("out", "/home/me/out"), ("./a//b/", "/home/me/a/b"), ("..", "/home"),
            ("/srv/x", "/srv/x"), ("/", "/"), ("link/..", "/real"), ("../../..", "/"),
        ])
    func `a folder starts at the current one`(typed: String, absolute: String) throws {
        let paths = TypedPath(currentFolder: "/home/me") { $0 == "/home/me/link" ? "/real/target" : nil }
        #expect(try paths.folder(typed) == absolute)
    }

    @Test func `a path from a current folder that is gone is refused, and no other folder is used`() throws {
        let paths = TypedPath(currentFolder: "") { _ in nil }
        for typed in [".", "a", "a/b", "..", ""] {
            #expect(throws: ValidationError.self) { try paths.folder(typed) }
            #expect(throws: ValidationError.self) { try paths.file("x", in: paths.folder(typed)) }
        }
        #expect(try paths.folder("/srv/./x") == "/srv/x")
        let file = try paths.file("/srv/x.bin", in: paths.folder("."))
        #expect(file == (folder: "/srv", name: "x.bin"))
    }

    @Test(
        arguments: [
            ("a.bin", "/base", "a.bin"), ("sub/a.bin", "/base/sub", "a.bin"), ("/abs/a.bin", "/abs", "a.bin"),
            ("/a.bin", "/", "a.bin"), ("-odd", "/base", "-odd"),
        ])
    func `a name may be a path`(typed: String, folder: String, name: String) throws {
        let file = try TypedPath(currentFolder: "/home/me") { _ in nil }.file(typed, in: "/base")
        #expect(file.folder == folder)
        #expect(file.name == name)
    }

    @Test(arguments: ["", "a/", "..", "a/.", "/"])
    func `a path that names no file is refused`(typed: String) {
        let paths = TypedPath(currentFolder: "/home/me") { _ in nil }
        #expect(throws: ValidationError.self) { try paths.file(typed, in: "/base") }
    }

    @Test func `the environment of the command goes with its request, and options go over it`() async throws {
        let daemon = FakeDaemon()
        let environment = [
            "http_proxy": "http://a:1", "NO_PROXY": "c", "HOME": "/d", "SSL_CERT_FILE": "own/ca.pem",
            "SSL_CERT_DIR": "/e",
        ]
        #expect(await ferry("add", "http://example.com/x", daemon: daemon, environment: environment) == 0)
        #expect(
            await ferry(
                "add", "http://example.com/x", "--cacert", "../ca", "--cert", "c.pem", "--key", "/k.pem", "--proxy",
                "socks5://p", "--noproxy", "h,i", daemon: daemon, environment: environment) == 0)
        #expect(
            await ferry("add", "http://example.com/x", "--proxy", "", daemon: daemon, environment: environment) == 0)
        #expect(
            daemon.requests.map(\.transport.proxyEnvironment) == [
                ["http_proxy": "http://a:1", "NO_PROXY": "c"], ["all_proxy": "socks5://p", "no_proxy": "h,i"],
                ["NO_PROXY": "c"],
            ])
        let usual = RequestTrust(authorities: "/home/me/own/ca.pem")
        let given = RequestTrust(authorities: "/home/ca", certificate: "/home/me/c.pem", key: "/k.pem")
        #expect(daemon.requests.map(\.tls.trust) == [usual, given, usual])
        #expect(daemon.requests.map(\.file.umask) == [.usual, .usual, .usual])
    }

    @Test(arguments: [["--key", "k.pem"], ["--proxy", "gopher://me:secret@p"]])
    func `a key without a certificate and a proxy of no known kind are refused`(options: [String]) async {
        let (daemon, console) = (FakeDaemon(), RecordingConsole())
        let context = CommandContext(console: console, environment: [:], currentFolder: "/home/me") { daemon }
        #expect(await FerryProgram.run(["add", "http://example.com/x"] + options, in: context) == 64)
        #expect(daemon.requests.isEmpty)
        #expect(!console.talk.contains("secret"))
    }

    @Test func `all options arrive in the request`() async throws {
        let daemon = FakeDaemon()
        let hex = String(repeating: "ab", count: 32)
        let status = await ferry(
            "add", "http://example.com/x", "-o", "sub/name", "-d", "out", "-H", "A: b", "--checksum", "SHA256:\(hex)",
            "--on-conflict", "replace", "--priority", "high", "--limit-rate", "8M", "--retries", "3", "--session", "s",
            "-x", "4", "--mirror", "http://example.org/x", "--mirror", "http://example.net/x",
            "--tag", "t", "--insecure", "--allow-downgrade", "--remote-time", "--max-size", "1G", "--expected-size",
            "7",
            "--paused", daemon: daemon, environment: ["all_proxy": "http://p:1"])
        #expect(status == 0)
        var expected = TransferRequest(url: "http://example.com/x", folder: "/home/me/out/sub")
        expected.file.name = "name"
        expected.headers = [HeaderField(name: "A", value: "b")]
        expected.response.checksums = [try Checksum(parsing: "sha256:\(hex)")]
        expected.file.onConflict = .replace
        expected.timing.priority = .high
        expected.transport.rateLimit = 8 << 20
        expected.timing.retries = 3
        expected.transport.connections = 4
        expected.mirrors = ["http://example.org/x", "http://example.net/x"]
        expected.session = try SessionID("s")
        expected.tags = ["t"]
        expected.tls.insecure = true
        expected.transport.redirects.allowDowngrade = true
        expected.file.remoteTime = true
        expected.response.maxSize = 1 << 30
        expected.response.expectedSize = 7
        expected.timing.paused = true
        expected.transport.proxyEnvironment = ["all_proxy": "http://p:1"]
        expected.tls.trust = RequestTrust()
        expected.file.umask = .usual
        #expect(daemon.requests == [expected])
    }

    @Test(arguments: [("low", -5), ("normal", 0), ("10", 10), ("-3", -3)])
    func `a priority is a word or a number`(typed: String, number: Int) async throws {
        let daemon = FakeDaemon()
        #expect(await ferry("add", "http://example.com/x", "--priority", typed, daemon: daemon) == 0)
        #expect(daemon.requests.map(\.timing.priority.rawValue) == [number])
    }

    @Test(arguments: ["11", "urgent", ""])
    func `a priority that is neither is refused`(typed: String) async {
        let daemon = FakeDaemon()
        #expect(await ferry("add", "http://example.com/x", "--priority", typed, daemon: daemon) == 64)
        #expect(daemon.requests.isEmpty)
    }
}
