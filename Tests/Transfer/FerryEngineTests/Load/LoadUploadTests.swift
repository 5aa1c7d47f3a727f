import FerryCore
@testable import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import NIOCore
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Uploads of loads` {
    private let content = SeededBody(seed: 36, size: 400_000)

    private func request(_ server: UploadServer, method: String = "POST") -> LoadRequest {
        var request = LoadRequest(url: server.url(), method: method, body: .bytes(Data(content.bytes)))
        request.isUpload = true
        return request
    }

    private func text(_ load: Load) async throws -> String {
        var all = Data()
        while let part = try await load.part() { all += part }
        return String(decoding: all, as: UTF8.self)
    }

    @Test func `an upload goes on after a cut, and shows where it is`() async throws {
        var behaviour = UploadBehaviour()
        behaviour.faults = [1: .cut(afterBytes: 100_000), 3: .cut(afterBytes: 100_000)]
        try await withUploads(behaviour) { harness, server, _ in
            let load = Load(request(server), engine: harness.engine, advisor: nil)
            let sent = Mutex<Int64>(0)
            let informed = Mutex<[Int]>([])
            load.onSent { total in sent.withLock { $0 = total } }
            load.onInformational { head in informed.withLock { $0.append(head.status) } }
            let head = try await load.head()
            #expect(head.status == 201)
            let text = try await text(load)
            #expect(text == "stored")
            #expect(server.completed["/in"]?.readableBytesView.elementsEqual(content.bytes) == true)
            #expect(server.bytesReceived == content.size)
            #expect(sent.withLock(\.self) == content.size)
            #expect(informed.withLock(\.self) == [104])
            #expect(load.exchanges.map(\.method) == ["POST", "HEAD", "PATCH", "HEAD", "PATCH"])
        }
    }

    @Test func `a cut of a server without support is an error`() async throws {
        var behaviour = UploadBehaviour()
        behaviour.resumes = false
        behaviour.faults = [1: .cut(afterBytes: 100_000)]
        try await withUploads(behaviour) { harness, server, _ in
            let load = Load(request(server), engine: harness.engine, advisor: nil)
            let error = await #expect(throws: ServiceError.self) { try await load.head() }
            #expect(error?.code == .connectionLost)
            #expect(load.upload == nil)
            #expect(server.requests.count == 1)
        }
    }

    @Test func `another load goes on with a canceled upload`() async throws {
        var behaviour = UploadBehaviour()
        behaviour.faults = [1: .cut(afterBytes: 100_000)]
        // The first load waits for a server that stays unavailable.
        behaviour.always = .status(503)
        try await withUploads(behaviour) { harness, server, _ in
            let first = Load(request(server), engine: harness.engine, advisor: nil)
            let task = Task { try await first.head() }
            try await eventually("the server has bytes") { server.requests.count >= 2 }
            first.cancel()
            _ = await task.result
            let facts = try #require(first.upload)
            server.behave { $0.always = nil }
            var request = request(server)
            request.continues = facts
            let second = Load(request, engine: harness.engine, advisor: nil)
            let head = try await second.head()
            #expect(head.status == 201)
            #expect(server.completed["/in"]?.readableBytesView.elementsEqual(content.bytes) == true)
            #expect(server.bytesReceived == content.size)
        }
    }

    @Test func `an upload that brings nothing for the request's timeout ends`() async throws {
        var behaviour = UploadBehaviour()
        behaviour.faults = [1: .cut(afterBytes: 100_000)]
        behaviour.always = .status(503)
        try await withUploads(behaviour) { harness, server, _ in
            var request = request(server)
            request.idleTimeout = 0.2
            let load = Load(request, engine: harness.engine, advisor: nil)
            let error = await #expect(throws: ServiceError.self) { try await load.head() }
            #expect(error?.code == .serverBusy)
            #expect(load.upload?.resource != nil)
        }
    }

    @Test func `a file that changes ends the upload`() async throws {
        var behaviour = UploadBehaviour()
        behaviour.faults = [1: .cut(afterBytes: 100_000)]
        try await withUploads(behaviour) { harness, server, file in
            server.behave { $0.announcesAfter = 50_000 }
            let request = LoadRequest(url: server.url(), method: "PUT", body: .file(path: file.path))
            let load = Load(request, engine: harness.engine, advisor: nil)
            load.onInformational { _ in
                // After the first bytes were sent, and before the remaining ones are read.
                try? Data("other".utf8).write(to: URL(filePath: file.path))
                let handle = FileHandle(forUpdatingAtPath: file.path)
                try? handle?.truncate(atOffset: 5)
                try? handle?.close()
            }
            _ = await #expect(throws: ServiceError.self) { try await load.head() }
            #expect(server.completed.isEmpty)
        }
    }
}

@Suite struct `Outages of uploads` {
    @Test func `pauses grow while nothing comes, and end with the patience`() {
        let start = SuspendingClock.now
        var facts = UploadFacts(url: "http://a.example/")
        var outage = UploadOutage(nil)
        let first = outage.pause(after: facts, patience: 60, now: start)
        #expect(first.map { (0.8...1.2).contains($0) } == true)
        let second = outage.pause(after: facts, patience: 60, now: start + .seconds(59))
        #expect(second.map { (1.6...2.4).contains($0) } == true)
        let third = outage.pause(after: facts, patience: 60, now: start + .seconds(60))
        #expect(third == nil)
        facts.frontier = 1
        let later = outage.pause(after: facts, patience: 60, now: start + .seconds(61))
        #expect(later.map { (0.8...1.2).contains($0) } == true)
    }
}
