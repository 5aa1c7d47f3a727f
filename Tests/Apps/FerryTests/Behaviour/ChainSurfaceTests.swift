@testable import Ferry
import FerryTesting
import Foundation
import Testing

/// A request's properties and notifications, without its result.
@Suite(.timeLimit(.minutes(2))) struct `Around a download chain`: ChainSuite {
    private static let body = FerryFixture.body

    @Test func `a request shows itself as a command of curl`() async throws {
        try await withFerry { fixture in
            let manager = manager(fixture) { $0.httpAdditionalHeaders = ["X-A": "it's"] }
            manager.startRequestsImmediately = false
            let url = fixture.origin.url() + "?a=1&b=2"
            let plain = manager.download(url, to: destination(fixture.daemon.file("a")))
            #expect(plain.debugDescription == "$ curl -v \\\n\t-H 'X-A: it'\\''s' \\\n\t'\(url)'")
            var request = URLRequest(url: try #require(URL(string: url)))
            request.httpMethod = "POST"
            request.httpBody = Data("c=3".utf8)
            let post = manager.download(request, to: destination(fixture.daemon.file("b")))
            #expect(
                post.debugDescription.contains("-X POST \\\n") && post.debugDescription.contains("--data-binary 'c=3'"))
            #expect(manager.download("no url", method: .get).debugDescription.contains("could not be created"))
        }
    }

    @Test func `notifications tell of starts, pauses and ends, each with the request and its task`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("go", at: .body(1000)))) { fixture in
            let manager = manager(fixture)
            let told = Notes<String>()
            let names = [
                "resume": Notification.Name.Task.DidResume, "suspend": Notification.Name.Task.DidSuspend,
                "cancel": Notification.Name.Task.DidCancel, "complete": Notification.Name.Task.DidComplete,
            ]
            let observers = names.map { word, name in
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
                    guard let request = notification.object as? Request, request.manager === manager else { return }
                    let isItsOwn = notification.userInfo?[Notification.Key.Task] as? URLSessionTask === request.task
                    told.add("\(word) \(isItsOwn)")
                }
            }
            defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
            let request = manager.download(fixture.origin.url(), to: destination(fixture.daemon.file("a")))
            try await request.downloadTask.receives(1000)
            request.suspend()
            try await request.downloadTask.reaches(.suspended)
            request.resume()
            try await request.downloadTask.reaches(.running)
            fixture.origin.release("go")
            _ = try await response(request)
            #expect(told.all == ["resume true", "suspend true", "resume true", "complete true"])
        }
    }

    @Test func `the trust policies of a manager can be set through its session`() async throws {
        try await withOrigin(OriginScript(Self.body), tls: .trusted) { secure in
            try await withFerry { fixture in
                let manager = manager(fixture)
                #expect(manager.session.serverTrustPolicyManager == nil)
                manager.session.serverTrustPolicyManager = ServerTrustPolicyManager(
                    policies: ["localhost": .disableEvaluation])
                let result = try await response(
                    manager.download(secure.url(), to: destination(fixture.daemon.file("a"))))
                #expect(result.error == nil)
                let other = URLSession(configuration: .ephemeral)
                other.serverTrustPolicyManager = ServerTrustPolicyManager(policies: [:])
                #expect(other.serverTrustPolicyManager == nil)
            }
        }
    }

    @Test func `a request keeps its session and its task when its manager goes`() async throws {
        try await withFerry { fixture in
            let (request, session) = fixture.make { () -> (DownloadRequest, URLSession) in
                let manager = SessionManager(configuration: .ephemeral)
                manager.startRequestsImmediately = false
                let request = manager.download(fixture.origin.url(), method: .get)
                return (request, manager.session)
            }
            // Starting the download holds the manager for a moment.
            try await eventually("the manager is gone") { request.manager == nil }
            #expect(request.session === session)
            #expect(request.task?.state == .suspended)
            #expect(request.task?.originalRequest?.url?.absoluteString == fixture.origin.url())
        }
    }
}
