import FerryCore
import FerryQueue
import FerryRules
import FerryStore
import FerryTesting
import Foundation
import Logging
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct `A stored byte count that is not true` {
    private static let body = SeededBody(seed: 74, size: 1 << 20)
    private static let half: Int64 = 512 << 10

    enum Damage: CaseIterable {
        /// The journal claims more bytes than exist.
        case count
        /// The partial file has fewer bytes than the journal claims.
        case file
    }

    /// A resume from a byte count that the partial file does not have would produce a damaged file.
    @Test(arguments: Damage.allCases)
    func `costs its bytes and nothing else`(damage: Damage) async throws {
        let script = OriginScript(Self.body, .on(.request(1), .hold("never", at: .body(Self.half))))
        try await withApp(script) { app in
            let url = app.origin.url("/file")
            let first = try app.launch("manager", "download \(url)", "bytes \(url) \(Self.half)", "suspend \(url)")
            try await first.line("handled suspend")
            await first.kill()
            try await app.daemon.terminateDaemon()
            switch damage {
            case .count: try await Self.claim(Self.half + 1000, in: app.daemon.home + "/state/journal.sqlite")
            case .file:
                let name = try #require(app.partialFiles.first)
                let file = try FileHandle(forUpdating: URL(filePath: "\(app.cache)/Tmp/\(name)"))
                try file.truncate(atOffset: 1000)
                try file.close()
            }
            let second = try app.launch("manager", "events \(url)", "start \(url)", "reaches \(url) succeeded")
            try await second.line("reached")
            try await second.line("event /file succeeded")
            #expect(second.lines("event /file restarted").count == 1, "\(second.story)")
            #expect(app.origin.requests.map { $0.value("Range") } == [nil, nil])
            #expect(try app.digests() == [Self.body.sha256Hex])
        }
    }

    /// Makes the journal claim that the first `bytes` bytes are on disk.
    private static func claim(_ bytes: Int64, in path: String) async throws {
        let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let journal = try await SQLiteJournal.open(at: path, logger: quiet).journal
        let page = try await journal.read { reader throws(ServiceError) in try reader.page(JournalFilter()) }
        try await journal.commit { transaction throws(ServiceError) in
            for var record in page {
                record.facts.ranges = ByteRangeSet(0..<bytes)
                _ = try transaction.update(record)
            }
        }
        await journal.close()
    }
}
