import FerryCore
import FerryDisk
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Synchronization
import Testing
@testable import FerryEngine

@Suite(.timeLimit(.minutes(1))) struct `A partial file that changes while its transfer is not running` {
    private static let body = SeededBody(seed: 94, size: 300_000)
    private static let received: Int64 = 150_000
    private static let script = OriginScript(body, .on(.request(1), .cut(after: received)))

    enum Change: CaseIterable, Sendable {
        /// One byte is changed.
        case byte
        /// One byte is changed, and the modification time is restored.
        case hiddenByte
        case cut, growth
    }

    private static func make(_ change: Change, _ path: String) throws {
        let before = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        switch change {
        case .byte, .hiddenByte:
            try file.seek(toOffset: 70_000)
            let byte = try #require(try file.read(upToCount: 1)?.first)
            try file.seek(toOffset: 70_000)
            try file.write(contentsOf: Data([~byte]))
        case .cut: try file.truncate(atOffset: 100_000)
        case .growth:
            try file.seekToEnd()
            try file.write(contentsOf: Data("more".utf8))
        }
        try file.close()
        guard change == .hiddenByte, let before = before as? Date else { return }
        try FileManager.default.setAttributes([.modificationDate: before], ofItemAtPath: path)
    }

    /// - Parameter isSameProcess: Whether the digests of the first attempt are still in memory.
    @Test(arguments: Change.allCases, [true, false])
    func `is never placed with a checksum that it has not`(change: Change, isSameProcess: Bool) async throws {
        try await withEngine(Self.script) { harness, origin in
            let request = harness.request(origin.url()) { $0.response.checksums = [Self.body.checksum(.sha256)] }
            let first = await harness.transfer(request, tries: 1)
            #expect(first.facts.ranges == ByteRangeSet(0..<Self.received))
            try Self.make(change, harness.path(EngineHarness.partialName))
            let digest = isSameProcess ? first.reports.last?.digest : nil
            let second = await harness.transfer(request, from: first.facts) {
                if $0.facts.stamp == first.facts.stamp { $0.digest = digest }
            }
            try harness.expectFile(second, Self.body)
            #expect(origin.requests.last?.value("Range") == nil)
        }
    }

    @Test(arguments: [Change.byte, .cut, .growth])
    func `is fetched again where no checksum judges it`(change: Change) async throws {
        try await withEngine(Self.script) { harness, origin in
            let request = harness.request(origin.url())
            let first = await harness.transfer(request, tries: 1)
            try Self.make(change, harness.path(EngineHarness.partialName))
            let second = await harness.transfer(request, from: first.facts)
            try harness.expectFile(second, Self.body)
            #expect(origin.requests.map { $0.value("Range") } == [nil, nil])
        }
    }

    @Test func `is fetched again where it was whole and waits for its name`() async throws {
        try await withEngine(OriginScript(Self.body)) { harness, origin in
            try harness.put("file.bin", "mine")
            let request = harness.request(origin.url()) {
                $0.file.onConflict = .fail
                $0.file.partialFolder = harness.outside.file("parts")
            }
            let first = await harness.transfer(request, tries: 1)
            #expect(first.facts.ranges == ByteRangeSet(0..<Self.body.size))
            try Self.make(.byte, try #require(first.facts.partial).path)
            try FileManager.default.removeItem(atPath: harness.path("file.bin"))
            try harness.expectFile(await harness.transfer(request, from: first.facts), Self.body)
            #expect(origin.requests.count == 2)
        }
    }

    @Test func `is continued with its digest where nothing has changed`() async throws {
        try await withEngine(Self.script) { harness, origin in
            let request = harness.request(origin.url()) { $0.response.checksums = [Self.body.checksum(.sha256)] }
            // Reading the file again fails.
            harness.disk.fail(.read)
            let history = await harness.transfer(request)
            try harness.expectFile(history, Self.body)
            #expect(origin.requests.map { $0.value("Range") } == [nil, "bytes=\(Self.received)-"])
        }
    }

    /// Network file systems may send data when a file is closed or later. The modification time is then the server's.
    @Test(arguments: [true, false])
    func `is fetched again once where its file system changes times by itself`(hasChecksum: Bool) async throws {
        let script = OriginScript(
            Self.body, .on(.request(1), .cut(after: Self.received)), .on(.requests(2...4), .cut(after: 60_000)))
        try await withEngine(script) { harness, origin in
            let path = harness.path(EngineHarness.partialName)
            let time = Mutex(Date(timeIntervalSince1970: 1_000_000_000))
            harness.disk.before(.openFile) {
                let next = time.withLock { time in
                    time += 10
                    return time
                }
                try? FileManager.default.setAttributes([.modificationDate: next], ofItemAtPath: path)
            }
            let request = harness.request(origin.url()) {
                if hasChecksum { $0.response.checksums = [Self.body.checksum(.sha256)] }
            }
            var history = await harness.transfer(request, tries: 1)
            for _ in 1...4 { history = await harness.transfer(request, from: history.facts, tries: 1) }
            try harness.expectFile(history, Self.body)
            #expect(
                origin.requests.map { $0.value("Range") } == [
                    nil, nil, "bytes=60000-", "bytes=120000-", "bytes=180000-",
                ])
        }
    }

    /// After a crash, the next start must not take the attempt's own writes for changes by another program.
    ///
    /// - Parameter loss: The effect of a power cut, or `nil` if only the process ends.
    @Test(arguments: [nil, .bytes, .bytesAndLengths] as [FaultyDisk.Loss?])
    func `is continued after a crash in the middle of the second attempt`(loss: FaultyDisk.Loss?) async throws {
        let script = OriginScript(
            Self.body, .on(.request(1), .cut(after: Self.received)), .on(.request(2), .cut(after: 50_000)))
        try await withEngine(script) { harness, origin in
            let request = harness.request(origin.url())
            let first = await harness.transfer(request, tries: 1)
            harness.disk.fail(.syncData)
            _ = await harness.transfer(request, from: first.facts, tries: 1)
            harness.disk.fail(.syncData, times: 0)
            if let loss { try harness.disk.forgetUnsynced(loss) }
            try harness.expectFile(await harness.transfer(request, from: harness.journal.facts), Self.body)
            #expect(origin.requests.last?.value("Range") == "bytes=\(Self.received)-")
        }
    }
}

