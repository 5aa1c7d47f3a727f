package import FerryCore
import Foundation
import Synchronization

/// Settings, sessions and their apps.
extension FakeService {
    // MARK: Settings

    package func sessions() async throws(ServiceError) -> [SessionInfo] {
        state.withLock { state in
            Set(state.all.map(\.session)).union(state.settingsOfSessions.keys).map(state.info)
        }
    }

    package func changeSession(
        _ id: SessionID, _ change: SessionSettingsChange
    ) async throws(ServiceError) -> SessionInfo {
        let settings = state.withLock { $0.settingsOfSessions[id] ?? SessionSettings() }.applying(change)
        try settings.validate()
        return state.withLock { state in
            state.settingsOfSessions[id] = settings
            return state.info(id)
        }
    }

    package func settings() async throws(ServiceError) -> ServiceSettings { state.withLock(\.settings) }

    package func hold(_ origin: Origin, seconds: Double) async throws(ServiceError) {}

    package func changeSettings(_ change: ServiceSettingsChange) async throws(ServiceError) -> ServiceSettings {
        let next = state.withLock { $0.settings.applying(change) }
        try next.validate()
        state.withLock { $0.settings = next }
        return next
    }

    package func status() async throws(ServiceError) -> ServiceStatus {
        if let failure = state.withLock(\.answers.failure) { throw failure }
        return state.withLock { state in
            ServiceStatus(
                version: FerryVersion.current, pid: getpid(), startedAt: Date(timeIntervalSince1970: 0),
                transfers: FakeState.count(state.all), lastEvent: state.lastEvent, warnings: [])
        }
    }

    // MARK: Sessions

    package func renewLease(of session: SessionID, until end: Double) async throws(ServiceError) {}

    package func reorder(_ session: SessionID, _ ids: TransferIDRuns) async throws(ServiceError) {
        state.withLock { $0.orders[session] = ids.selected(from: $0.transfers(of: session).map(\.id)) }
    }

    package func submit(_ batch: TransferBatch) async throws(ServiceError) -> TransferBatch.Report {
        var report = TransferBatch.Report(lastEvent: state.withLock(\.lastEvent))
        for item in batch.items.each {
            if item.url.hasPrefix("http") {
                report.accept(first: TransferID(rawValue: UInt64(report.count + 1)), count: 1)
            } else {
                report.refuse(ServiceError(.invalidURL, "It is no URL."))
            }
        }
        return report
    }

    package func act(
        _ action: SessionAction, in session: SessionID, on ids: TransferIDRuns?
    ) async throws(ServiceError) -> SessionAction.Report {
        let failures = (ids?.ids ?? []).map { ActionResult(id: $0, error: Self.unknown($0)) }
        return SessionAction.Report(lastEvent: state.withLock(\.lastEvent), failures: failures)
    }

    package func quit(_ selection: QuitSelection) async throws(ServiceError) -> [ActionResult] {
        guard case .application(let name) = selection else { return [] }
        throw ServiceError(.invalidRequest, "No app is \(name).")
    }

    package func attach(
        _ session: SessionID, _ attachment: SessionAttachment
    ) async throws(ServiceError) -> AsyncThrowingStream<SessionSignal, any Error> { throw Self.noApps }
    package func connect(
        _ application: ApplicationConnection
    ) async throws(ServiceError) -> AsyncThrowingStream<ApplicationSignal, any Error> { throw Self.noApps }
    package func becomeActive(_ application: String, process: Int32) async throws(ServiceError) { throw Self.noApps }
    package func registerLaunchCommand(
        _ command: LaunchCommand?, of application: String
    ) async throws(ServiceError) { throw Self.noApps }

    private static let noApps = ServiceError(.internal, "The fake service has no apps.")
}
