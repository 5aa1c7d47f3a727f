import FerryCore
import FerryEngine
import Foundation
import FoundationNetworking
import Synchronization

/// The end of a stream, of one side or of both.
extension StreamTransport {
    func closeRead() {
        reads.add { [self] in
            await notifyReadEnd()
            await change { $0.isReadClosed = true }
        }
    }

    func closeWrite() {
        writes.add { [self] in
            await connection()?.closeWrite()
            await notify { $0.urlSession($1, writeClosedFor: $2) }
            await change { $0.isWriteClosed = true }
        }
    }

    /// The peer sends no more. What it has sent can still be read.
    func peerClosed() {
        Task(name: "end of a stream's input") { await notifyReadEnd() }
    }

    /// Notifies the delegate once, unless the task ends the connection itself.
    private func notifyReadEnd() async {
        let isDue = state.withLock { state in
            if case .ended = state.phase { return false }
            defer { state.hasNotifiedReadEnd = true }
            return !state.hasNotifiedReadEnd
        }
        if isDue { await notify { $0.urlSession($1, readClosedFor: $2) } }
    }

    /// Applies a change, and completes the task if both sides are closed.
    func change(_ body: (inout State) -> Void) async {
        let connection = state.withLock { state -> StreamConnection? in
            body(&state)
            guard state.isOver, case .connected(let connection) = state.phase else { return nil }
            state.phase = .ended(URLError(.networkConnectionLost))
            return connection
        }
        guard let connection else { return }
        connection.close()
        // Not awaited: the commands of both sides end first.
        Task(name: "end of a stream task") { await relay.complete(nil, metrics: []) }
    }

    /// Ends the task with an error. Only the first call has an effect.
    func end(_ error: any Error) {
        let (isFirst, connection, waiters) = state.withLock { state -> (Bool, StreamConnection?, [Waiter]) in
            var known: StreamConnection?
            switch state.phase {
            case .ended: return (false, nil, [])
            case .connected(let connection): known = connection
            case .idle, .connecting: break
            }
            state.phase = .ended(error)
            defer { state.waiters = [] }
            return (true, known, state.waiters)
        }
        guard isFirst else { return }
        connection?.close()
        for waiter in waiters { waiter.resume(returning: nil) }
        relay.endsEarly()
        Task(name: "end of a stream task") { await relay.complete(error, metrics: []) }
    }

    private func notify(
        _ call: @escaping @Sendable (any URLSessionStreamDelegate, URLSession, URLSessionStreamTask) -> Void
    ) async {
        let (session, task, calls) = (relay.session, relay.task, relay.calls)
        guard let stream = task as? URLSessionStreamTask else { return }
        await relay.line.perform {
            guard task.reportedState != .completed else { return }
            await calls.run {
                Recipients(task, session).notify((any URLSessionStreamDelegate).self) { call($0, session, stream) }
            }
        }
    }
}

/// Steps that wait for the reads and the writes called so far, and hold back those called later.
extension StreamTransport {
    func startSecureConnection() {
        between { [self] in
            let isFirst = state.withLock { state in
                defer { state.isSecure = true }
                return !state.isSecure
            }
            guard isFirst, let connection = await connection() else { return }
            let advisor = ClientAdvisor(
                relay: relay, configuration: configuration, request: URLRequest(url: URL(fileURLWithPath: "/")))
            do throws(ServiceError) {
                try await connection.secure { await advisor.answer($0) }
            } catch {
                end(mapped(error))
            }
        }
    }

    func capture() {
        between { [self] in
            guard let connection = await connection(), let task = relay.task as? URLSessionStreamTask else { return }
            let streams = CapturedStreams(connection)
            // From here on the connection is the streams'.
            state.withLock { $0.phase = .ended(URLError(.cancelled)) }
            let session = relay.session
            await relay.captured {
                let (input, output) = streams.make()
                Recipients(task, session).notify((any URLSessionStreamDelegate).self) {
                    $0.urlSession(session, streamTask: task, didBecome: input, outputStream: output)
                }
            }
        }
    }

    private func between(_ step: @escaping @Sendable () async -> Void) {
        let (reached, reach) = AsyncStream.makeStream(of: Void.self)
        let (done, finish) = AsyncStream.makeStream(of: Void.self)
        // Both at once: two steps in different orders would wait for each other.
        steps.withLock { _ in
            reads.add {
                reach.finish()
                for await _ in done {}
            }
            writes.add {
                for await _ in reached {}
                await step()
                finish.finish()
            }
        }
    }
}
