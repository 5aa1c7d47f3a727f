import FerryTesting
import Foundation
import Synchronization
import Testing

@testable import FerryURLSession

@Suite struct CoreOrderTests {
    private let file = URL(fileURLWithPath: "/nowhere/result")

    /// Blocks a thread until it is opened.
    private final class Barrier: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        func pass() { semaphore.wait() }
        func open() { semaphore.signal() }
    }

    @Test func `35 a download's calls come in their order`() async throws {
        let bed = try CoreBed()
        let (_, transport) = try bed.running(bed.session.downloadTask(with: bed.url))
        transport.relay.show(.resumed(offset: 10, expected: 100))
        transport.relay.show(.wrote(total: 100, expected: 100))
        await transport.relay.finished(file)
        await transport.relay.complete(nil, metrics: [])
        #expect(
            bed.recorder.calls == [
                "created", "resumed 10/100", "wrote 90 100/100", "file result", "metrics", "completed 0",
            ])
    }

    @Test func `35 exactly one completion, and nothing after it`() async throws {
        let bed = try CoreBed()
        let (_, transport) = try bed.running(bed.session.downloadTask(with: bed.url))
        await transport.relay.complete(URLError(.timedOut), metrics: [])
        transport.relay.show(.wrote(total: 5, expected: 10))
        await transport.relay.finished(file)
        await transport.relay.complete(nil, metrics: [])
        #expect(bed.recorder.calls == ["created", "metrics", "completed -1001"])
    }

    @Test func `36 a queue of the app's own is used, and calls of one task do not overlap on it`() async throws {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 8
        let bed = try CoreBed(queue: queue)
        let (_, transport) = try bed.running(bed.session.dataTask(with: bed.url))
        await withTaskGroup { group in
            for _ in 0..<200 { group.addTask { await transport.relay.data(Data(count: 1)) } }
        }
        await transport.relay.complete(nil, metrics: [])
        #expect(bed.recorder.calls.count == 203)
        #expect(bed.recorder.mostRunning == 1)
        #expect(bed.recorder.queues.dropFirst().allSatisfy { $0 === queue })
    }

    @Test func `36 a question is settled by its first answer, and not before its call has returned`() async {
        let answer = await withCheckedContinuation { asker in
            let question = Question<Int>(asker)
            question.answer(1)
            question.answer(2)
            #expect(!question.isSettled)
            question.returned()
            #expect(question.isSettled)
        }
        #expect(answer == 1)
    }

    @Test func `37 properties show the event in its call, and in the last one the task is completed`() async throws {
        let seen = Mutex<[String]>([])
        let recorder = CallRecorder(during: { call, task in
            guard let task else { return }
            seen.withLock {
                $0.append("\(call): \(task.countOfBytesReceived) \(task.response == nil ? "-" : "r") \(task.state)")
            }
        })
        let bed = try CoreBed(recorder: recorder)
        let (_, transport) = try bed.running(bed.session.dataTask(with: bed.url))
        _ = await transport.relay.response(bed.response)
        await transport.relay.data(Data(count: 7))
        await transport.relay.complete(nil, metrics: [])
        #expect(
            seen.withLock { $0 } == [
                "created: 0 - suspended", "response: 0 r running", "data 7: 7 r running", "metrics: 7 r completed",
                "completed 0: 7 r completed",
            ])
    }

    @Test func `32 38 progress that a blocked delegate misses becomes one call with the last total`() async throws {
        let barrier = Barrier()
        let recorder = CallRecorder(during: { call, _ in if call == "wrote 1 1/1000" { barrier.pass() } })
        let bed = try CoreBed(recorder: recorder)
        let (_, transport) = try bed.running(bed.session.downloadTask(with: bed.url))
        transport.relay.show(.wrote(total: 1, expected: 1000))
        try await eventually { recorder.calls.last == "wrote 1 1/1000" }
        for total in Int64(2)...1000 { transport.relay.show(.wrote(total: total, expected: 1000)) }
        barrier.open()
        await transport.relay.complete(nil, metrics: [])
        #expect(recorder.calls == ["created", "wrote 1 1/1000", "wrote 999 1000/1000", "metrics", "completed 0"])
    }

    @Test func `38 a total goes down only after a restart`() async throws {
        let bed = try CoreBed()
        let (_, transport) = try bed.running(bed.session.downloadTask(with: bed.url))
        transport.relay.show(.resumed(offset: 50, expected: 100))
        transport.relay.show(.wrote(total: 40, expected: 100))
        transport.relay.show(.resumed(offset: 0, expected: 100))
        transport.relay.show(.wrote(total: 40, expected: 100))
        await transport.relay.complete(nil, metrics: [])
        #expect(
            bed.recorder.calls == [
                "created", "resumed 50/100", "resumed 0/100", "wrote 40 40/100", "metrics", "completed 0",
            ])
    }

    @Test func `30 no data before the response is answered`() async throws {
        let answers = Mutex<[CallRecorder.Answer]>([])
        let recorder = CallRecorder(onResponse: { answer in answers.withLock { $0.append(answer) } })
        let bed = try CoreBed(recorder: recorder)
        let (_, transport) = try bed.running(bed.session.dataTask(with: bed.url))
        async let disposition = transport.relay.response(bed.response)
        try await eventually { answers.withLock { !$0.isEmpty } }
        async let data: Void = transport.relay.data(Data(count: 3))
        await withCheckedContinuation { done in bed.session.delegateQueue.addOperation { done.resume() } }
        #expect(recorder.calls == ["created", "response"])
        for answer in answers.withLock({ $0 }) {
            answer(.allow)
            answer(.cancel)
        }
        #expect(await disposition == .allow)
        await data
        #expect(recorder.calls == ["created", "response", "data 3"])
    }

    @Test func `a task that is canceled completes though its delegate has not answered`() async throws {
        let answers = Mutex<[CallRecorder.Answer]>([])
        let recorder = CallRecorder(onResponse: { answer in answers.withLock { $0.append(answer) } })
        let bed = try CoreBed(recorder: recorder)
        let (task, transport) = try bed.running(bed.session.dataTask(with: bed.url))
        async let disposition = transport.relay.response(bed.response)
        try await eventually { answers.withLock { !$0.isEmpty } }
        task.cancel()
        try await eventually { recorder.hasCompleted }
        _ = await disposition
        for answer in answers.withLock({ $0 }) { answer(.allow) }
        #expect(recorder.calls == ["created", "response", "metrics", "completed -999"])
    }

    @Test func `30 a task that becomes a download has no completion of its own`() async throws {
        let bed = try CoreBed()
        let (task, transport) = try bed.running(bed.session.dataTask(with: bed.url))
        await transport.relay.becameDownload(bed.session.downloadTask(with: bed.url))
        await transport.relay.complete(nil, metrics: [])
        #expect(bed.recorder.calls == ["created", "created", "became download"])
        #expect(task.state == .completed)
    }
}
