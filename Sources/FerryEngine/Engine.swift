// Ferry: FerryEngine
// What all runs share: event loops, connections, disk threads.

package import FerryCore
import Foundation
package import Logging
import NIOCore
import NIOPosix
import Synchronization

/// Moves the bytes of transfers, each by a run of its own. Knows no queue and no journal.
package final class Engine: Sendable {
    package struct Configuration: Sendable {
        package var disk: any DiskSystem
        package var trust: TrustRoots
        package var timeouts = Timeouts()
        /// How names are looked up.
        package var lookup = NameLookup.system
        /// Proxy variables of this process, for requests that bring none.
        package var environment: [String: String]
        package var logger: Logger
        /// Called at each step at which a crash makes a difference.
        package var reached: @Sendable (LifeStep) -> Void = { _ in }
        /// Seconds between checkpoints.
        package var checkpointInterval: Double = 1

        package init(disk: any DiskSystem, environment: [String: String], logger: Logger) {
            self.disk = disk
            self.environment = environment
            self.logger = logger
            trust = TrustRoots(environment: environment)
        }
    }

    package let configuration: Configuration
    package let disk: DiskQueue
    package let leftoverDisk: LeftoverDisk
    let folders: FolderSync
    let smallFiles: SmallFiles
    let clients: ClientPool
    let names: NameResolver
    /// How many connections there may be.
    package let budget = ConnectionBudget()
    /// The engine's own loops: a slow disk stalls transfers, never the control API.
    let loops: [any EventLoop]
    /// One for each loop.
    let clocks: [WatchClock]
    private let group: MultiThreadedEventLoopGroup
    private let nextLoop = Atomic(0)
    private let threads: NIOThreadPool

    package init(_ configuration: Configuration, loops: Int = min(4, System.coreCount)) {
        self.configuration = configuration
        group = MultiThreadedEventLoopGroup(numberOfThreads: loops)
        self.loops = Array(group.makeIterator())
        clocks = self.loops.map { WatchClock(loop: $0) }
        threads = NIOThreadPool(numberOfThreads: 4)
        threads.start()
        disk = DiskQueue(system: configuration.disk, threads: threads)
        leftoverDisk = LeftoverDisk(system: configuration.disk)
        folders = FolderSync(disk: disk)
        smallFiles = SmallFiles(disk: disk, reached: configuration.reached)
        names = NameResolver(configuration.lookup)
        clients = ClientPool(loops: self.loops, trust: configuration.trust, timeouts: configuration.timeouts)
    }

    /// The index of an event loop, each in its turn.
    func takeLoop() -> Int { nextLoop.wrappingAdd(1, ordering: .relaxed).oldValue % loops.count }

    /// Makes a run of one try; nothing happens before its `run`.
    package func makeRun(_ job: TransferJob, journal: any FactsJournal) -> TransferRun {
        TransferRun(job, engine: self, journal: journal)
    }

    /// The machine is on another network: names that were not found may be known there.
    package func networkChanged() { names.forgetFailures() }

    /// Removes what a transfer that ended left on disk.
    ///
    /// - Parameter queue: whose threads do it; nil is the usual ones.
    package func removePartialFile(_ facts: PartialFacts, on queue: DiskQueue? = nil) async throws(TransferError) {
        do {
            try await (queue ?? disk).run { system throws(DiskError) in try PartialFile.remove(facts, disk: system) }
        } catch {
            throw error.transferError
        }
    }

    /// Ends event loops and threads; runs must have ended.
    package func shutdown() async {
        leftoverDisk.end()
        names.shutdown()
        await clients.shutdown()
        try? await threads.shutdownGracefully()
        try? await group.shutdownGracefully()
    }
}
