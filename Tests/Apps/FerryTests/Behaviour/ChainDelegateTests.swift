import Ferry
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `The delegate and the tasks of a download chain`: ChainSuite {
    private static let body = FerryFixture.body

    @Test func `closures are called with bytes, the end and its times`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("go", at: .body(100_000)))) { fixture in
            let manager = manager(fixture)
            let told = Notes<String>()
            manager.delegate.downloadTaskDidWriteData = { _, task, written, total, expected in
                told.add("\(task.originalRequest?.url?.path ?? "") \(written) \(total) \(expected)")
            }
            manager.delegate.taskDidFinishCollectingMetrics = { _, _, metrics in
                told.add("metrics \(metrics.transactionMetrics.count)")
            }
            manager.delegate.taskDidComplete = { session, task, error in
                let isManagers = session === manager.session
                told.add("end \(task.state == .completed) \(error == nil) \(task.error == nil) \(isManagers)")
            }
            let request = manager.download(fixture.origin.url(), to: destination(fixture.daemon.file("a")))
            try await request.downloadTask.receives(100_000)
            fixture.origin.release("go")
            let result = try await response(request)
            try await told.wait(for: "end true true true true")
            let numbers = told.all.compactMap { line -> [Int]? in
                let parts = line.split(separator: " ")
                return parts.first == "/file.bin" ? parts.dropFirst().compactMap { Int($0) } : nil
            }
            #expect(numbers.last?.dropFirst() == [300_000, 300_000])
            #expect(numbers.reduce(0) { $0 + $1[0] } == 300_000)
            #expect(told.all.suffix(2) == ["metrics 1", "end true true true true"])
            #expect(result.metrics?.transactionMetrics.count == 1 && request.metrics != nil)
        }
    }

    @Test func `a request is a task of its manager's session`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("go", at: .body(100_000)))) { fixture in
            let manager = manager(fixture)
            let request = manager.download(fixture.origin.url(), to: destination(fixture.daemon.file("a")))
            try await request.downloadTask.receives(100_000)
            let task = try #require(request.task)
            #expect(task === request.task && request.session === manager.session)
            #expect(task.state == .running && task.countOfBytesReceived >= 100_000)
            #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
            #expect(manager.delegate[task] === request)
            #expect(await manager.session.allTasks.contains { $0 === task })
            fixture.origin.release("go")
            let result = try await response(request)
            #expect(result.error == nil && request.task === task && task.state == .completed)
            #expect(await manager.session.allTasks.isEmpty)
        }
    }

    @Test func `a resumed download says where`() async throws {
        let script = OriginScript(Self.body, .on(.pathRequests(...1), .hold("never", at: .body(100_000))))
        try await withFerry(script) { fixture in
            let manager = manager(fixture)
            let first = manager.download(fixture.origin.url(), to: nil)
            try await first.downloadTask.receives(100_000)
            first.cancel()
            let data = try #require(try await response(first).resumeData)
            let told = Notes<String>()
            manager.delegate.downloadTaskDidResumeAtOffset = { _, _, offset, expected in
                told.add("resumed \(offset) \(expected)")
            }
            manager.delegate.downloadTaskDidWriteData = { _, _, written, _, _ in told.add("\(written)") }
            let second = manager.download(resumingWith: data, to: destination(fixture.daemon.file("a")))
            #expect(try await response(second).error == nil)
            #expect(told.all.first == "resumed 100000 300000")
            #expect(told.all.dropFirst().compactMap { Int($0) }.reduce(0, +) == 200_000)
        }
    }

    @Test func `the delegate's closure takes the file in place of the destination`() async throws {
        try await withFerry { fixture in
            let manager = manager(fixture)
            let path = fixture.daemon.file("taken")
            manager.delegate.downloadTaskDidFinishDownloadingToURL = { _, _, location in
                try? FileManager.default.moveItem(at: location, to: URL(fileURLWithPath: path))
            }
            let request = manager.download(fixture.origin.url(), to: destination(fixture.daemon.file("a")))
            let result = try await response(request)
            #expect(result.error == nil && result.destinationURL == nil)
            #expect(try FileDigest.sha256(path) == Self.body.sha256Hex)
            #expect(!FileManager.default.fileExists(atPath: fixture.daemon.file("a")))
        }
    }

    enum Decision: CaseIterable { case credential, afterOneWrong, cancel, rejection }

    @Test(arguments: Decision.allCases)
    func `the delegate decides what a server gets that asks who it is`(decision: Decision) async throws {
        let script = OriginScript(Self.body, always: .basic(user: "user", password: "secret"))
        try await withFerry(script) { fixture in
            let manager = manager(fixture)
            let told = Notes<String>()
            let right = URLCredential(user: "user", password: "secret", persistence: .none)
            let wrong = URLCredential(user: "user", password: "wrong", persistence: .none)
            manager.delegate.taskDidReceiveChallenge = { _, _, challenge in
                let space = challenge.protectionSpace
                let isBasic = space.authenticationMethod == NSURLAuthenticationMethodHTTPBasic
                told.add("\(isBasic) \(space.host) \(space.realm ?? "none") \(challenge.previousFailureCount)")
                switch decision {
                case .credential: return (.useCredential, right)
                case .afterOneWrong: return (.useCredential, challenge.previousFailureCount == 0 ? wrong : right)
                case .cancel: return (.cancelAuthenticationChallenge, nil)
                case .rejection: return (.rejectProtectionSpace, nil)
                }
            }
            let request = manager.download(fixture.origin.url(), to: destination(fixture.daemon.file("a"))).validate()
            let result = try await response(request)
            let asked = told.all
            #expect(asked.first == "true 127.0.0.1 ferry 0")
            #expect(asked.count == (decision == .afterOneWrong ? 2 : 1))
            switch decision {
            case .credential, .afterOneWrong: #expect(result.error == nil && result.destinationURL != nil)
            case .cancel: #expect((result.error as? URLError)?.code == .cancelled)
            case .rejection: #expect((result.error as? AFError)?.responseCode == 401)
            }
        }
    }
}
