import CommandKit
import FerryCore
import FerryTesting
import Foundation
import Testing

@testable import FerryCommands

@Suite struct `ferry put` {
    private let folder: TemporaryFolder
    private let console = RecordingConsole(files: ["/nowhere": "", "/answer": "made\u{1B}[2J\r\n\tit\n"])

    init() throws {
        folder = try TemporaryFolder()
        try Data("one".utf8).write(to: URL(fileURLWithPath: folder.file("a.txt")))
        try Data("three".utf8).write(to: URL(fileURLWithPath: folder.file("ö 5%41.txt")))
    }

    /// Runs the command with a daemon that accepts uploads.
    private func run(_ words: String..., daemon: FakeDaemon = FakeDaemon()) async -> Int32 {
        let context = CommandContext(
            console: console, environment: ["HOME": folder.path], currentFolder: folder.path
        ) { daemon }
        return await FerryProgram.run(["put"] + words, in: context)
    }

    @Test func `hands over a file as it is, for the URL`() async throws {
        let daemon = FakeDaemon()
        #expect(await run("a.txt", "https://example.com/in", "--detach", daemon: daemon) == 0)
        let request = try #require(daemon.requests.first)
        #expect(request.url == "https://example.com/in" && request.method == "PUT" && request.direction == .upload)
        guard case .file(let file) = request.body else { throw TestingError("There is no file.") }
        #expect(file.path == folder.file("a.txt") && file.size == 3 && file.isNoted && file.inode != nil)
        // The daemon stores the response, not the client.
        #expect(request.file.folder.isEmpty && request.file.name == nil)
        #expect(console.output == "0000000000000001\n")
    }

