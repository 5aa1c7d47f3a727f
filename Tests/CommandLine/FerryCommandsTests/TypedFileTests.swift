import CommandKit
import FerryCore
import Foundation
import Testing

@testable import FerryCommands

@Suite(.timeLimit(.minutes(1))) struct `Files and words that people have for other programs` {
    private static let md5 = "00112233445566778899aabbccddeeff"
    private static let sha256 = String(repeating: "ab", count: 32)

    /// Returns the requests of a command that runs with files and an environment.
    private func requests(
        _ words: [String], files: [String: String] = [:], readable: Set<String> = [], console: RecordingConsole? = nil
    ) async -> (requests: [TransferRequest], status: Int32, talk: String) {
        let console = console ?? RecordingConsole(files: files, readable: readable)
        let daemon = FakeDaemon()
        let context = CommandContext(console: console, environment: ["HOME": "/home/me"], currentFolder: "/home/me/in")
        {
            daemon
        }
        let status = await FerryProgram.run(["add", "-q"] + words, in: context)
        return (daemon.requests, status, console.talk)
    }

    @Test(arguments: ["md5:\(md5)", "md5=\(md5)", md5, md5.uppercased()])
    func `L4 a digest may be written in three ways`(text: String) async throws {
        let found = await requests(["--checksum", text, "http://a/1"])
        #expect(found.requests.first?.response.checksums == [try Checksum(parsing: "md5:" + Self.md5)])
    }

    @Test(
        arguments: [
            "\(sha256)  file.iso\n", "\(sha256) *./sub/file.iso\r\n", "# SHA256SUMS\n\nSHA256 (file.iso) = \(sha256)\n",
        ])
    func `L4 a list of digests checks the file that it names`(list: String) async throws {
        let found = await requests(["--checksums", "SUMS", "http://a/file.iso?x"], files: ["SUMS": list])
        #expect(found.requests.first?.response.checksums == [try Checksum(parsing: "sha256:" + Self.sha256)])
        #expect(found.talk.isEmpty)
    }

    @Test func `L4 a list of digests says which files it does not have`() async {
        let files = ["SUMS": "\(Self.md5)  1\n", "odd": "\(Self.md5)  1\nhello\n"]
        let some = await requests(["--checksums", "SUMS", "http://a/1", "http://a/2"], files: files)
        #expect(some.requests.map(\.response.checksums.count) == [1, 0])
        #expect(some.talk == "ferry: No digest of “2”: these files are not verified.\n")
        let none = await requests(["--checksums", "SUMS", "http://a/2"], files: files)
        #expect(none.status == 64 && none.requests.isEmpty && none.talk.contains("has no digest of “2”"))
        let odd = await requests(["--checksums", "odd", "http://a/1"], files: files)
        #expect(odd.status == 64 && odd.talk.contains("Line 2 of “odd” is not a digest with a name"))
    }

    @Test func `L3 cookies.txt gives each host its own`() async {
        let text = """
            # Netscape HTTP Cookie File
            .example.com\tTRUE\t/\tTRUE\t0\tname\tvalue\r
            #HttpOnly_a.example\tFALSE\t/x\tFALSE\t99999999999\tother\t

            old.example\tFALSE\t/\tFALSE\t1000\tgone\tv
            """
        let found = await requests(["-b", "jar", "http://a/1"], files: ["jar": text])
        #expect(
            found.requests.first?.cookies == [
                GivenCookie(name: "name", value: "value", domain: ".example.com", path: "/", secure: true),
                GivenCookie(name: "other", value: "", domain: "a.example", path: "/x", secure: false),
            ])
        let odd = await requests(["-b", "jar", "http://a/1"], files: ["jar": "a.example\tTRUE\tsecret\n"])
        #expect(odd.status == 64 && odd.talk.contains("Line 1 of “jar”") && !odd.talk.contains("secret"))
    }

    @Test func `L3 cookies, agent and referer are fields`() async {
        let found = await requests(["-ba=1; b=2", "-Ame/1", "-e", "http://page/", "http://a/1"])
        #expect(
            found.requests.first?.headers == [
                HeaderField(name: "User-Agent", value: "me/1"), HeaderField(name: "Referer", value: "http://page/"),
                HeaderField(name: "Cookie", value: "a=1; b=2"),
            ])
    }

    private static let netrc = """
        # mine
        machine a.example login me password "se \\"cret"
        macdef init
        machine not.this login x password y

        machine b.example
          login you
          password top
        """

    @Test func `L3 the netrc file of the user gives the hosts that it names their logins`() async {
        let files = ["/home/me/.netrc": Self.netrc]
        let urls = ["http://A.example/1", "http://b.example:81/2", "http://c.example/3", "http://own:pw@a.example/4"]
        let found = await requests(urls, files: files)
        #expect(
            found.requests.map(\.url) == [
                "http://me:se%20%22cret@A.example/1", "http://you:top@b.example:81/2", "http://c.example/3",
                "http://own:pw@a.example/4",
            ])
        let user = await requests(["-u", "x:y", "http://a.example/"], files: files)
        #expect(user.requests.map(\.url) == ["http://x:y@a.example/"])
        let other = await requests(
            ["--netrc-file", "n", "http://a.example/"], files: ["/home/me/in/n": "default login d password p"])
        #expect(other.requests.map(\.url) == ["http://d:p@a.example/"])
    }

    @Test func `L3 a netrc file that others may read, or that is none, is not used`() async {
        let files = [
            "/home/me/.netrc": Self.netrc, "/home/me/in/n": Self.netrc, "/home/me/in/odd": "machine a\nlogn secret",
        ]
        let usual = await requests(["http://a.example/"], files: files, readable: ["/home/me/.netrc"])
        #expect(usual.requests.map(\.url) == ["http://a.example/"] && usual.talk.contains("chmod 600 ~/.netrc"))
        let named = await requests(
            ["--netrc-file", "n", "http://a.example/"], files: files, readable: ["/home/me/in/n"])
        #expect(named.status == 64 && named.talk.contains("chmod 600"))
        let broken = await requests(["http://a.example/"], files: ["/home/me/.netrc": "machine a\nlogn secret"])
        #expect(broken.status == 0 && broken.talk.contains("~/.netrc is ignored: Line 2"))
        let other = await requests(["http://c.example/"], files: files, readable: ["/home/me/.netrc"])
        #expect(other.talk.isEmpty, "It says nothing of this host.")
        let odd = await requests(["--netrc-file", "odd", "http://a.example/"], files: files)
        #expect(odd.status == 64 && odd.talk.contains("Line 2 of") && !odd.talk.contains("secret"))
    }

    @Test func `L3 a password that is not typed is asked for`() async {
        let found = await requests(["-u", "me", "http://a/"], console: RecordingConsole(answer: "pw"))
        #expect(found.requests.map(\.url) == ["http://me:pw@a/"] && found.talk == "Password of me: \n")
        let nobody = await requests(["-u", "me", "http://a/"])
        #expect(nobody.status == 64 && nobody.talk.contains("needs a password"))
    }

    @Test func `L2 short options take their values without a blank, and the home folder is a tilde`() async {
        let found = await requests(["-x16", "-d~/in", "-oname", "-HX-A: b", "-k", "-m30", "http://a/1"])
        let request = found.requests.first
        #expect(
            request?.transport.connections == 16 && request?.file.folder == "/home/me/in"
                && request?.file.name == "name")
        #expect(request?.headers == [HeaderField(name: "X-A", value: "b")] && request?.tls.insecure == true)
        #expect(request?.timing.resourceTimeout == 30)
        let value = await requests(["-o", "-d=x", "-A", "-H=y", "http://a/1"])
        #expect(value.requests.first?.file.name == "-d=x" && value.requests.first?.headers.first?.value == "-H=y")
        let other = await requests(["-d", "~you/in", "-o", "~/x/y", "http://a/1"])
        #expect(other.requests.first?.file.folder == "/home/me/x" && other.requests.first?.file.name == "y")
    }

    @Test(arguments: ["0", "-1", "nan", "1e300"])
    func `L3 a time that is none is refused`(seconds: String) async {
        #expect(await requests(["-m", seconds, "http://a/1"]).status == 64)
    }

    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: "Europe/Berlin") ?? .gmt
        return calendar
    }()

    @Test(
        arguments: [
            // 2026-01-31 18:00 in Berlin.
            ("20:00", 7200), ("17:30", 84_600), ("+90s", 90), ("+2h", 7200), ("+1w", 604_800), ("2026-02-01", 21_600),
            ("2026-01-31T20:00", 7200), ("2026-01-31 20:00:30", 7230), ("2026-01-31T20:00:00Z", 10_800),
        ] as [(String, Double)])
    func `L11 a moment is read as people type it`(text: String, seconds: Double) throws {
        let now = Date(timeIntervalSince1970: 1_769_878_800)
        #expect(try MomentArgument.parse(text, now: now, calendar: Self.calendar) == now + seconds)
    }

    @Test(arguments: ["", "25:00", "20:60", "2026-06-31", "2026-13-01", "+2", "+h", "-2h", "tomorrow", "1:2:3:4"])
    func `L11 text that is no time is refused`(text: String) {
        #expect(throws: (any Error).self) { try MomentArgument.parse(text, now: .now, calendar: Self.calendar) }
    }
}
