import CommandKit
import FerryCore
import Testing

@testable import FerryCommands

@Suite struct `ferry settings` {
    private let daemon = FakeDaemon()
    private let console = RecordingConsole()

    private func run(_ words: String...) async -> Int32 {
        let context = CommandContext(console: console, environment: [:], currentFolder: "/") { daemon }
        return await FerryProgram.run(["settings"] + words, in: context)
    }

    @Test func `shows each setting with its range and its usual value`() async throws {
        _ = try await daemon.changeSettings(ServiceSettingsChange(words: ["reserve=1500", "active_transfers=32"]))
        #expect(await run() == 0)
        #expect(
            console.output == """
                SETTING               VALUE  DEFAULT  RANGE               MEANING
                active_transfers      32     16       1 to 1000           running transfers
                connections_per_host  8      8        1 to 64             connections per host
                connections_total     128    128      1 to 4096           connections in total
                small_files_per_host  32     100      1 to 1000           small files of one host at a time, if that is faster
                rate_limit            0      0        0 or at least 1024  bytes per second in total, 0 for no limit
                upload_rate_limit     0      0        0 or at least 1024  bytes per second of uploads, 0 for no separate limit
                slow                  false  false    true or false       whether slow_rate_limit applies
                slow_rate_limit       1M     1M       at least 1024       bytes per second in total while slow is true
                reserve               1500   64M      at least 0          bytes to keep free on each disk
                constrained           false  false    true or false       whether to use networks sparingly (low data mode)

                """)
    }

    @Test func `changes several settings, and shows what holds then`() async throws {
        #expect(await run("rate_limit=8M", "constrained=true", "connections_per_host=4", "--json") == 0)
        let settings = try await daemon.settings()
        #expect(settings.rateLimit == 8 << 20 && settings.constrained && settings.connectionsPerHost == 4)
        #expect(settings.activeTransfers == ServiceSettings().activeTransfers)
        #expect(console.output.contains("\"rate_limit\":8388608"))
    }

    @Test(
        arguments: [
            ("rate_limit", "write it as"), ("speed=8", "active_transfers, connections_per_host"),
            ("active_transfers=many", "1 to 1000, not “many”"), ("active_transfers=0", "1 to 1000, not 0"),
            ("rate_limit=5", "0 or at least 1024"), ("constrained=yes", "true or false"),
            ("reserve=-1", "800000, 500k"),
        ])
    func `a word that makes no sense changes nothing and says what does`(
        word: String, sentence: String
    ) async throws {
        #expect(await run("connections_total=64", word) == 64)
        #expect(console.talk.contains(sentence))
        #expect(try await daemon.settings() == ServiceSettings())
    }

    @Test(arguments: [0, 1, 1023, 1024, 1536, 8 << 20, 3 << 40, Int64.max] as [Int64])
    func `bytes are shown as they are read back`(bytes: Int64) throws {
        #expect(try ByteAmount.parse(ByteText.exact(bytes)) == bytes)
    }
}
