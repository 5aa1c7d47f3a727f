import FerryTesting
import Foundation
import FoundationNetworking
import Testing

@testable import FerryURLSession

private typealias URLSession = FerryURLSession.URLSession
private typealias URLSessionConfiguration = FerryURLSession.URLSessionConfiguration
private typealias URLSessionDownloadTask = FerryURLSession.URLSessionDownloadTask

/// A download checks its file against the expected digest, with or without a transfer.
@Suite(.timeLimit(.minutes(2))) struct `An expected digest` {
    private static let body = SeededBody(seed: 94, size: 50_000)

    enum Source: CaseIterable { case server, local, protocolClass }
    enum Digest: CaseIterable { case right, wrong, invalid }

    @Test(arguments: Source.allCases, Digest.allCases) func `is that of the file, or the task ends without one`(
        source: Source, digest: Digest
    ) async throws {
        try await withOrigin(OriginScript(Self.body)) { origin in
            let configuration = URLSessionConfiguration.ephemeral
            configuration.protocolClasses = [SeededProtocol.self]
            let witness = TransferWitness()
            let session = URLSession(configuration: configuration, delegate: witness, delegateQueue: nil)
            defer { session.invalidateAndCancel() }
            try await check(witness, try session.downloadTask(with: url(of: source, origin)), digest)
            if digest == .invalid { #expect(origin.requests.isEmpty) }
        }
    }

    /// The daemon received the request before the digest was set.
    @Test(arguments: Digest.allCases) func `holds in a background session`(digest: Digest) async throws {
        try await withOrigin(OriginScript(Self.body)) { origin in
            try await withBackground { bed in
                let witness = TransferWitness()
                let session = bed.session(witness)
                try await check(witness, session.downloadTask(with: try #require(URL(string: origin.url()))), digest)
                if digest == .invalid { #expect(origin.requests.isEmpty) }
                try await eventually("the session has let go of the task") { await session.allTasks.isEmpty }
            }
        }
    }

    @Test(arguments: Source.allCases) func `leaves a taken name as it is`(source: Source) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await withOrigin(OriginScript(Self.body)) { origin in
            let file = URL(fileURLWithPath: folder.file("file"))
            try Data("old".utf8).write(to: file)
            let configuration = URLSessionConfiguration.ephemeral
            configuration.protocolClasses = [SeededProtocol.self]
            let witness = TransferWitness()
            let session = URLSession(configuration: configuration, delegate: witness, delegateQueue: nil)
            defer { session.invalidateAndCancel() }
            let task = try session.downloadTask(with: url(of: source, origin))
            task.destination = .init(file)
            task.resume()
            let story = try await witness.end(of: task)
            #expect(story.otherError?.hasSuffix("(destination_exists)") == true && !story.calls.contains("file"))
            #expect(try Data(contentsOf: file) == Data("old".utf8))
        }
    }

    private func url(of source: Source, _ origin: ScriptedOrigin) throws -> URL {
        let text =
            switch source {
            case .server: origin.url()
            case .local: "data:;base64,\(Data(Self.body.bytes).base64EncodedString())"
            case .protocolClass: "seeded://host/"
            }
        return try #require(URL(string: text))
    }

    private func check(_ witness: TransferWitness, _ task: URLSessionDownloadTask, _ digest: Digest) async throws {
        switch digest {
        case .right: task.expectedDigest = .init(.sha256, hex: Self.body.sha256Hex)
        case .wrong: task.expectedDigest = .init(.sha256, hex: String(repeating: "0", count: 64))
        case .invalid: task.expectedDigest = .init(.sha256, hex: String(repeating: "0", count: 63))
        }
        task.resume()
        let story = try await witness.end(of: task)
        switch digest {
        case .right: #expect(story.calls.contains("file") && story.digest == Self.body.sha256Hex)
        case .wrong: #expect(!story.calls.contains("file") && story.otherError?.hasSuffix("(digest_mismatch)") == true)
        case .invalid:
            #expect(!story.calls.contains("file") && story.otherError?.hasSuffix("(invalid_request)") == true)
        }
    }

    private final class SeededProtocol: FerryURLSession.URLProtocol {
        override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "seeded" }
        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

        override func startLoading() {
            guard let url = request.url, let client else { return }
            let response = URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
            client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            let bytes = Data(body.bytes)
            client.urlProtocol(self, didLoad: bytes.prefix(10_000))
            client.urlProtocol(self, didLoad: bytes.dropFirst(10_000))
            client.urlProtocolDidFinishLoading(self)
        }

        override func stopLoading() {}
    }
}
