import FerryCore
import FerryEngine
import Foundation
import FoundationNetworking
import Synchronization

/// The transport of a download that began as a data task. Writes the remaining body of the same response to a file. The
/// download cannot be resumed later.
final class LoadDownload: TaskTransport {
    private struct State {
        var run: Task<Void, Never>?
        var isSuspended = false
        var isCancelled = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let load: Load
    private let response: HTTPURLResponse
    private let relay: TaskRelay
    private let folder: URL
    private let state = Mutex(State())

    init(_ load: Load, _ response: HTTPURLResponse, relay: TaskRelay, folder: URL) {
        self.load = load
        self.response = response
        self.relay = relay
        self.folder = folder
    }

    /// Begins the download. The data task has ended.
    func begin() {
        let run = Task(name: "download of a data task") { await self.run() }
        state.withLock { $0.run = run }
    }

    func resume() {
        let waiting = state.withLock { state in
            state.isSuspended = false
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    func suspend() { state.withLock { $0.isSuspended = true } }

    func cancel() {
        let waiting = state.withLock { state in
            state.isCancelled = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
        load.cancel()
    }

    func cancelProducingResumeData(_ handler: @escaping @Sendable (Data?) -> Void) {
        handler(nil)
        cancel()
    }

    func update(_ change: TaskChange) {}

    // MARK: -

    private func run() async {
        var file: ResourceFile?
        do {
            file = try ResourceFile(in: folder, relay: relay)
            while let part = try await load.part() {
                await passSuspension()
                try file?.append(part)
            }
            try await file?.finish()
            await relay.complete(nil, metrics: load.exchanges)
        } catch {
            load.cancel()
            file?.remove()
            await relay.complete(reported(error), metrics: load.exchanges)
        }
    }

    private func reported(_ error: any Error) -> any Error {
        if state.withLock(\.isCancelled) {
            return URLErrorMapping.error(
                ServiceError(.canceled, "The task was canceled."), url: response.url)
        }
        guard let error = error as? ServiceError else { return error }
        return URLErrorMapping.error(error, url: response.url)
    }

    private func passSuspension() async {
        await withCheckedContinuation { continuation in
            let mayPass = state.withLock { state in
                let mayPass = !state.isSuspended || state.isCancelled
                if !mayPass { state.waiting = continuation }
                return mayPass
            }
            if mayPass { continuation.resume() }
        }
    }
}
