import CommandKit
import FerryAPI
import FerryCore
import Foundation
import Synchronization
import Testing

@testable import FerryCommands

@Suite(.timeLimit(.minutes(1))) struct `The gateway's commands` {
    private let daemon = FakeDaemon()

    private func run(_ words: String...) async -> (status: Int32, out: [String], said: [String]) {
        let console = RecordingConsole()
        let context = CommandContext(
            console: console, environment: ["HOME": "/home/u"], currentFolder: "/home/u"
        ) { [daemon] in daemon }
        let status = await FerryProgram.run(words, in: context)
        func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }
        return (status, lines(console.output), lines(console.talk))
    }

    @Test func `on prints where it answers, and what clients need`() async {
        let on = await run("gateway", "on", "--port", "7000")
        #expect(on.status == 0)
        #expect(on.out == ["http://127.0.0.1:7000/jsonrpc", "http://[::1]:7000/jsonrpc"])
        #expect(on.said == ["Clients need the secret that `ferry gateway secret` prints."])
        let open = await run("gateway", "on", "--address", "10.0.0.1")
        #expect(open.said.first?.contains("Other machines") == true && open.said.first?.contains("TLS") == true)
        #expect(await run("web").out == ["http://10.0.0.1:7000/#code=ABCDEFGH"])
        let status = await run("gateway", "status").out
        #expect(status.first == "gateway:     on" && status.contains("folder:      /home/u/Downloads"))
        #expect(await run("gateway", "off").status == 0)
        let web = await run("web")
        #expect(web.out == ["http://10.0.0.1:7000/#code=ABCDEFGH"])
        #expect(web.said == ["The gateway is on; `ferry gateway off` turns it off."])
    }

    /// All users can see a program's arguments.
    @Test func `web opens the browser with a file that the user alone can read`() async throws {
        let home = FileManager.default.temporaryDirectory.appendingPathComponent("web-\(UUID())").path
        try FileManager.default.createDirectory(
            atPath: home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: home) }
        let console = RecordingConsole()
        var context = CommandContext(
            console: console, environment: ["HOME": "/home/u", "FERRY_HOME": home, "DISPLAY": ":0"],
            currentFolder: "/home/u"
        ) { [daemon] in daemon }
        let note = Launched()
        context.launch = { words in
            note.words.withLock { $0 = words }
            return true
        }
        #expect(await FerryProgram.run(["web"], in: context) == 0)
        #expect(console.output == "http://127.0.0.1:6800/\n")
        let file = home + "/run/page.html"
        #expect(note.words.withLock { $0 } == ["xdg-open", "file://" + file])
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("url=http://127.0.0.1:6800/#code=ABCDEFGH"))
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    private final class Launched: Sendable { let words = Mutex<[String]>([]) }

    @Test func `on says why it does not answer`() async {
        daemon.fakeGateway.state.withLock { $0.problems = ["http://127.0.0.1:6800: another program uses the port."] }
        let on = await run("gateway", "on")
        #expect(on.status == ErrorExit.own.rawValue && on.out.isEmpty)
        #expect(on.said.first == "ferry: http://127.0.0.1:6800: another program uses the port.")
        #expect(await run("web").status != 0)
    }

    @Test func `paths are made absolute, and certificate and key belong together`() async {
        _ = await run("gateway", "on", "--certificate", "c.pem", "--key", "~/k.pem")
        _ = await run("gateway", "folders", "--add", "media", "--remove", "/srv/x/")
        let changes = daemon.fakeGateway.state.withLock(\.changes)
        #expect(changes[0].certificate == "/home/u/c.pem" && changes[0].key == "/home/u/k.pem")
        #expect(changes[1].addedFolders == ["/home/u/media"] && changes[1].removedFolders == ["/srv/x"])
        #expect(await run("gateway", "on", "--key", "k.pem").status == 64)
        #expect(await run("gateway", "folders").out == ["/home/u/Downloads", "/home/u/media"])
    }

    @Test func `secrets, codes and clients are printed and taken back`() async {
        #expect(await run("gateway", "secret").out == ["first"])
        #expect(await run("gateway", "secret", "--new").out == ["second"])
        let pair = await run("gateway", "pair")
        #expect(pair.out == ["23456789"] && pair.said == ["Type it into the client within 60 seconds."])
        #expect(await run("gateway", "pair", "--json").out == [#"{"code":"23456789","seconds":60}"#])
        #expect(await run("gateway", "clients").said == ["No client is paired."])
        daemon.fakeGateway.state.withLock {
            $0.clients = [GatewayClient(id: "1", name: "phone", pairedAt: Date(timeIntervalSince1970: 0))]
        }
        #expect(await run("gateway", "clients").out.last == "1   phone  1970-01-01T00:00:00Z")
        #expect(await run("gateway", "clients", "--remove", "2").status == 64)
        #expect(await run("gateway", "clients", "--remove", "1").said == ["No client is paired."])
    }

    @Test func `origins, names and what is seen are changed`() async {
        #expect(await run("gateway", "allow", "https://a.example").out == ["https://a.example"])
        #expect(await run("gateway", "allow", "*").said.count == 1)
        _ = await run("gateway", "allow", "--remove", "--host", "nas")
        _ = await run("gateway", "show", "all")
        let changes = daemon.fakeGateway.state.withLock(\.changes)
        #expect(changes[0].addedOrigins == ["https://a.example"])
        #expect(changes[2].removedNames == ["nas"] && changes[2].addedNames == nil)
        #expect(changes[3].showsAll == true)
        #expect(await run("gateway", "show", "some").status == 64)
    }
}