@Suite struct `Files that a transfer resumes with` {
    private func file(
        _ kind: FileIdentity.Kind = .regular, size: Int64 = 100, links: UInt64 = 1, owner: UInt32 = 1000
    ) -> FileIdentity {
        FileIdentity(
            kind: kind, device: 1, inode: 2, size: size, links: links, owner: owner, mode: 0o600, modified: 0,
            changed: 0)
    }

    private func reason(_ found: FileIdentity?) -> String? {
        PartialObjection(to: found, after: 100, user: 1000)?.reason
    }

    @Test func `are regular, of one name, the user's own and long enough`() {
        #expect(reason(file()) == nil)
        #expect(reason(file(size: 101)) == nil)
        #expect(reason(nil) == "is gone")
        #expect(reason(file(.link)) == "is a symbolic link")
        #expect(reason(file(.folder)) == "is a folder")
        #expect(reason(file(.special)) == "is no regular file")
        #expect(reason(file(owner: 0)) == "belongs to user 0, not to user 1000")
        #expect(reason(file(links: 2))?.contains("has 2 hard links") == true)
        #expect(reason(file(size: 99))?.contains("has 99 bytes") == true)
    }
}

@Suite(.timeLimit(.minutes(1))) struct `A partial file that is cut while its transfer writes it` {
    private static let body = SeededBody(seed: 96, size: 3 << 20)

    /// A regression: bytes were written beyond the truncation, so the file had its full size with zeros in the middle.
    @Test(arguments: [0, 100_000, 2_900_000] as [UInt64]) func `is fetched again`(size: UInt64) async throws {
        let script = OriginScript(Self.body, .on(.request(1), .hold("half", at: .body(2 << 20))))
        try await withEngine(script) { harness, origin in
            async let transferred = harness.transfer(harness.request(origin.url()) { $0.transport.connections = 1 })
            await origin.waitForHold("half")
            try await eventually("the bytes are written") { harness.writtenBytes == 2 << 20 }
            let file = try #require(FileHandle(forUpdatingAtPath: harness.path(EngineHarness.partialName)))
            try file.truncate(atOffset: min(size, try file.seekToEnd()))
            try file.close()
            origin.release("half")
            let history = await transferred
            #expect(harness.fileBytes == Self.body.bytes)
            #expect(history.codes == (size < 2 << 20 ? [.partialLost] : []))
        }
    }
}
