import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct `A partial file that another program replaces` {
    /// The object that takes the place of the verified file.
    enum Intruder: CaseIterable, Sendable {
        case file, link, nothing
    }

    /// Time of the replacement: while the verified file gets its attributes, or between the last check and the rename.
    enum Moment: CaseIterable, Sendable {
        case attributes, rename
    }

    private static let sizes: [Int64] = [10_000, 300_000]

    /// Replaces the partial file.
    private static func replace(_ harness: EngineHarness, by intruder: Intruder) throws {
        let path = harness.path(EngineHarness.partialName)
        try FileManager.default.moveItem(atPath: path, toPath: harness.outside.file("taken"))
        switch intruder {
        case .file: try harness.put(EngineHarness.partialName, "evil")
        case .link: try harness.link(EngineHarness.partialName, to: harness.outside.file("taken"))
        case .nothing: break
        }
    }

    @Test(arguments: Moment.allCases, sizes)
    func `is not placed, and its transfer begins again`(moment: Moment, size: Int64) async throws {
        for policy in [ConflictPolicy.unique, .replace] {
            for intruder in Intruder.allCases {
                try await expectFetchedAgain(intruder, at: moment, size, policy)
            }
        }
    }

    private func expectFetchedAgain(
        _ intruder: Intruder, at moment: Moment, _ size: Int64, _ policy: ConflictPolicy
    ) async throws {
        let body = SeededBody(seed: 92, size: size)
        let reached = Mutex<(@Sendable (LifecycleStep) -> Void)?>(nil)
        try await withEngine(
            OriginScript(body), configured: { $0.reached = { step in reached.withLock(\.self)?(step) } }
        ) { harness, origin in
            let isFirst = Atomic(true)
            let act = { @Sendable in
                if isFirst.exchange(false, ordering: .relaxed) { try? Self.replace(harness, by: intruder) }
            }
            switch moment {
            case .attributes: reached.withLock { $0 = { if $0 == .attributesSet { act() } } }
            case .rename: harness.disk.before(.rename, act)
            }
            let request = harness.request(origin.url()) {
                $0.response.checksums = [body.checksum(.sha256)]
                $0.file.onConflict = policy
            }
            let history = await harness.transfer(request)
            reached.withLock { $0 = nil }
            let left = intruder == .nothing ? [] : [EngineHarness.partialName]
            try harness.expectFile(history, body, among: left)
            #expect(history.success?.verified == [body.checksum(.sha256)])
            let wasReplaced = !isFirst.load(ordering: .relaxed)
            #expect(wasReplaced)
            if intruder == .file { #expect(harness.text(EngineHarness.partialName) == "evil") }
            if intruder != .nothing { #expect(history.codes == [.partialLost]) }
        }
    }

    @Test func `is not taken over by another transfer`() async throws {
        let body = SeededBody(seed: 93, size: 300_000)
        try await withEngine(OriginScript(body, always: .cut(after: 100_000))) { harness, origin in
            let partial = try #require(
                await harness.transfer(harness.request(origin.url()), tries: 1).facts.partial)
            let name = ReleasedName.of(EngineHarness.id)
            try await harness.engine.files.renamePartialFile(partial, to: name, cutAt: 1000)
            harness.disk.before(.rename) {
                harness.disk.before(.rename, nil)
                unsafe unlink(harness.path(name))
                try? harness.put(name, "evil")
            }
            let source = PartialSource(
                path: harness.path(name), offset: 4, etag: nil, lastModified: nil, date: nil, completeLength: nil)
            let error = await #expect(throws: ServiceError.self) {
                _ = try await harness.engine.files.takeOverPartialFile(
                    source, for: TransferID(rawValue: 0x5678), in: harness.folder)
            }
            #expect(error?.code == .partialLost)
            #expect(harness.text(name) == "evil")
        }
    }
}
