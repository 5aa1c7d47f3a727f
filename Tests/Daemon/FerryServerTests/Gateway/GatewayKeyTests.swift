import FerryAPI
import FerryCore
import Foundation
import Logging
import Synchronization
import Testing

@testable import FerryServer

@Suite(.timeLimit(.minutes(1))) struct `Keys of the gateway` {
    @Test func `are the secret and the tokens, and never nothing`() {
        var keys = GatewayKeys()
        #expect(!keys.accept("") && !keys.accept("x"))
        keys.secret = "secret"
        keys.tokens = ["1": "one", "2": ""]
        #expect(keys.accept("secret") && keys.accept("one"))
        for text in ["", "Secret", "secre", "secrets", "two", "1"] { #expect(!keys.accept(text)) }
        var random = SystemRandomNumberGenerator()
        #expect(GatewayKeys.random(using: &random).utf8.count == 64)
    }

    @Test(
        arguments: [
            ("Bearer abc", "abc"), ("bearer  abc", "abc"), ("Basic abc", nil), ("abc", nil), (nil, nil),
            ("Bearer ", nil),
        ] as [(String?, String?)])
    func `come in the field Authorization`(field: String?, token: String?) {
        #expect(GatewayKeys.bearer(field) == token)
    }

    @Test func `let eight wrong ones wait at a time`() async {
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let waiting = Mutex(0)
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        let wrong = WrongSecrets { time in
            #expect(time == .seconds(1))
            waiting.withLock { $0 += 1 }
            beginning.yield()
            for await _ in gate { break }
        }
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<WrongSecrets.most { group.addTask { await wrong.wait() } }
            var count = 0
            for await _ in begun {
                count += 1
                if count == WrongSecrets.most { break }
            }
            #expect(await !wrong.wait())
            opening.finish()
            for await hasWaited in group { #expect(hasWaited) }
        }
        #expect(waiting.withLock(\.self) == WrongSecrets.most)
    }
}

@Suite(.timeLimit(.minutes(1))) struct `A pairing code` {
    private let start = ContinuousClock.now

    @Test func `is good once, within its minute, however it is typed`() {
        var random = SystemRandomNumberGenerator()
        var pairing = OfferedCode()
        func offer() -> String { pairing.offer(at: start, using: &random).code }
        func take(_ code: String, after seconds: Double = 0) -> Bool {
            pairing.take(code, at: start + .seconds(seconds))
        }
        var results = [take("")]
        let code = offer()
        #expect(code.count == 8 && code.allSatisfy { OfferedCode.alphabet.contains($0) })
        results += [take(" \(code.prefix(4).lowercased())-\(code.suffix(4)) ", after: 59), take(code)]
        results.append(take(offer(), after: 60))
        let (third, fourth) = (offer(), offer())
        results += [take(third), take(fourth)]
        #expect(results == [false, true, false, false, false, true])
    }

    @Test func `is valid for a few attempts`() {
        var random = SystemRandomNumberGenerator()
        var pairing = OfferedCode()
        let code = pairing.offer(at: start, using: &random).code
        let results =
            (0..<OfferedCode.attempts).map { _ in pairing.take("00000000", at: start) } + [
                pairing.take(code, at: start)
            ]
        #expect(!results.contains(true))
    }
}

@Suite(.timeLimit(.minutes(1))) struct `The gateway's stored settings` {
    private func gateway(_ folder: String) -> Gateway {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return Gateway(folder: folder, usual: GatewaySettings(folders: ["/d"]), logger: logger)
    }

    @Test func `survives a restart, for its owner alone`() async throws {
        try await withFolder { base in
            let folder = base + "/gateway"
            let first = gateway(folder)
            #expect(await first.status() == GatewayStatus(settings: GatewaySettings(folders: ["/d"])))
            var change = GatewayChange()
            change.isOn = true
            change.addedOrigins = ["https://a.example"]
            _ = try await first.change(change)
            let secret = try await first.secret(isNew: false)
            let code = try await first.pair().code
            let paired = try #require(try await first.pair(.init(code: code, name: "phone")))
            #expect(try await first.pair(.init(code: code, name: "phone")) == nil)
            #expect(try mode(folder) == 0o700)
            for name in ["secret", "settings.json", "clients.json"] { #expect(try mode("\(folder)/\(name)") == 0o600) }

            let second = gateway(folder)
            #expect(await second.status().settings.isOn)
            #expect(second.settingsNow.origins == ["https://a.example"])
            #expect(second.keys.accept(secret) && second.keys.accept(paired.token))
            #expect(await second.clients().map(\.name) == ["phone"])
            try await second.removeClient(paired.id)
            #expect(!second.keys.accept(paired.token))
            let new = try await second.secret(isNew: true)
            #expect(new != secret && second.keys.accept(new) && !second.keys.accept(secret))
            await #expect(throws: ServiceError.self) { try await second.removeClient("9") }
        }
    }

    @Test(arguments: ["", "\n", "short"])
    func `admits nobody with a damaged secret`(text: String) async throws {
        try await withFolder { folder in
            var change = GatewayChange()
            change.isOn = true
            _ = try await gateway(folder).change(change)
            try Data(text.utf8).write(to: URL(filePath: folder + "/secret"))
            let damaged = gateway(folder)
            for await listeners in await damaged.follow() {
                #expect(!listeners.isOn)
                break
            }
            for given in ["", text] { #expect(!damaged.keys.accept(given)) }
            #expect(await damaged.status().problems.count == 1)
            await #expect(throws: ServiceError.self) { try await damaged.change(change) }
            _ = try await damaged.secret(isNew: true)
            #expect(await damaged.status().problems.isEmpty)
            for await listeners in await damaged.follow() {
                #expect(listeners.isOn)
                break
            }
        }
    }

    @Test func `is not replaced where it cannot be read`() async throws {
        try await withFolder { folder in
            try Data("{".utf8).write(to: URL(filePath: folder + "/settings.json"))
            let damaged = gateway(folder)
            #expect(await damaged.status().problems.count == 1)
            var change = GatewayChange()
            change.isOn = true
            await #expect(throws: ServiceError.self) { try await damaged.change(change) }
            #expect(try String(contentsOfFile: folder + "/settings.json", encoding: .utf8) == "{")
        }
    }

    @Test func `refuses a name that is none, and a certificate without its key`() async throws {
        try await withFolder { folder in
            let gateway = gateway(folder)
            for name in ["", String(repeating: "x", count: 65), "a\u{7}b"] {
                await #expect(throws: ServiceError.self) { try await gateway.pair(.init(code: "x", name: name)) }
            }
            var change = GatewayChange()
            change.isOn = true
            change.certificate = folder + "/none.pem"
            change.key = folder + "/none.pem"
            await #expect(throws: ServiceError.self) { try await gateway.change(change) }
            #expect(await !gateway.status().settings.isOn)
        }
    }
}
