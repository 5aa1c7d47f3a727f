import FerryAPI
package import FerryClient
import FerryCore
import FerrySystem
import Foundation
import Glibc

/// The connection to the user's daemon, shared by all background sessions of the process.
package final class DaemonService: Sendable {
    private static let ofProcess = DaemonService(environment: ProcessInfo.processInfo.environment)
    /// The service that replaces the process's own one in tests, for sessions created while it is set.
    @TaskLocal package static var substitute: DaemonService?

    package static var shared: DaemonService { substitute ?? ofProcess }

    package let service: RemoteTransferService
    /// The attachment locks of the sessions in this process.
    package let attachmentLocks = AttachmentLocks()
    private let stateFolder: String
    private let configuration: ClientConfiguration

    /// The daemon's folder for the partial files that resume data refers to.
    package var spool: String { stateFolder + "/spool" }

    package init(environment: [String: String]) {
        let configuration = Self.configuration(environment)
        service = RemoteTransferService(configuration)
        self.configuration = configuration
        stateFolder = configuration.paths.stateFolder
    }

    /// Returns a connection to the same daemon that does not start one.
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
