import FerryTesting
import Foundation
import FoundationNetworking
import Synchronization
import Testing

@testable import FerryURLSession

@Suite(.timeLimit(.minutes(1))) struct `The progress of an awaited download` {
    private final class Watch: NSObject, FerryURLSession.URLSessionDownloadDelegate, Sendable {
        let task = Mutex<FerryURLSession.URLSessionTask?>(nil)
        let writes = Mutex(0)

        func urlSession(_ session: FerryURLSession.URLSession, didCreateTask task: FerryURLSession.URLSessionTask) {
            self.task.withLock { $0 = task }
        }

        func urlSession(
            _ session: FerryURLSession.URLSession, downloadTask: FerryURLSession.URLSessionDownloadTask,
            didWriteData bytesWritten: Int64, totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
        ) { writes.withLock { $0 += 1 } }

        func urlSession(
            _ session: FerryURLSession.URLSession, downloadTask: FerryURLSession.URLSessionDownloadTask,
            didFinishDownloadingTo location: URL
        ) {}
    }

    @Test func `is that of the task that the delegate is given, and moves without its calls`() async throws {
        let body = SeededBody(seed: 92, size: 1 << 20)
        try await withOrigin(OriginScript(body, always: .hold("middle", at: .body(1 << 19)))) { origin in
            let session = FerryURLSession.URLSession(configuration: .ephemeral)
            let watch = Watch()
            let url = try #require(URL(string: origin.url()))
            async let result = session.download(from: url, delegate: watch)
            try await eventually("half of it is there") {
                watch.task.withLock { $0?.progress.fractionCompleted } == 0.5
            }
            let progress = try #require(watch.task.withLock { $0?.progress })
            origin.release("middle")
            let (file, _) = try await result
            #expect(progress.fractionCompleted == 1 && progress.completedUnitCount == 1 << 20)
            #expect(try Data(contentsOf: file).elementsEqual(body.bytes))
            #expect(watch.writes.withLock { $0 } == 0)
        }
    }
}
