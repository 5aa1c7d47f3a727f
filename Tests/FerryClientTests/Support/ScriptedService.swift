import FerryCore
import Foundation
import Synchronization

/// A service with scripted event streams. Each subscription takes the next script, and breaks at its end.
final class ScriptedService: TransferService {
    enum Step {
        case event(TransferEvent)
        case breaks
    }

    private let scripts: Mutex<[[Step]]>
    private let subscribed = Mutex<[EventSubscription]>([])
    private let known: [TransferID: Transfer]

    init(_ scripts: [[Step]], known: [Transfer] = []) {
        self.scripts = Mutex(scripts)
        self.known = Dictionary(uniqueKeysWithValues: known.map { ($0.id, $0) })
    }

    var subscriptions: [EventSubscription] { subscribed.withLock { $0 } }

    func events(
        _ subscription: EventSubscription
    ) async throws(ServiceError) -> AsyncThrowingStream<TransferEvent, any Error> {
        subscribed.withLock { $0.append(subscription) }
        let script = scripts.withLock { $0.isEmpty ? [.breaks] : $0.removeFirst() }
        return AsyncThrowingStream { continuation in
            for step in script {
                switch step {
                case .event(let event): continuation.yield(event)
                case .breaks: continuation.finish(throwing: ServiceError(.daemonUnreachable, "The stream broke."))
                }
            }
            continuation.finish()
        }
    }

    func transfer(_ id: TransferID) async throws(ServiceError) -> Transfer {
        guard let transfer = known[id] else { throw ServiceError(.unknownTransfer, "There is none.") }
        return transfer
    }

    func status() async throws(ServiceError) -> ServiceStatus {
        ServiceStatus(version: "1", pid: 1, startedAt: .distantPast, transfers: [:], lastEvent: 10, warnings: [])
    }

    func transfers(_ query: TransferQuery) async throws(ServiceError) -> TransferPage {
        TransferPage(transfers: Array(known.values), next: nil)
    }

    private var unused: ServiceError { ServiceError(.internal, "No test calls this.") }
    func release(_ id: TransferID) async throws(ServiceError) -> PartialSource? { nil }

    func submit(_ requests: [TransferRequest]) async throws(ServiceError) -> [SubmissionResult] { throw unused }
    func queue(_ query: QueueQuery) async throws(ServiceError) -> [Transfer] { throw unused }
    func queueCounts(of session: SessionID?) async throws(ServiceError) -> QueueCounts { throw unused }
    func move(_ id: TransferID, _ move: QueueMove) async throws(ServiceError) -> Int? { throw unused }
    func change(_ id: TransferID, _ change: TransferChange) async throws(ServiceError) -> Transfer { throw unused }
    func act(_ action: TransferAction, on selection: TransferSelection) async throws(ServiceError) -> [ActionResult] {
        throw unused
    }
    func acknowledge(_ session: SessionID, through number: Int64) async throws(ServiceError) { throw unused }
    func sessions() async throws(ServiceError) -> [SessionInfo] { throw unused }
    func changeSession(_ id: SessionID, _ change: SessionSettingsChange) async throws(ServiceError) -> SessionInfo {
        throw unused
    }
    func settings() async throws(ServiceError) -> ServiceSettings { throw unused }
    func changeSettings(_ change: ServiceSettingsChange) async throws(ServiceError) -> ServiceSettings { throw unused }
}
