package import FerryCore
import Foundation
package import Logging
import NIOCore
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
        /// What files and folders are not permitted of requests that bring no mask.
        package var umask = FileMask.usual
        package var logger: Logger
        /// Called at each step at which a crash makes a difference.
        package var reached: @Sendable (LifecycleStep) -> Void = { _ in }
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
    let places: DiskPlaces
    let folders = FolderSync()
    let clients: ClientPool
    let names: NameResolver
    let trustFiles = TrustFiles()
    /// How many connections there may be.
    package let budget = ConnectionBudget()
    /// The engine's own loops: a slow disk stalls transfers to it, never others or the control API.
    let loops: EngineLoops
    private let smallFiles = Mutex<[DiskLane.Place: SmallFiles]>([:])
    private let threads = DiskThreads()
    /// Where runs decide, and the service that makes them: what one asks of another needs no other thread.
    package let home = DecidingActor()

    /// How long a shutdown waits for calls that may never return.
    private static let patience = Duration.seconds(2)

    package init(_ configuration: Configuration, loops: Int = min(4, System.coreCount)) {
        self.configuration = configuration
        self.loops = EngineLoops(count: loops)
        disk = DiskQueue(system: configuration.disk, threads: threads)
        leftoverDisk = LeftoverDisk(disk: disk)
        places = DiskPlaces(disk: disk)
        names = NameResolver(configuration.lookup)
        clients = ClientPool(
            loops: self.loops, trust: configuration.trust, timeouts: configuration.timeouts, names: names)
    }

    /// The number of an event loop, each in its turn, that only writes to the same place can hold up.
    func takeLoop(for place: DiskLane.Place = .anywhere) -> Int {
        if case .devices(let home, _) = place { loops.take(home) } else { loops.take(nil) }
    }

    /// Where small files of a place are made and placed together.
    func smallFiles(at place: DiskLane.Place) -> SmallFiles {
        smallFiles.withLock { all in
            if let known = all[place] { return known }
            let new = SmallFiles(disk: disk.at(place), home: home, reached: configuration.reached)
            all[place] = new
            return new
        }
    }

    /// Makes a run of one attempt; nothing happens before its `run`.
    package func makeRun(_ job: TransferJob, journal: any FactsJournal) -> TransferRun {
        TransferRun(job, engine: self, journal: journal)
    }

    /// The machine is on another network: names that were not found may be known there.
    package func networkChanged() { names.forgetFailures() }

    /// Removes what a transfer that ended left on disk.
    ///
    /// - Parameter queue: whose threads do it; nil is the usual ones.
    package func removePartialFile(_ facts: PartialFacts, on queue: DiskQueue? = nil) async throws(ServiceError) {
        do {
            try await (queue ?? disk.at(.folder(facts.folder))).run { system throws(DiskError) in
                try PartialFile.remove(facts, disk: system)
            }
        } catch {
            throw error.transferError
        }
    }

    /// Ends event loops and threads. All runs must have ended, except runs whose disk does not answer.
    package func shutdown() async {
        names.shutdown()
        let (clients, loops, threads) = (clients, loops, threads)
        await Patience.wait(atMost: Self.patience) {
            async let calls: Void = threads.shutdown()
            await clients.shutdown()
            await loops.shutdown()
            await calls
        }
    }
}

/// The one place where runs and their service decide, one after the other.
///
/// Actors that share its executor call each other without a change of threads: a small file asks its service a dozen times.
/// Nothing that may block, and no work that grows with a file, happens on it.
package actor DecidingActor {
    package init() {}
}