    @Test func `adds the names of files to a URL that ends in a slash`() async throws {
        let daemon = FakeDaemon()
        #expect(
            await run("a.txt", "ö 5%41.txt", "https://example.com/in/?k=v", "--detach", daemon: daemon) == 0,
            "\(console.talk)")
        #expect(
            daemon.requests.map(\.url) == [
                "https://example.com/in/a.txt?k=v", "https://example.com/in/%C3%B6%205%2541.txt?k=v",
            ])
    }

    @Test func `takes over what get has too`() async throws {
        let daemon = FakeDaemon()
        let status = await run(
            "-X", "post", "-H", "X-Kind: photo", "-u", "me:secret", "-b", "a=1", "--limit-rate", "8k", "--priority",
            "high", "-m", "60", "--tag", "t", "-o", "answer.json", "a.txt", "https://example.com/in", "--detach",
            daemon: daemon)
        #expect(status == 0, "\(console.talk)")
        let request = try #require(daemon.requests.first)
        #expect(request.url == "https://me:secret@example.com/in" && request.method == "POST")
        #expect(request.headers.contains(HeaderField(name: "X-Kind", value: "photo")))
        #expect(request.headers.contains { $0.isNamed("Cookie") })
        #expect(
            request.transport.rateLimit == 8192 && request.timing.priority == .high
                && request.timing.resourceTimeout == 60)
        #expect(request.tags == ["t"] && request.file.folder == folder.path && request.file.name == "answer.json")
    }

    @Test func `makes a form once, and names its files`() async throws {
        let daemon = FakeDaemon()
        let status = await run(
            "--data-form", "title=Sea = blue", "--data-form", "f\"ile=@a.txt", "https://example.com/form", "--detach",
            daemon: daemon)
        #expect(status == 0, "\(console.talk)")
        let request = try #require(daemon.requests.first)
        let type = try #require(request.headers.first { $0.isNamed("Content-Type") }?.value)
        let boundary = try #require(type.split(separator: "=").last)
        guard case .file(let file) = request.body else { throw TestingError("There is no file.") }
        let body = try String(contentsOfFile: file.path, encoding: .utf8)
        #expect(
            body == """
                --\(boundary)\r
                Content-Disposition: form-data; name="title"\r
                \r
                Sea = blue\r
                --\(boundary)\r
                Content-Disposition: form-data; name="f%22ile"; filename="a.txt"\r
                Content-Type: application/octet-stream\r
                \r
                one\r
                --\(boundary)--\r

                """)
        #expect(request.method == "POST" && file.size == Int64(body.utf8.count))
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func `removes the form that it has made, and no file of the user's`() async throws {
        let url = "https://example.com/in"
        let forms = folder.file(".cache/ferry/forms")
        try FileManager.default.createDirectory(atPath: forms, withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: forms + "/mine"))
        let daemon = FakeDaemon(ends: [url: .success("/nowhere")])
        #expect(await run(forms + "/mine", url, daemon: daemon) == 0, "\(console.talk)")
        #expect(await run("--data-form", "a=b", url, daemon: daemon) == 0, "\(console.talk)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: forms) == ["mine"])
        let refusing = FakeDaemon(refusals: [url: ServiceError(.invalidRequest, "No.")])
        #expect(await run("--data-form", "a=b", url, daemon: refusing) != 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: forms) == ["mine"])
    }

    /// A regression: the escapes of a server's response reached the terminal.
    @Test(arguments: [(true, "made\\u{1b}[2J\n\tit\n"), (false, "made\u{1B}[2J\r\n\tit\n")])
    func `shows a terminal no escapes of the response, and changes nothing for others`(
        isTerminal: Bool, output: String
    ) async {
        let url = "https://example.com/in"
        let console = RecordingConsole(files: ["/answer": "made\u{1B}[2J\r\n\tit\n"], isTerminal: isTerminal)
        let context = CommandContext(
            console: console, environment: ["HOME": folder.path], currentFolder: folder.path
        ) { FakeDaemon(ends: [url: .success("/answer")]) }
        #expect(await FerryProgram.run(["put", "a.txt", url], in: context) == 0)
        #expect(console.output == output)
    }

    @Test func `fails if the response cannot be read`() async {
        let url = "https://example.com/in"
        #expect(await run("a.txt", url, daemon: FakeDaemon(ends: [url: .success("/gone")])) == 9)
        #expect(console.talk.contains("but not the server's response"), "\(console.talk)")
    }

    /// A regression: a FIFO without a writer hung the command, and an endless device filled the disk.
    @Test(arguments: ["fifo", "/dev/zero", "."]) func `sends only regular files in a form`(name: String) async throws {
        try #require(unsafe mkfifo(folder.file("fifo"), 0o600) == 0)
        #expect(await run("--data-form", "a=@\(name)", "https://example.com/in") == 64)
        #expect(console.talk.contains("is not a regular file"), "\(console.talk)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file(".cache/ferry/forms")) == [])
    }

    @Test func `sends a file of the kernel in a form, which states no size`() async throws {
        let daemon = FakeDaemon()
        #expect(
            await run("--data-form", "a=@/proc/self/status", "https://example.com/in", "--detach", daemon: daemon) == 0)
        guard case .file(let file) = daemon.requests.first?.body else { throw TestingError("There is no file.") }
        #expect(try String(contentsOfFile: file.path, encoding: .utf8).contains("VmSize:"))
    }

    @Test(arguments: [
        ([], "Nothing to upload"), (["https://example.com/"], "There is no file to upload"),
        (["none", "https://example.com/"], "is not a file that can be uploaded"),
        (["a.txt", "a.txt", "https://example.com/in"], "need a URL whose path ends with /"),
        (["a.txt", "https://example.com/in", "-X", "GET"], "PUT, POST or PATCH"),
        (["a.txt", "https://example.com/in", "--data-form", "a=b"], "the whole body"),
        (["https://example.com/in", "--data-form", "=b"], "is not a part of a form"),
        (["https://example.com/in", "--data-form", "f=@none"], "cannot be read"),
    ])
    func `says what is wrong`(words: [String], sentence: String) async throws {
        let daemon = FakeDaemon()
        let context = CommandContext(
            console: console, environment: ["HOME": folder.path], currentFolder: folder.path
        ) { daemon }
        #expect(await FerryProgram.run(["put"] + words, in: context) == 64)
        #expect(console.talk.contains(sentence), "\(console.talk)")
        #expect(daemon.requests.isEmpty)
        let forms = folder.path + "/.cache/ferry/forms"
        #expect((try? FileManager.default.contentsOfDirectory(atPath: forms)) ?? [] == [])
    }
}
