import CommandKit
import Crypto
import FerryCore
import FerryTesting
import Foundation
import Synchronization
import Testing

@testable import FerryCommands

@Suite(.timeLimit(.minutes(1))) struct `A browser's extension` {
    private let daemon = FakeDaemon(refusals: ["http://bad.example/": ServiceError(.invalidURL, "That is no URL.")])

    /// Returns the host's replies to messages, as JSON without the length prefixes.
    private func answers(_ messages: String..., cut: Int = .max) async throws -> [String] {
        let sent = messages.flatMap { MessageFrames.frame(Array($0.utf8)) }
        let (input, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        for start in stride(from: 0, to: sent.count, by: min(cut, max(1, sent.count))) {
            continuation.yield(Array(sent[start..<min(sent.count, start + min(cut, sent.count))]))
        }
        continuation.finish()
        let written = Written()
        let context = CommandContext(
            console: RecordingConsole(), environment: ["HOME": "/home/u", "https_proxy": "http://proxy:3128"],
            currentFolder: "/", umask: FileMask(0o077)
        ) { [daemon] in daemon }
        let host = NativeHost(context) { bytes in written.bytes.withLock { $0 += bytes } }
        try await host.serve(input)
        var frames = MessageFrames()
        return try frames.append(written.bytes.withLock { $0 }).map { String(decoding: $0, as: UTF8.self) }
    }

    private final class Written: Sendable { let bytes = Mutex<[UInt8]>([]) }

    @Test(arguments: [1, 3, .max]) func `gets an answer to each call, however its bytes come`(cut: Int) async throws {
        let said = try await answers(
            #"{"id":1,"call":"hello"}"#, #"{"id":2,"call":"fly"}"#, "nonsense", #"{"id":4,"call":"list"}"#, cut: cut)
        #expect(said.count == 4)
        #expect(said[0] == #"{"id":1,"result":{"version":"\#(FerryVersion.current)"}}"#)
        #expect(said[1].contains(#""code":"invalid_request""#) && said[1].contains(#""id":2"#))
        #expect(said[2].contains(#""id":0"#))
        #expect(said[3] == #"{"id":4,"result":{"transfers":[]}}"#)
    }

    @Test func `hands downloads over with what the browser knows, into the download folder`() async throws {
        let said = try await answers(
            #"{"id":1,"call":"add","downloads":[{"url":"http://a.example/f","headers":[{"name":"Cookie","value":"k=v"}]}]}"#
        )
        #expect(said.first?.hasPrefix(#"{"id":1,"result":{"ids":["#) == true)
        let request = try #require(daemon.requests.first)
        #expect(request.file.folder == "/home/u/Downloads" && request.url == "http://a.example/f")
        #expect(request.headers == [HeaderField(name: "Cookie", value: "k=v")])
        #expect(request.tags == ["browser"] && request.file.umask == FileMask(0o077))
        #expect(request.transport.proxyEnvironment == ["https_proxy": "http://proxy:3128"])
    }

    @Test func `chooses no folder, no file and no other field`() async throws {
        let said = try await answers(
            #"{"id":1,"call":"add","downloads":[{"url":"http://a.example/f","headers":[{"name":"Host","value":"x"}]}]}"#,
            #"{"id":2,"call":"act","action":"remove_with_file","ids":["0000000000000001"]}"#,
            #"{"id":3,"call":"add","downloads":[{"url":"http://a.example/f","folder":"/etc","name":"../x"}]}"#)
        #expect(said[0].contains("Host") && said[0].contains("error"))
        #expect(said[1].contains("pause, resume, retry or cancel"))
        // Unknown keys are ignored.
        #expect(daemon.requests.map(\.file.folder) == ["/home/u/Downloads"] && daemon.requests[0].file.name == nil)
    }

    @Test func `gets the sentence of a refusal, and nothing is added`() async throws {
        let said = try await answers(
            #"{"id":1,"call":"add","downloads":[{"url":"http://a.example/f"},{"url":"http://bad.example/"}]}"#)
        #expect(said == [#"{"error":{"code":"invalid_url","message":"That is no URL."},"id":1}"#])
        #expect(daemon.actions == [.remove])
    }

    @Test func `learns where the page is`() async throws {
        let said = try await answers(#"{"id":1,"call":"page"}"#)
        #expect(said == [#"{"id":1,"result":{"url":"http://127.0.0.1:6800/#code=ABCDEFGH"}}"#])
    }

    @Test func `is shut out after a message that is too long`() async throws {
        var frames = MessageFrames()
        #expect(try frames.append([1, 0]).isEmpty)
        #expect(try frames.append([0, 0]).isEmpty)
        #expect(try frames.append([7, 0, 0, 0, 0]) == [[7], []])
        #expect(throws: ServiceError.self) { _ = try frames.append([0xFF, 0xFF, 0xFF, 0xFF]) }
    }

    @Test func `counts the running and the waiting transfers`() {
        var one = Transfer.sample(id: 1, url: "http://a.example/f")
        one.state = .running
        (one.bytesReceived, one.bytesExpected, one.bytesPerSecond) = (10, 40, 5)
        var other = one
        other.state = .waiting
        let summary = NativeResult.Summary(active: [one, other], waiting: 3)
        #expect(summary.running == 1 && summary.waiting == 4)
        #expect(summary.received == 10 && summary.expected == 40 && summary.speed == 5)
        one.bytesExpected = nil
        #expect(NativeResult.Summary(active: [one], waiting: 0).expected == 0)
    }

    @Test func `is known to the browsers of the user's home`() async throws {
        let home = FileManager.default.temporaryDirectory.appendingPathComponent("native-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: home) }
        for folder in [".mozilla", ".config/chromium"] {
            try FileManager.default.createDirectory(atPath: "\(home)/\(folder)", withIntermediateDirectories: true)
        }
        let console = RecordingConsole()
        #expect(await ferry("native-host", "--install", console: console, environment: ["HOME": home]) == 0)
        let files = console.output.split(separator: "\n").map(String.init)
        #expect(
            files == [
                "\(home)/.mozilla/native-messaging-hosts/ferry.native_host.json",
                "\(home)/.config/chromium/NativeMessagingHosts/ferry.native_host.json",
            ])
        for (file, key) in zip(files, ["allowed_extensions", "allowed_origins"]) {
            let data = try Data(contentsOf: URL(fileURLWithPath: file))
            let manifest = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            #expect(manifest["name"] as? String == "ferry.native_host" && manifest["type"] as? String == "stdio")
            #expect((manifest[key] as? [String])?.count == 1)
            let path = try #require(manifest["path"] as? String)
            #expect(FileManager.default.isExecutableFile(atPath: path))
            let script = try String(contentsOfFile: path, encoding: .utf8)
            #expect(script.hasPrefix("#!/bin/sh\nexec '/") && script.hasSuffix("' native-host \"$@\"\n"))
        }
        #expect(NativeInstallation.script(for: "/a'b").contains(#"'/a'\''b'"#))
    }

    /// The extension's manifest and the program's host manifests refer to each other.
    @Test func `has the id that its key gives`() throws {
        let folder = Checkout.file("Extras/extension")
        let data = try Data(contentsOf: folder.appendingPathComponent("manifest.json"))
        let manifest = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let settings = try #require(manifest["browser_specific_settings"] as? [String: [String: String]])
        #expect(NativeManifest(.firefox, path: "/x").allowedExtensions == settings["gecko"]?["id"].map { [$0] })
        #expect(manifest["version"] as? String == FerryVersion.current)
        let key = try #require((manifest["key"] as? String).flatMap { Data(base64Encoded: $0) })
        // Half of the digest in hexadecimal, with the digits written as letters from a on (Chromium's
        // `crx_file::id_util`).
        let digits = SHA256.hash(data: key).prefix(16).flatMap { [$0 >> 4, $0 & 15] }
        let id = String(decoding: digits.map { UInt8(ascii: "a") + $0 }, as: UTF8.self)
        #expect(NativeManifest(.chromium, path: "/x").allowedOrigins == ["chrome-extension://\(id)/"])
    }
}
