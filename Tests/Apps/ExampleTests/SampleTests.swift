import FerryTesting
import Foundation
import Glibc
import Testing

/// A sample from an article: its server's behavior and a line that it must print.
struct Sample: Sendable, CustomTestStringConvertible {
    let name: String
    var rules: [OriginRule] = []
    /// Prefix of a line to be printed.
    let prints: String
    /// Suffix of the path of a file with the server's bytes, below the home.
    var file: String?

    var testDescription: String { name }
}

@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: ExamplePrograms.folder != nil))
struct `Samples of the articles` {
    private static let body = SeededBody(seed: 720, size: 300_000)

    private static let ferry = [
        Sample(name: "chain", prints: "/", file: "file.bin"),
        Sample(name: "localManager", prints: "/", file: "file.bin"),
        Sample(name: "trust", prints: "trusted 200", file: "file.bin"),
        Sample(name: "goOnLater", prints: "returned"),
        Sample(name: "tokens", rules: [.on(.request(1), .status(401))], prints: "renewed 200"),
        Sample(
            name: "latest", rules: [.on(.always, .status(200, body: #"{"version": "2.1"}"#))], prints: "version 2.1"),
        Sample(name: "place", prints: "/", file: "file.bin"),
        Sample(name: "firstManager", prints: "1.0"),
        Sample(name: "tell", prints: "succeeded 1"),
        Sample(name: "findWaiting", prints: "returned"),
        Sample(name: "AppDelegate", prints: "default"),
        Sample(name: "cacheOfItsOwn", prints: "movie.mp4", file: "Movies/movie.mp4"),
        Sample(name: "compare", prints: "another file"),
        Sample(name: "keepModel", prints: "a model http", file: ".bin"),
        Sample(name: "film", prints: "1.0"),
        Sample(name: "Mirror", prints: "indexed two", file: "/two"),
        Sample(name: "startFailedAgain", rules: [.on(.request(1), .status(404))], prints: "indexed one", file: "/one"),
        Sample(name: "loggingManager", prints: "returned"),
        Sample(name: "ServiceLogger", prints: "service "),
        Sample(name: "wait", prints: "/"),
        Sample(name: "sayMore", prints: "succeeded", file: "image.iso"),
        Sample(name: "result", rules: [.on(.always, .status(404))], prints: "The server says 404."),
        Sample(name: "steer", prints: "steered "),
        Sample(name: "replace", rules: [.on(.request(1), .status(403))], prints: "replaced "),
        Sample(name: "group", prints: "1 300000 300000"),
        Sample(name: "limitAndWait", prints: "limited waiting"),
    ]

    private static let session = [
        Sample(name: "begin", prints: "returned", file: "file.bin"),
        Sample(name: "waitForFile", prints: "300000", file: "waited.bin"),
        Sample(name: "watchFile", prints: "/"),
        Sample(name: "leave", prints: "returned", file: "file.bin"),
        Sample(name: "configure", rules: [.on(.always, .status(200, body: "test"))], prints: "returned"),
    ]

    @Test(arguments: ferry) func `do with Ferry what their article says`(sample: Sample) async throws {
        try await run(sample, "DocumentationSamples", more: [Self.body.sha256Hex])
    }

    @Test(arguments: session) func `do with URLSession what their article says`(sample: Sample) async throws {
        try await run(sample, "SessionSamples")
    }

    @Test func `take up requests of an earlier process`() async throws {
        let script = OriginScript(Self.body, .on(.request(1), .hold("middle", at: .body(100_000))))
        try await withExample(script) { daemon, origin in
            let words = [origin.url("/file.bin"), Self.body.sha256Hex]
            let first = try daemon.lineBuffered("DocumentationSamples", ["localManager"] + words)
            await origin.waitForHold("middle")
            first.send(SIGKILL)
            _ = await first.result()
            origin.release("middle")
            let second = try daemon.lineBuffered("DocumentationSamples", ["takeUp"] + words)
            try await second.printsLine(beginning: origin.url("/file.bin"))
            try await second.printsLine(beginning: "/")
        }
    }

    /// Runs a sample. The proxy sends requests for example.org, the host in samples, to the origin.
    private func run(_ sample: Sample, _ program: String, more: [String] = []) async throws {
        let script = OriginScript(Self.body, rules: sample.rules)
        try await withOrigin(script, tls: .trusted) { secure in
            let proxy = try await ScriptedProxy.start(.divert(secure.port))
            try await withExample(script) { daemon, origin in
                let environment = [
                    "https_proxy": "http://127.0.0.1:\(proxy.port)", "SSL_CERT_FILE": secure.caFile ?? "",
                ]
                let app = try daemon.lineBuffered(
                    program, [sample.name, origin.url("/file.bin")] + more, environment: environment)
                try await app.printsLine(beginning: sample.prints)
                if let file = sample.file {
                    try await eventually("\(file) is there: \(app.stdout)\(app.stderr)") {
                        try daemon.stored(endingIn: file).contains {
                            try FileDigest.sha256($0) == Self.body.sha256Hex
                        }
                    }
                }
                app.send(SIGKILL)
                _ = await app.result()
            }
            await proxy.shutdown()
        }
    }
}
