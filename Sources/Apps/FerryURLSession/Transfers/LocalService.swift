import FerryClient
package import FerryCore
import FerryQueue
import FerryRules
import FerryService
import Foundation
import Logging
import Synchronization

/// The service of this process, shared by all sessions other than background sessions.
package final class LocalService: Sendable {
    package static let shared = LocalService(LocalFolders())

    private struct Key: Hashable {
        let session: SessionID
        let task: Int
    }

    private struct State {
        var opening: Task<Result<LocalTransferService, ServiceError>, Never>?
        var advisors: [Key: any ExchangeAdvisor] = [:]
        var sessions = 0
    }

    let folders: LocalFolders
    private let state = Mutex(State())
    private let logger = LibraryLogHandler.logger(label: "ferry.session")

    init(_ folders: LocalFolders) { self.folders = folders }

    /// Returns the identifier of another session.
    func nextSession() -> SessionID {
        let number = state.withLock { state in
            state.sessions += 1
            return state.sessions
        }
        guard let session = try? SessionID("local/\(number)") else { preconditionFailure("The name is plain text.") }
        return session
    }

    /// Returns the service. The first call opens it.
    func service() async throws(ServiceError) -> LocalTransferService {
        let opening = state.withLock { state in
            if let opening = state.opening { return opening }
            let task = Task(name: "service of this process") { await self.open() }
            state.opening = task
            return task
        }
        let outcome = await opening.value
        // A later call may succeed, for example when the disk has free space again.
        if case .failure = outcome { state.withLock { if $0.opening == opening { $0.opening = nil } } }
        return try outcome.get()
    }

    /// Returns the service as a session's client.
    package func sessionService() async throws(ServiceError) -> any SessionService { try await service() }

    private func open() async -> Result<LocalTransferService, ServiceError> {
        do {
            try folders.open()
        } catch {
            return .failure(
                ServiceError(
                    .destinationUnwritable,
                    "The folder for temporary files \(folders.own.escapingControls) cannot be made."))
        }
        var configuration = ServiceConfiguration(
            stateFolder: nil, logger: logger, environment: ProcessInfo.processInfo.environment,
            journal: MemoryJournal.opening)
        configuration.spoolFolder = folders.own
        configuration.umask = .ofProcess
        configuration.advisor = { [weak self] transfer in self?.advisor(for: transfer) }
        do throws(ServiceError) {
            let service = try await LocalTransferService.open(configuration)
            var settings = ServiceSettingsChange()
            // Sessions limit only the connections per host.
            settings.activeTransfers = 1000
            settings.connectionsPerHost = 64
            settings.connectionsTotal = 4096
            _ = try await service.changeSettings(settings)
            return .success(service)
        } catch {
            return .failure(error)
        }
    }

    // MARK: Challenges

    /// Sets the advisor for a task's requests; nil removes it.
    func setAdvisor(_ advisor: (any ExchangeAdvisor)?, for task: Int, of session: SessionID) {
        state.withLock { $0.advisors[Key(session: session, task: task)] = advisor }
    }

    private func advisor(for transfer: Transfer) -> (any ExchangeAdvisor)? {
        guard let task = transfer.note?.task else { return nil }
        return state.withLock { $0.advisors[Key(session: transfer.session, task: task)] }
    }
}
