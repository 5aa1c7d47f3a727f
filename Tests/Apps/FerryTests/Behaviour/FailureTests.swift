@testable import Ferry
import FerryCore
import FerryTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Failures` {
    private static let body = FerryFixture.body

    private func partialFiles(_ manager: SessionManager) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: manager.cache.downloadTmpPath)) ?? []
    }

    @Test func `of a file that does not fit say how much is missing, before any byte`() async throws {
        let huge = SeededBody(seed: 1, size: 1 << 50)
        try await withFerry(OriginScript(huge, always: .hold("never", at: .body(1)))) { fixture in
            let manager = fixture.manager()
            let task = try #require(manager.download(fixture.origin.url()))
            try await task.reaches(.failed)
            guard case .insufficientDiskSpace(let required, let available)? = task.ferryError else {
                Issue.record("\(String(describing: task.error))")
                return
            }
            #expect(required >= 1 << 50 && available > 0 && available < required && !task.hasFile)
        }
    }

    @Test func `of a name that is taken leave both files, and a start places without another request`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("go", at: .body(1000)))) { fixture in
            let manager = fixture.manager { $0.fileConflictPolicy = .fail }
            let folder = manager.cache.downloadFilePath
            let task = try #require(manager.download(fixture.origin.url(), fileName: "film.mp4"))
            // Written while bytes arrive. Before that, the destination would be rejected without a request.
            try await task.receives(1000)
            let strange = Data("strange".utf8)
            try strange.write(to: URL(filePath: folder + "/film.mp4"))
            fixture.origin.release("go")
            try await task.reaches(.failed)
            #expect(task.ferryError == .fileConflict(path: folder + "/film.mp4"))
            #expect(FileManager.default.contents(atPath: folder + "/film.mp4") == strange)
            #expect(partialFiles(manager).count == 1)
            try FileManager.default.removeItem(atPath: folder + "/film.mp4")
            manager.start(task)
            try await task.reaches(.succeeded)
            #expect(task.digest == Self.body.sha256Hex && fixture.origin.requests.count == 1)
        }
    }

    @Test func `of a code remove the new bytes, and a start begins from 0, which is reported`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("go", at: .body(1000)))) { fixture in
            let manager = fixture.manager { $0.checksumMismatchPolicy = .fail }
            let task = try #require(manager.download(fixture.origin.url()))
            task.validateFile(code: String(repeating: "0", count: 32), type: .md5) { _ in }
            try await answer { manager.start(task, handler: $0) }
            try await task.receives(1000)
            fixture.origin.release("go")
            try await task.reaches(.failed)
            #expect(partialFiles(manager).isEmpty && !task.hasFile)
            // The displayed progress stays until the new start.
            #expect(task.progress.completedUnitCount >= 1000 && task.progress.fractionCompleted > 0)
            task.validateFile(code: Self.body.md5Hex, type: .md5) { _ in }
            // Added before the start, because the events of a failed task end at once.
            let events = EventQueue()
            task.state.withLock { $0.readers.add(events, as: -1) }
            fixture.origin.script = OriginScript(Self.body, always: .hold("again", at: .body(1000)))
            manager.start(task)
            try await task.reaches(.running)
            await fixture.origin.waitForHold("again")
            try await eventually("it begins from 0") { task.progress.completedUnitCount == 1000 }
            fixture.origin.release("again")
            try await task.reaches(.succeeded)
            let told = Notes<DownloadEvent>()
            while let event = await events.next() { told.add(event) }
            #expect(told.words.count { $0 == "restarted" } == 1 && told.words.last == "end succeeded")
            #expect(fixture.origin.requests.last?.value("Range") == nil && task.digest == Self.body.sha256Hex)
        }
    }

    @Test func `of a response that is none, or of too many redirects, are those of the transport`() async throws {
        let script = OriginScript(
            Self.body,
            rules: [.on(.path("/lengths"), .twoLengths), .on(.path("/loop"), .redirect(to: "/loop"))]
                + [OriginRule].redirects(hops: 21))
        try await withFerry(script) { fixture in
            let manager = fixture.manager()
            let loop = try #require(manager.download(fixture.origin.url("/loop")))
            let many = try #require(manager.download(fixture.origin.url("/hop/21")))
            let twenty = try #require(manager.download(fixture.origin.url("/hop/20")))
            let lengths = try #require(manager.download(fixture.origin.url("/lengths")))
            try await lengths.reaches(.failed)
            guard case .transport? = lengths.ferryError else {
                Issue.record("\(String(describing: lengths.error))")
                return
            }
            try await loop.reaches(.failed)
            try await many.reaches(.failed)
            #expect(loop.ferryError == .transport(URLError(.httpTooManyRedirects)))
            #expect(many.ferryError == .transport(URLError(.httpTooManyRedirects)))
            try await twenty.reaches(.succeeded)
            #expect(twenty.url.path == "/hop/20" && twenty.currentURL.path == "/file.bin")
            #expect(twenty.digest == Self.body.sha256Hex)
        }
    }

    @Test func `of the total time keep the partial bytes`() async throws {
        try await withFerry(OriginScript(Self.body, .on(.request(1), .hold("never", at: .body(100_000))))) { fixture in
            let manager = fixture.manager { $0.timeoutIntervalForResource = 2 }
            let task = try #require(manager.download(fixture.origin.url()))
            try await task.reaches(.failed)
            #expect(task.ferryError == .resourceTimeout && partialFiles(manager).count == 1)
            manager.start(task)
            try await task.reaches(.succeeded)
            #expect(fixture.origin.requests.last?.value("Range") == "bytes=100000-")
            #expect(task.error == nil && task.digest == Self.body.sha256Hex)
        }
    }

    @Test func `are forgotten with their task`() async throws {
        try await withFerry(OriginScript(Self.body, always: .status(404))) { fixture in
            let manager = fixture.manager()
            for call in [true, false] {
                let task = try #require(manager.download(fixture.origin.url()))
                try await task.reaches(.failed)
                #expect(task.error != nil)
                try await answer { call ? manager.cancel(task, handler: $0) : manager.remove(task, handler: $0) }
                // docs/behaviour/session-manager.md#K6: only a failed task has an error.
                #expect(task.error == nil && task.status == (call ? .canceled : .removed))
            }
        }
    }

    @Test(arguments: ["", "abc", String(repeating: "0", count: 65)])
    func `of a spec's code that no file has store nothing`(code: String) async throws {
        try await withFerry { fixture in
            let manager = fixture.manager()
            var spec = try DownloadSpec(fixture.origin.url())
            spec.checksum = Checksum(.sha256, code)
            let (refused, good) = (spec, try DownloadSpec(fixture.origin.url("/good")))
            await #expect(throws: FerryError.checksumMismatch(expected: code, actual: "")) {
                try await manager.enqueue([good, refused])
            }
            #expect(manager.tasks.isEmpty)
            #expect(try await fixture.stored() == 0)
        }
    }

    @Test func `of a spec's values say which, to the caller and to the log`() async throws {
        try await withFerry { fixture in
            let notes = Notes<String>()
            let manager = fixture.manager(logger: NotingLogger(notes: notes))
            var spec = try DownloadSpec(fixture.origin.url())
            spec.tags = ["a\nb"]
            let sentence = "A tag has 1 to 255 bytes and no control characters."
            let refused = spec
            await #expect(throws: FerryError.invalidRequest(message: sentence)) { try await manager.enqueue(refused) }
            try await notes.wait("the reason") { $0.contains { $0.hasPrefix("error") && $0.contains(sentence) } }
        }
    }

    /// docs/behaviour/session-manager.md#S10: the options sent to the daemon. The tests of the state machine cover the
    /// retries.
    @Test func `of busy servers are tried five times more, of the network until the total time has passed`() throws {
        let place = try #require(SessionPlace(inProcess: "test"))
        var configuration = SessionConfiguration()
        configuration.timeoutIntervalForResource = 1234
        let mapping = ManagerMapping(configuration, place: place)
        let asked = URLRequest(url: try #require(URL(string: "http://example.org/a")))
        let request = mapping.download(asked, in: Cache("a", downloadPath: "/a"))
        #expect(
            request.timing.statusRetries == 5 && request.timing.giveUpAfter == 0
                && request.timing.resourceTimeout == 1234)
        #expect(mapping.settings.idleTimeout == 60)
    }
}
