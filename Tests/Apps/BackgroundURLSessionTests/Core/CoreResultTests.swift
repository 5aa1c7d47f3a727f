import FerryTesting
import Foundation
import Synchronization
import Testing

@testable import FerryURLSession

@Suite struct CoreResultTests {
    private let file = URL(fileURLWithPath: "/nowhere/result")

    /// Returns the transport of the session's only task, once the task runs.
    private func onlyTransport(_ bed: CoreBed) async throws -> ScriptedTransport {
        try await eventually { await bed.session.allTasks.first.flatMap { bed.engine[$0] } != nil }
        let task = try #require(await bed.session.allTasks.first)
        return try bed.transport(task)
    }

    @Test func `a data handler gets the whole body, and the delegate neither data nor completion`() async throws {
        let bed = try CoreBed()
        let got = Mutex<[Data?]>([])
        let (_, transport) = try bed.running(
            bed.session.dataTask(with: bed.request) { data, _, _ in got.withLock { $0.append(data) } })
        #expect(await transport.relay.response(bed.response) == .allow)
        await transport.relay.data(Data("ab".utf8))
        await transport.relay.data(Data("c".utf8))
        await transport.relay.complete(nil, metrics: [])
        #expect(got.withLock { $0 } == [Data("abc".utf8)])
        #expect(bed.recorder.calls == ["created", "metrics"])
    }

    @Test func `15 a file handler gets its file before the relay goes on, and is called once`() async throws {
        let bed = try CoreBed()
        let got = Mutex<[URL?]>([])
        let (_, transport) = try bed.running(
            bed.session.downloadTask(with: bed.request) { file, _, _ in got.withLock { $0.append(file) } })
        transport.relay.show(.wrote(total: 10, expected: 10))
        let stays = await transport.relay.finished(file)
        #expect(!stays)
        #expect(got.withLock { $0 } == [file])
        await transport.relay.complete(nil, metrics: [])
        #expect(got.withLock { $0 } == [file])
        #expect(bed.recorder.calls == ["created", "metrics"])
    }

    @Test func `15 the file of an awaited download stays`() async throws {
        let bed = try CoreBed()
        async let result = bed.session.download(for: bed.request)
        let transport = try await onlyTransport(bed)
        transport.relay.responseKnown(bed.response)
        let stays = await transport.relay.finished(file)
        #expect(stays)
        await transport.relay.complete(nil, metrics: [])
        #expect(try await result.0 == file)
    }

    @Test func `awaited data are the whole body`() async throws {
        let bed = try CoreBed()
        async let result = bed.session.data(for: bed.request)
        let transport = try await onlyTransport(bed)
        _ = await transport.relay.response(bed.response)
        await transport.relay.data(Data("abc".utf8))
        await transport.relay.complete(nil, metrics: [])
        #expect(try await result.0 == Data("abc".utf8))
    }

    @Test func `canceling the caller cancels the task`() async throws {
        let bed = try CoreBed()
        let caller = Task { try await bed.session.data(for: bed.request) }
        let transport = try await onlyTransport(bed)
        caller.cancel()
        let error = await #expect(throws: URLError.self) { try await caller.value }
        #expect(error?.code == .cancelled && error?.failingURL == bed.request.url)
        #expect(transport.told == ["resume", "cancel"])
    }

    @Test func `6 42 the delegate of an awaited call hears of the task's creation`() async throws {
        let bed = try CoreBed()
        let own = CallRecorder()
        async let result = bed.session.data(for: bed.request, delegate: own)
        let transport = try await onlyTransport(bed)
        _ = await transport.relay.response(bed.response)
        await transport.relay.complete(nil, metrics: [])
        _ = try await result
        #expect(own.calls == ["created", "metrics"])
        #expect(bed.recorder.calls == [])
    }

    @Test func `32 bytes are read no faster than they are taken`() async throws {
        let bed = try CoreBed()
        async let result = bed.session.bytes(for: bed.request)
        let transport = try await onlyTransport(bed)
        _ = await transport.relay.response(bed.response)
        let (bytes, _) = try await result
        let delivered = Mutex(0)
        let sender = Task {
            for part in ["ab", "cd", "e"] {
                await transport.relay.data(Data(part.utf8))
                delivered.withLock { $0 += 1 }
            }
            await transport.relay.complete(nil, metrics: [])
        }
        var iterator = bytes.makeAsyncIterator()
        var text: [UInt8] = []
        while let byte = try await iterator.next() {
            text.append(byte)
            // The part being read, and at most one more that was passed on meanwhile.
            #expect(delivered.withLock { $0 } <= (text.count + 1) / 2 + 1)
        }
        await sender.value
        #expect(text == Array("abcde".utf8))
    }

    @Test func `a task whose bytes nobody reads completes when it is canceled`() async throws {
        let bed = try CoreBed()
        async let result = bed.session.bytes(for: bed.request)
        let transport = try await onlyTransport(bed)
        _ = await transport.relay.response(bed.response)
        let (bytes, _) = try await result
        let sender = Task { await transport.relay.data(Data("abc".utf8)) }
        bytes.task.cancel()
        await sender.value
        try await eventually { bytes.task.state == .completed }
        let error = await #expect(throws: URLError.self) { for try await _ in bytes {} }
        #expect(error?.code == .cancelled && error?.failingURL == bed.request.url)
    }

    @Test func `bytes that are dropped cancel their task`() async throws {
        let bed = try CoreBed()
        let caller = Task { _ = try await bed.session.bytes(for: bed.request) }
        let transport = try await onlyTransport(bed)
        _ = await transport.relay.response(bed.response)
        try await caller.value
        try await eventually { transport.told.contains("cancel") }
    }

    @Test func `bytes without a response throw`() async throws {
        let bed = try CoreBed()
        let caller = Task { try await bed.session.bytes(for: bed.request).1 }
        let transport = try await onlyTransport(bed)
        await transport.relay.complete(nil, metrics: [])
        await #expect(throws: URLError(.badServerResponse)) { try await caller.value }
    }
}
