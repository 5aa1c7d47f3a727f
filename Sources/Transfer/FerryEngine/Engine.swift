package import FerryCore
package import FerryDisk
import FerryRules
import Foundation
package import Logging
import NIOCore
import Synchronization

/// Moves the bytes of transfers, each with its own run. Knows neither queue nor journal.
package final class Engine: Sendable {
    package struct Configuration: Sendable {
        package var disk: any DiskSystem
        package var trust: TrustRoots
        package var timeouts = Timeouts()
        /// The name resolver.
        package var lookup = NameLookup.system
        /// The domains for which no cookie is stored.
        package var suffixes = PublicSuffixes.system
        /// Proxy variables of this process, for requests without their own.
        package var environment: [String: String]
        /// File mode bits to remove for requests without their own mask.
        package var umask = FileMask.usual
        package var logger: Logger
        /// Called at each step where a crash makes a difference.
        package var reached: @Sendable (LifecycleStep) -> Void = { _ in }
        /// Seconds between checkpoints.
        package var checkpointInterval: Double = 1
        package var machine = EngineMachine()

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
    package let places: DiskPlaces
    package let files: TransferFiles
    let client: HTTPClient
    let connector: Connector
    let names: NameResolver
    let trustFiles = TrustFiles()
    /// The limit on the number of connections.
    package let budget = ConnectionBudget()
    /// The engine's event loops. A slow disk stalls only transfers to it, never others or the control API.
    let loops: EngineLoops
    private let smallFiles = Mutex<[DiskLane.Place: SmallFiles]>([:])
    private let workers: any DiskWorkers
    /// The executor shared by runs and their service, so that calls between them need no thread switch.
    package let home: any Actor
    private let loopTasks: HomeTasks

    /// Time a shutdown waits for calls that may never return.
    private static let patience = Duration.seconds(2)

    package init(_ configuration: Configuration, loops: Int = min(4, System.coreCount)) {
        self.configuration = configuration
        let homeLoop = HomeLoop()
        let loops = EngineLoops(count: loops, home: homeLoop)
        self.loops = loops
        loopTasks = HomeTasks(on: homeLoop)
        home = configuration.machine.home ?? DecidingActor(on: homeLoop)
        workers = configuration.machine.workers ?? DiskThreads()
        disk = DiskQueue(system: configuration.disk, workers: workers)
        leftoverDisk = LeftoverDisk(disk: disk)
        files = TransferFiles(disk: disk, folders: FolderSync())
        places = DiskPlaces(disk: disk)
        names = NameResolver(configuration.lookup)
        let contexts = TLSContexts(configuration.trust) { [disk] trust in disk.certificates(of: trust?.trust) }
        connector = Connector(names: names, contexts: contexts, timeouts: configuration.timeouts)
        client = HTTPClient(loops: loops, connector: connector)
    }

    /// Runs tasks on the home loop. `nil` if decisions are made elsewhere.
    package var homeTasks: (any TaskExecutor)? { configuration.machine.home == nil ? loopTasks : nil }

    /// Returns the index of an event loop, round-robin. Only writes to the same place can block it.
    func takeLoop(for place: DiskLane.Place = .anywhere) -> Int {
        if case .devices(let home, _) = place { loops.take(home) } else { loops.take(nil) }
    }

    /// Returns the object that creates and places small files of a place.
    func smallFiles(at place: DiskLane.Place) -> SmallFiles {
        smallFiles.withLock { all in
            if let known = all[place] { return known }
            let new = SmallFiles(disk: disk.at(place), home: home, reached: configuration.reached)
            all[place] = new
            return new
        }
    }

    /// Creates a run for one attempt. It does nothing before `run` is called.
    package func makeRun(_ job: TransferJob, journal: any FactsJournal) -> any AttemptRun {
        if let makeRun = configuration.machine.makeRun { return makeRun(self, job, journal) }
        // A short attempt runs on the loop of its connections.
        if homeTasks != nil, let attempt = ShortAttempt(job, engine: self, journal: journal) { return attempt }
        return TransferRun(job, engine: self, journal: journal)
    }

    /// Forgets failed name resolutions and closes idle connections, because the machine has changed its network. A
    /// connection from a former address would never respond.
    package func networkChanged() {
        names.forgetFailures()
        client.closeIdleConnections()
    }

    /// Shuts down event loops and threads. All runs must have ended, except runs with a disk that does not respond.
    package func shutdown() async {
        names.shutdown()
        let (client, loops, workers) = (client, loops, workers)
        await Patience.wait(atMost: Self.patience, by: configuration.machine.clock) {
            async let calls: Void = workers.shutdown()
            await client.shutdown()
            await loops.shutdown()
            await calls
        }
    }
}
