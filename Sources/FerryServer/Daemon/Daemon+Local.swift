// Ferry: FerryServer
// The daemon over the service that runs transfers in this process.

import FerryAPI
import FerryCore
import FerryService
import Foundation

extension Daemon {
    /// What the process needs before anything else runs in it.
    package static func prepareProcess() { ProcessMemory.limit() }

    /// The program `ferryd`: returns its exit status.
    package static func main() async -> Int32 {
        let environment = ProcessInfo.processInfo.environment
        let umask = ProcessSetup.takeUmask()
        return await main(arguments: CommandLine.arguments, environment: environment) {
            paths, logger, seam throws(TransferError) in
            LocalTransferService.noteTraps(in: paths.stateFolder, logger: logger)
            var configuration = ServiceConfiguration(
                stateFolder: paths.stateFolder, logger: logger, environment: environment, reached: seam.reached)
            configuration.umask = umask
            configuration.atRest = ProcessMemory.giveBack
            return try await LocalTransferService.open(configuration)
        }
    }
}
