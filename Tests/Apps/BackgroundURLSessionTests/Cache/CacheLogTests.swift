import FerryTesting
import Foundation
import Testing

@testable import FerryURLSession

@Suite struct `The log of a folder of responses` {
    private let name = CacheName(resource: String(repeating: "a", count: 32), variant: "0123456789abcdef")
    private let short = CacheName(resource: String(repeating: "b", count: 32), variant: "0")

    private var changes: [CacheLog.Change] {
        [
            .added(name, size: 1 << 40, stored: Date(timeIntervalSinceReferenceDate: 7.25)), .removed(short),
            .added(short, size: 0, stored: Date(timeIntervalSinceReferenceDate: 0)),
        ]
    }

    @Test func `reports each change to every other process, once`() async throws {
        try await withTemporaryFolder { folder in
            var one = try #require(CacheLog(in: folder.path))
            var other = try #require(CacheLog(in: folder.path))
            let isAppended = one.append(changes)
            let (own, news, again) = (one.news(), other.news(), other.news())
            #expect(isAppended && own.isEmpty && news == changes && again.isEmpty)
            #expect(!one.isRemoved && !one.isWornOut)
        }
    }

    @Test func `leaves out a record that is cut, or is none, and is begun anew then`() async throws {
        try await withTemporaryFolder { folder in
            var log = try #require(CacheLog(in: folder.path))
            _ = log.append(changes)
            let path = folder.file(CacheLog.name)
            let whole = try Data(contentsOf: URL(fileURLWithPath: path))
            for count in whole.count - 64..<whole.count {
                try whole.prefix(count).write(to: URL(fileURLWithPath: path))
                var cut = try #require(CacheLog(in: folder.path))
                let news = cut.news()
                #expect(news == Array(changes.prefix(2)) && cut.isWornOut)
            }
            let noise = Data((0..<whole.count).map { UInt8(truncatingIfNeeded: $0 &* 131) })
            try noise.write(to: URL(fileURLWithPath: path))
            var other = try #require(CacheLog(in: folder.path))
            let news = other.news()
            #expect(news.isEmpty)
        }
    }

    @Test func `is worn out once it is long, and knows when another has taken its place`() async throws {
        try await withTemporaryFolder { folder in
            var log = try #require(CacheLog(in: folder.path))
            let isAppended = log.append(Array(repeating: .removed(name), count: 1010))
            #expect(isAppended && log.isWornOut && !log.isRemoved)
            try FileManager.default.removeItem(atPath: folder.file(CacheLog.name))
            #expect(log.isRemoved)
        }
    }
}
