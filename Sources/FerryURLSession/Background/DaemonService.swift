import FerryAPI
package import FerryClient
import FerryCore
import Foundation
import Glibc

/// The daemon of the user who runs this process; all background sessions of the process share the connection.
package final class DaemonService: Sendable {
    private static let ofProcess = DaemonService(environment: ProcessInfo.processInfo.environment)
    /// Replaces the process's own service in tests, for sessions that are made while it is set.
    @TaskLocal package static var substitute: DaemonService?

    package static var shared: DaemonService { substitute ?? ofProcess }

    package let service: RemoteTransferService
    /// The turns of its sessions in this process.
    package let attachmentLocks = AttachmentLocks()
    private let stateFolder: String
    private let configuration: ClientConfiguration

    /// Where the daemon keeps partial files that resume data name.
    package var spool: String { stateFolder + "/spool" }

    package init(environment: [String: String]) {
        let configuration = Self.configuration(environment)
        service = RemoteTransferService(configuration)
        self.configuration = configuration
        stateFolder = configuration.paths.stateFolder
    }

    /// A connection to the same daemon that starts none where none runs.
    package func passive() -> RemoteTransferService {
        var passive = configuration
        passive.startsDaemon = false
        return RemoteTransferService(passive)
    }

    private static func configuration(_ environment: [String: String]) -> ClientConfiguration {
        do throws(ServiceError) {
            var configuration = try ClientConfiguration(environment: environment)
            configuration.startLimit = .seconds(TransferTransport.patience)
            configuration.callLimit = .seconds(60)
            configuration.executor = BlockingExecutor.shared
            return configuration
        } catch {
            preconditionFailure("The daemon cannot be named: \(error.message)")
        }
    }
}
