import CommandKit
import FerryCore
import Foundation
import Testing

@testable import FerryCommands

@Suite(.timeLimit(.minutes(1))) struct `Files and words that people have for other programs` {
    private static let md5 = "00112233445566778899aabbccddeeff"

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
            ("-o tool", "/home/me/in", "tool", .replace), ("-o ~/bin/tool", "/home/me/bin", "tool", .replace),
            ("-d /x -o y/tool", "/x/y", "tool", .replace),
            ("-o tool --on-conflict unique", "/home/me/in", "tool", .unique),
            ("-nc -o tool", "/home/me/in", "tool", .skip), ("", "/home/me/in", nil, .unique),
            ("-o /tmp", "/tmp", nil, .unique), ("-o /nowhere/new/", "/nowhere/new", nil, .unique),
            ("-o new/", "/home/me/in/new", nil, .unique), ("-O tool", "/home/me/in", "tool", .replace),
        ] as [(String, String, String?, ConflictPolicy)])
    func `a file that the user names replaces an existing one, and no other does`(
        words: String, folder: String, name: String?, policy: ConflictPolicy
    ) async throws {
        let request = try #require(
            await requests(words.split(separator: " ").map(String.init) + ["http://a/1"]).requests.first)
        #expect(request.file.folder == folder && request.file.name == name && request.file.onConflict == policy)
    }

    @Test func `the name of a list's file replaces nothing, since the list may come from elsewhere`() async {
        let found = await requests(["-i", "list"], files: ["list": "http://a/1\n out=tool\n"])
        #expect(found.requests.map(\.file.name) == ["tool"] && found.requests.map(\.file.onConflict) == [.unique])
    }

    @Test func `several files go to a folder that -o names`() async {
        let found = await requests(["-o", "/tmp", "http://a/1", "http://a/2"])
        #expect(found.requests.map(\.file.folder) == ["/tmp", "/tmp"])
        let refused = await requests(["-o", "name", "http://a/1", "http://a/2"])
        #expect(refused.status == 64 && refused.talk.contains("-o names one file"))
    }

    @Test func `a pattern that is not expanded is said`() async {
        let found = await requests(["http://me:pw@a/[1-3].iso?key=secret"])
        #expect(found.requests.count == 1)
        #expect(found.talk == "ferry: http://a/%5B1-3%5D.iso?key= is fetched as it is; --glob expands its pattern.\n")
        #expect(await requests(["http://[::1]/a"]).talk.isEmpty)
    }

    @Test func `several lists are read, and an error names its own`() async {
        let files = ["a": "http://a/1\n", "b": "# b\nhttp://b/1\n dir=x\nhttp://b/2\n checksum=zzz\n"]
        let found = await requests(["-i", "a", "-ib", "http://c/1"], files: files)
        #expect(found.requests.map(\.url) == ["http://c/1", "http://a/1", "http://b/1"])
        #expect(found.talk.contains("Line 5 of “b”: "), "\(found.talk)")
        let empty = await requests(["-i", "c", "-i", "c"], files: ["c": "#\n"])
        #expect(empty.talk.contains("Nothing to fetch: there is no URL in “c” and “c”.") && empty.status == 64)
    }

    @Test func `L3 cookies, agent and referer are fields`() async {
        let found = await requests(["-ba=1; b=2", "-Ame/1", "-e", "http://page/", "http://a/1"])
        #expect(
            found.requests.first?.headers == [
                HeaderField(name: "User-Agent", value: "me/1"), HeaderField(name: "Referer", value: "http://page/"),
                HeaderField(name: "Cookie", value: "a=1; b=2"),
            ])
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
}
