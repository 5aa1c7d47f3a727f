import Dispatch
import FerryTesting
import Foundation
import Synchronization
import Testing

@testable import FerryURLSession

@Suite struct CoreSessionTests {
    @Test func `1 a session copies its configuration`() throws {
        let configuration = URLSessionConfiguration.default
        configuration.httpMaximumConnectionsPerHost = 3
        let session = URLSession(configuration, nil, nil, engine: ScriptedEngine())
        configuration.httpMaximumConnectionsPerHost = 4
        session.configuration.httpMaximumConnectionsPerHost = 5
        #expect(session.configuration.httpMaximumConnectionsPerHost == 3)
    }

    @Test func `9 a session ends after its last task, and lets go of its delegate`() async throws {
        let bed = try CoreBed()
        let (_, transport) = try bed.running(bed.session.dataTask(with: bed.url))
        bed.session.finishTasksAndInvalidate()
        #expect(bed.session.delegate != nil)
        await transport.relay.data(Data(count: 1))
        await transport.relay.complete(nil, metrics: [])
        try await eventually { bed.session.delegate == nil }
        #expect(bed.recorder.calls == ["created", "data 1", "metrics", "completed 0", "invalid"])
    }

    @Test func `9 a session without tasks ends at once, and once`() async throws {
        let bed = try CoreBed()
        bed.session.finishTasksAndInvalidate()
        bed.session.invalidateAndCancel()
        try await eventually { bed.session.delegate == nil }
        #expect(bed.recorder.calls == ["invalid"])
    }

    @Test func `9 invalidateAndCancel cancels all tasks, never-resumed ones too`() async throws {
        let bed = try CoreBed()
        _ = bed.session.downloadTask(with: bed.url)
        _ = try bed.running(bed.session.downloadTask(with: bed.url))
        bed.session.invalidateAndCancel()
        try await eventually { bed.session.delegate == nil }
        #expect(bed.recorder.calls.filter { $0 == "completed -999" }.count == 2)
        #expect(bed.recorder.calls.last == "invalid")
    }

    @Test func `43 getAllTasks gives tasks that have not ended, on the delegate queue`() async throws {
        let queue = OperationQueue()
        let bed = try CoreBed(queue: queue)
        let ended = try bed.running(bed.session.dataTask(with: bed.url))
        await ended.1.relay.complete(nil, metrics: [])
        let upload = bed.session.uploadTask(with: bed.request, from: Data())
        let data = bed.session.dataTask(with: bed.url)
        let download = bed.session.downloadTask(with: bed.url)
        #expect(await bed.session.allTasks == [upload, data, download])
        let (datas, uploads, downloads) = await bed.session.tasks
        #expect(datas == [data])
        #expect(uploads == [upload])
        #expect(downloads == [download])
        let used = await withCheckedContinuation { done in
            bed.session.getAllTasks { _ in done.resume(returning: OperationQueue.current === queue) }
        }
        #expect(used)
    }

    /// Requests the session's tasks inside the completion callback.
    private final class Asking: NSObject, URLSessionTaskDelegate, Sendable {
        let found = Mutex<[URLSessionTask]?>(nil)

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            let isAnswered = DispatchSemaphore(value: 0)
            session.getAllTasks { tasks in
                self.found.withLock { $0 = tasks }
                isAnswered.signal()
            }
            isAnswered.wait()
        }
    }

    /// A task is listed as unfinished until its delegate call has returned.
    @Test func `43 a task whose completion is reported has ended`() async throws {
        let delegate = Asking()
        let bed = try CoreBed(sessionDelegate: delegate, queue: OperationQueue())
        let (_, transport) = try bed.running(bed.session.dataTask(with: bed.url))
        let other = bed.session.dataTask(with: bed.url)
        await transport.relay.complete(nil, metrics: [])
        #expect(delegate.found.withLock { $0 } == [other])
    }

    @Test func `2_3 the shared session cannot be invalidated`() {
        URLSession.shared.finishTasksAndInvalidate()
        URLSession.shared.invalidateAndCancel()
        #expect(!URLSession.shared.registry.isInvalidated)
    }
}
