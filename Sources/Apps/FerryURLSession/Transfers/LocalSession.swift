import FerryCore
import FerryService
import Foundation
import Synchronization

/// Opens this process's service for one session. Reads the session's events from before its first transfer.
final class LocalSession: Sendable {
    private struct State {
        var opening: Task<Result<any TransferService, ServiceError>, Never>?
        var reader: Task<Void, Never>?
        var receive: (@Sendable (TransferEvent) -> Void)?
    }

    let id: SessionID
    private let connectionsPerHost: Int
    private let local: LocalService
    private let state = Mutex(State())

    init(_ local: LocalService, connectionsPerHost: Int) {
        self.local = local
        self.connectionsPerHost = min(max(connectionsPerHost, 1), 64)
        id = local.nextSession()
    }

    /// Sets the closure that receives the events. Call it once, before the other methods.
    func setReceiver(_ receive: @escaping @Sendable (TransferEvent) -> Void) { state.withLock { $0.receive = receive } }

    func service() async throws(ServiceError) -> any TransferService {
        let opening = state.withLock { state in
            if let opening = state.opening { return opening }
            let task = Task(name: "events of \(id)") { await self.open() }
            state.opening = task
            return task
        }
        let outcome = await opening.value
        if case .failure = outcome { state.withLock { if $0.opening == opening { $0.opening = nil } } }
        return try outcome.get()
    }

    /// Stops reading events.
    func close() { state.withLock { $0.reader }?.cancel() }

    private func open() async -> Result<any TransferService, ServiceError> {
        do throws(ServiceError) {
            let service = try await local.service()
            var change = SessionSettingsChange()
            change.hostConnections = .some(connectionsPerHost)
            _ = try await service.changeSession(id, change)
            var subscription = EventSubscription()
            subscription.session = id
            subscription.progressInterval = 0.1
            let events = try await service.events(subscription)
            let receive = state.withLock(\.receive)
            let reader = Task(name: "events of \(id)") {
                do { for try await event in events { receive?(event) } } catch {}
            }
            state.withLock { $0.reader = reader }
            return .success(service)
        } catch {
            return .failure(error)
        }
    }
}
