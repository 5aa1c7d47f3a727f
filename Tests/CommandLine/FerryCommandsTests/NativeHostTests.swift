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

    /// Returns the host's replies to messages in the order of their numbers, as JSON without the length prefixes.
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
        await host.serve(input)
        var frames = MessageFrames()
        let replies = frames.append(written.bytes.withLock { $0 }).compactMap { frame in
            if case .message(let bytes) = frame { String(decoding: bytes, as: UTF8.self) } else { nil }
        }
        return replies.sorted { Self.number($0) < Self.number($1) }
    }

    private static func number(_ reply: String) -> Int {
        let digits = reply.components(separatedBy: #""id":"#).last?.prefix(while: \.isNumber)
        return digits.flatMap { Int($0) } ?? -1
    }

    private final class Written: Sendable { let bytes = Mutex<[UInt8]>([]) }

    @Test(arguments: [1, 3, .max]) func `gets an answer to each call, however its bytes come`(cut: Int) async throws {
        let said = try await answers(
            #"{"id":1,"call":"hello"}"#, #"{"id":2,"call":"fly"}"#, "nonsense", #"{"id":4,"call":"list"}"#, cut: cut)
        #expect(said.count == 4)
        #expect(said[0].contains(#""id":0"#) && said[0].contains("The message is not a call; the calls are hello"))
        #expect(said[1] == #"{"id":1,"result":{"version":"\#(FerryVersion.current)"}}"#)
        #expect(said[2].contains(#""code":"invalid_request""#) && said[2].contains(#""id":2"#))
        #expect(said[3] == #"{"id":4,"result":{"more":0,"transfers":[]}}"#)
    }

    /// An offer's call, with more members of its download.
    private func offer(_ more: String = "", key: String = "abcd-1234", seconds: Double = 0.5) -> String {
        #"{"id":1,"call":"offer","key":"\#(key)","seconds":\#(seconds),"download":{"url":"http://a.example/f"\#(more)}}"#
    }

    @Test func `offers a download with what the browser knows, under a hidden name in the download folder`()
        async throws
    {
        let cookie = #"{"name":"k","value":"v","domain":".a.example","path":"/","secure":true}"#
        _ = try await answers(
            offer(
                #","replaces":true,"size":7,"cookies":[\#(cookie)],"headers":[{"name":"Referer","value":"http://a.example/"}]"#
            ))
        let request = try #require(daemon.requests.first)
        #expect(request.file.folder == "/home/u/Downloads" && request.url == "http://a.example/f")
        #expect(request.file.name == ".abcd-1234.ferry-offer" && request.response.expectedSize == 7)
        #expect(request.headers == [HeaderField(name: "Referer", value: "http://a.example/")])
        let given = GivenCookie(name: "k", value: "v", domain: ".a.example", path: "/", secure: true)
        #expect(request.cookies == [given])
        #expect(request.tags == ["browser", "browser-offer:abcd-1234"] && request.file.umask == FileMask(0o077))
        #expect(request.file.allowedFolders == AllowedFolders(["/home/u/Downloads"]))
        #expect(request.transport.proxyEnvironment == ["https_proxy": "http://proxy:3128"])
    }

    @Test func `chooses no other folder, no file and no other field`() async throws {
        let said = try await answers(
            offer(#","headers":[{"name":"Host","value":"x"}]"#), offer(#","folder":"/etc""#),
            offer(#","folder":"../x""#), offer(key: "../../x"),
            #"{"id":2,"call":"act","action":"remove_with_file","ids":["0000000000000001"]}"#,
            offer(#","folder":"films/new","name":"../x""#))
        #expect(said.contains { $0.contains("The field Host is not accepted") })
        #expect(said.count { $0.contains("is outside the allowed download folders") } == 2)
        #expect(said.contains { $0.contains("The call offer lacks a value") })
        #expect(said.contains { $0.contains("pause, resume, retry, cancel or remove") })
        #expect(daemon.requests.map(\.file.folder) == ["/home/u/Downloads/films/new"])
        #expect(daemon.requests[0].file.name == nil)
    }

    @Test func `gets the sentence of a refusal, and nothing is added`() async throws {
        let said = try await answers(
            #"{"id":1,"call":"offer","key":"abcd-1234","download":{"url":"http://bad.example/"}}"#)
        #expect(said == [#"{"error":{"code":"invalid_url","message":"That is no URL."},"id":1}"#])
    }

    @Test func `gets an error for an offer without a response, which is removed`() async throws {
        let said = try await answers(offer(#","replaces":true"#))
        #expect(said.first?.contains(#""code":"timed_out""#) == true, "\(said)")
        #expect(daemon.actions == [.removeWithFile])
    }

    @Test func `keeps an offer under its name, once, and drops none that is kept`() async throws {
        var offered = Transfer.sample(id: 1, url: "http://a.example/f")
        offered.tags = ["browser", "browser-offer:abcd-1234"]
        offered.names.given = ".abcd-1234.ferry-offer"
        var kept = Transfer.sample(id: 2, url: "http://a.example/g")
        kept.tags = ["browser", "browser-offer:abcd-5678"]
        kept.names.given = "g"
        daemon.add(offered, kept)
        let said = try await answers(
            #"{"id":1,"call":"keep","key":"abcd-1234","name":"../f.iso"}"#,
            #"{"id":2,"call":"keep","key":"abcd-5678","name":"h"}"#, #"{"id":3,"call":"drop","key":"abcd-5678"}"#,
            #"{"id":4,"call":"drop","key":"none-0000"}"#, #"{"id":5,"call":"keep","key":"none-0000","name":"n"}"#)
        #expect(said.count { $0.contains(#""result":{"id":"#) } == 2)
        #expect(said.count { $0.contains(#""result":{}"#) } == 2)
        #expect(said.contains { $0.contains("Ferry no longer has the download.") })
        #expect(daemon.changes.map(\.name) == ["f.iso"] && daemon.actions.isEmpty)
    }

    /// Whether an offered transfer's response is found (`true`), refused (`false`) or still open.
    private static func outcome(_ change: (inout Transfer) -> Void) -> Bool? {
        var transfer = Transfer.sample(id: 1, url: "http://a.example/f")
        change(&transfer)
        return switch OfferOutcome.of(transfer) {
        case .success: true
        case .failure: false
        case nil: nil
        }
    }

    @Test func `waits for an offer's response, and for nothing that may never come`() {
        #expect(Self.outcome { ($0.state, $0.reason) = (.waiting, .slot) } == nil)
        // Bytes that are counted before the head is recorded say nothing of the file.
        #expect(Self.outcome { ($0.state, $0.bytesReceived, $0.names.chosen) = (.running, 7, nil) } == nil)
        #expect(Self.outcome { ($0.state, $0.names.chosen) = (.running, ".abcd-1234.ferry-offer") } == true)
        #expect(Self.outcome { $0.state = .succeeded } == true)
        for reason in [WaitReason.retry, .server, .authentication, .disk, .network, .destination] {
            #expect(Self.outcome { ($0.state, $0.reason) = (.waiting, reason) } == false)
        }
        for state in [TransferState.failed, .canceled, .suspended, .unknown] {
            #expect(Self.outcome { $0.state = state } == false)
        }
    }

    @Test func `opens a finished file that no desktop would run, and the folder of any`() throws {
        var transfer = Transfer.sample(id: 1, url: "http://a.example/f")
        (transfer.state, transfer.destination) = (.succeeded, "/d/a.iso")
        #expect(try DesktopTarget(of: transfer, isFolder: false).path == "/d/a.iso")
        #expect(try DesktopTarget(of: transfer, isFolder: true).path == "/d")
        transfer.destination = "/d/a.desktop"
        #expect(throws: ServiceError.self) { try DesktopTarget(of: transfer, isFolder: false) }
        (transfer.state, transfer.destination) = (.running, "/d/a.iso")
        #expect(throws: ServiceError.self) { try DesktopTarget(of: transfer, isFolder: false) }
    }

    @Test func `learns where the page is`() async throws {
        let said = try await answers(#"{"id":1,"call":"page"}"#)
        #expect(said == [#"{"id":1,"result":{"url":"http://127.0.0.1:6800/#code=ABCDEFGH"}}"#])
    }

    @Test func `skips a message that is too long, and answers it with a sentence`() async throws {
        var frames = MessageFrames()
        #expect(frames.append([1, 0]).isEmpty)
        #expect(frames.append([0, 0]).isEmpty)
        #expect(frames.append([7, 0, 0, 0, 0]) == [.message([7]), .message([])])
        let length = MessageFrames.mostBytes + 1
        let long = MessageFrames.frame([UInt8](repeating: 0, count: length))
        #expect(frames.append(long[..<100]) == [.oversized(length)])
        #expect(frames.append(long[100...] + MessageFrames.frame([8])) == [.message([8])])

        let said = try await answers(String(repeating: "x", count: length), #"{"id":1,"call":"hello"}"#, cut: 65536)
        #expect(said.count == 2 && said[0].contains("A message has \(length) bytes; 1048576 are the most."))
        #expect(said[0].contains(#""id":0"#) && said[1].contains("version"))
    }

    @Test func `counts the running, the waiting and the failed transfers, without offers`() {
        var one = Transfer.sample(id: 1, url: "http://a.example/f")
        one.state = .running
        (one.bytesReceived, one.bytesExpected, one.bytesPerSecond) = (10, 40, 5)
        var other = one
        other.state = .waiting
        var offer = one
        (offer.names.given, offer.tags) = (".abcd-1234.ferry-offer", ["browser", "browser-offer:abcd-1234"])
        var failed = one
        (failed.state, failed.tags, failed.error) = (.failed, ["browser"], ServiceError(.offline, "No network."))
        var foreign = failed
        foreign.tags = []
        // A name from a server is no offer's.
        other.names.given = "a.ferry-offer"
        let summary = NativeResult.Summary(
            active: [one, other, offer], waiting: 3, ended: [failed, foreign], now: .distantPast)
        #expect(summary.running == 1 && summary.waiting == 4 && summary.failed == 1)
        #expect(summary.received == 10 && summary.expected == 40 && summary.speed == 5)
        #expect(summary.ended.map(\.why) == ["No network."])
        one.bytesExpected = nil
        #expect(NativeResult.Summary(active: [one], waiting: 0, now: .distantPast).expected == 0)
    }

    @Test func `says why a transfer waits, in a sentence`() {
        var transfer = Transfer.sample(id: 1, url: "http://a.example/f")
        (transfer.state, transfer.reason) = (.waiting, .retry)
        transfer.error = ServiceError(.connectFailed, "127.0.0.1 refused the connection.")
        let why = NativeResult.Item(transfer, now: .distantPast).why
        #expect(why?.hasPrefix("127.0.0.1 refused the connection") == true, "\(why ?? "")")
        (transfer.reason, transfer.error) = (.slot, nil)
        #expect(NativeResult.Item(transfer, now: .distantPast).why == "waits for a free slot")
    }

    @Test func `is registered with each browser of the user's home, and says what was done`() async throws {
        let home = FileManager.default.temporaryDirectory.appendingPathComponent("native-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: home) }
        let flatpak = ".var/app/org.mozilla.firefox"
        // Firefox as of 147, without a folder of former versions.
        for folder in [".config/mozilla/firefox", ".config/chromium", flatpak, "snap/chromium/common/chromium"] {
            try FileManager.default.createDirectory(atPath: "\(home)/\(folder)", withIntermediateDirectories: true)
        }
        let console = RecordingConsole()
        #expect(await ferry("native-host", "--install", console: console, environment: ["HOME": home]) == 0)
        let name = "ferry.native_host.json"
        let files = [
            "\(home)/.mozilla/native-messaging-hosts/\(name)", "\(home)/.config/chromium/NativeMessagingHosts/\(name)",
            "\(home)/\(flatpak)/.mozilla/native-messaging-hosts/\(name)",
        ]
        #expect(
            console.output == """
                Firefox: \(files[0])
                Chromium: \(files[1])
                Chromium (Snap): not registered
                Firefox (Flatpak): \(files[2])

                """)
        #expect(
            console.talk.contains("flatpak override --user --talk-name=org.freedesktop.Flatpak org.mozilla.firefox"))
        #expect(console.talk.contains("Chromium (Snap): It cannot start programs of the system"))
        for (file, key) in zip(files, ["allowed_extensions", "allowed_origins", "allowed_extensions"]) {
            let data = try Data(contentsOf: URL(fileURLWithPath: file))
            let manifest = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            #expect(manifest["name"] as? String == "ferry.native_host" && manifest["type"] as? String == "stdio")
            #expect((manifest[key] as? [String])?.count == 1)
            let path = try #require(manifest["path"] as? String)
            #expect(FileManager.default.isExecutableFile(atPath: path))
            let script = try String(contentsOfFile: path, encoding: .utf8)
            let isConfined = file.contains(flatpak)
            #expect(script.hasPrefix("#!/bin/sh\nexec " + (isConfined ? "flatpak-spawn --host '\(home)/" : "'/")))
            #expect(script.hasSuffix(isConfined ? "/native-host' \"$@\"\n" : "' native-host \"$@\"\n"))
        }
        #expect(NativeInstallation.script(for: "/a'b").contains(#"'/a'\''b'"#))
    }

    @Test func `is registered with a browser that has not been started yet`() {
        let firefox = NativeBrowser.all.filter {
            $0.isInstalled(exists: { _ in false }, program: { $0 == "firefox-esr" })
        }
        #expect(firefox.map(\.name) == ["Firefox"])
    }

    @Test func `says that no browser is known, and what to do`() async throws {
        let console = RecordingConsole()
        let home = FileManager.default.temporaryDirectory.appendingPathComponent("native-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: home) }
        #expect(await ferry("native-host", "--install", console: console, environment: ["HOME": home]) == 0)
        #expect(console.output.isEmpty && console.talk.contains("ferry native-host --manifest firefox"))
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
