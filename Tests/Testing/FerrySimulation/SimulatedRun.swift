import FerryCore
import FerryDisk
import FerryRules
import Foundation
import Synchronization

@testable import FerryEngine
@testable import FerryQueue
@testable import FerryService

/// A run without a server: it makes progress, waits, and ends in every way that the error table knows.
///
/// Its course follows from the history's seed, its transfer and the number of its attempt, whatever happens beside it.
actor SimulatedRun: AttemptRun {
    nonisolated let process: SimulatedProcess
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe process.home.unownedExecutor }
    private let job: TransferJob
    private let journal: any FactsJournal
    private let world: any RunWitness
    private var numbers: SeededNumbers
    private var facts: TransferFacts
    /// The error to end with, once it is to stop.
    private var stop: ServiceError??
    private var wake: CheckedContinuation<Void, Never>?

    init(_ job: TransferJob, _ journal: any FactsJournal, _ process: SimulatedProcess, _ world: any RunWitness) {
        self.job = job
        self.journal = journal
        self.process = process
        self.world = world
        facts = job.facts
        let attempt = process.machine.countAttempt(job.id)
        let number = UInt64(job.request.url.lastPathPart) ?? 0
        numbers = SeededNumbers(seed: process.machine.seed ^ number &* 0x9E37_79B9_7F4A_7C15 ^ attempt << 32)
        world.runMade(job.id, process)
    }

    func follow(_ request: TransferRequest) {}

    func stop(with error: ServiceError?) {
        if stop == nil { stop = .some(error) }
        world.runIsToStop(job.id)
        wake?.resume()
        wake = nil
    }

    private func pause(upTo milliseconds: Int, hangs: Bool = false) async {
        guard hangs || stop == nil, !process.isDead else { return }
        let end = process.now + .milliseconds(1 + numbers.below(milliseconds))
        if hangs { return (try? await process.sleep(until: end)) ?? () }
        let timer = Task { [process] in
            guard (try? await process.sleep(until: end)) != nil else { return }
            self.wakeUp()
        }
        await withCheckedContinuation { wake = $0 }
        timer.cancel()
    }

    private func wakeUp() {
        wake?.resume()
        wake = nil
    }

    func run() async -> RunReport {
        world.runBegan(job.id, process, isToStop: stop != nil)
        let report = await attempt()
        world.runEnded(job.id, process, report)
        return report
    }

    private func attempt() async -> RunReport {
        if numbers.once(in: 6) { await waitForName() }
        var isWhole = false
        for _ in 0..<numbers.below(4) where stop == nil && !isWhole {
            await pause(upTo: 3000)
            guard stop == nil else { break }
            if numbers.once(in: 3) {
                isWhole = true
                let inMemory = numbers.once(in: 2)
                world.runIsWhole(job.id, inMemory: inMemory)
                await journal.isWhole(job.id, inMemory: inMemory, isolation: self)
            } else if await checkpoint() == false {
                return report(.failed(ServiceError(.destinationExists, "The name is taken."), retryAfter: nil))
            }
        }
        await pause(upTo: numbers.once(in: 4) ? 60_000 : 2000)
        // A disk that does not answer keeps a run from stopping.
        if numbers.once(in: 4) { await pause(upTo: 9000, hangs: true) }
        if let stop, !numbers.once(in: 4) {
            return report(stop.map { .failed($0, retryAfter: nil) } ?? .stopped, isWhole: isWhole)
        }
        return await end(isWhole: isWhole)
    }

    private func waitForName() async {
        job.progress.waitsForName.store(true, ordering: .relaxed)
        world.runWaitsForName(job.id, true)
        await journal.nameChanged(job.id, isolation: self)
        await pause(upTo: 4000)
        job.progress.waitsForName.store(false, ordering: .relaxed)
        world.runWaitsForName(job.id, false)
        await journal.nameChanged(job.id, isolation: self)
    }

    /// Makes some bytes durable, with the claim of their destination.
    private func checkpoint() async -> Bool? {
        let folder = job.request.file.folder
        let end = facts.ranges.byteCount
        facts.ranges.insert(end..<end + 100_000)
        if facts.partial == nil {
            let name = ".ferry-\(job.id).part"
            let file = process.isDead ? nil : process.machine.disk.place(folder + "/" + name, size: end + 100_000)
            facts.partial = PartialFacts(
                folder: folder, name: name, device: 1, inode: file?.inode ?? 0, folderDevice: 1,
                folderInode: process.machine.disk.file(folder)?.inode ?? 0)
            facts.destination = folder + "/" + job.request.url.suffix(6).replacing("/", with: "-")
        }
        return try? await journal.record(facts, of: job.id, isolation: self)
    }

    private func end(isWhole: Bool) async -> RunReport {
        switch process.machine.isCalm ? 0 : numbers.below(9) {
        case 0..<4:
            let path = facts.destination ?? "/f/\(job.id)"
            if let partial = facts.partial, !process.isDead { process.machine.disk.removeFile(partial.path) }
            if !process.isDead { _ = process.machine.disk.place(path, size: facts.ranges.byteCount) }
            return report(
                .succeeded(Outcome.Success(path: path, size: facts.ranges.byteCount, verified: [])), isWhole: true)
        case 4:
            var details = ErrorDetails()
            details.httpStatus = 503
            let error = ServiceError(.serverBusy, "The server is busy.", details: details)
            let seconds = [2, 30, 90_000][numbers.below(3)]
            var busy = report(.failed(error, retryAfter: "\(seconds)"), isWhole: isWhole)
            busy.refusedBy = (try? HTTPURL(parsing: job.request.url))?.origin
            return busy
        case 5:
            let challenge = TrustChallenge(host: "a.test", port: 443, certificates: [], fault: nil)
            return report(.challenged(.trust(challenge)), isWhole: isWhole)
        default:
            // The simulated transfers are downloads, and a broken journal ends the process.
            let codes = ErrorCode.allCases.filter { ![.journalFailed, .fileChanged, .uploadConflict].contains($0) }
            let code = numbers.once(in: 2) ? .connectionLost : numbers.one(of: codes)
            return report(.failed(ServiceError(code, "The attempt has failed."), retryAfter: nil), isWhole: isWhole)
        }
    }

    private func report(_ result: TransferMachine.AttemptEnd, isWhole: Bool = false) -> RunReport {
        let gained = facts.advance()
        return RunReport(
            result: result, refusedBy: nil, facts: Boxed(wrappedValue: facts),
            cost: AttemptCost(spent: gained, gained: gained, seconds: 1, isWhole: isWhole), digest: nil)
    }
}

/// Notes what runs do, for the laws.
protocol RunWitness: AnyObject, Sendable {
    func runMade(_ id: TransferID, _ process: SimulatedProcess)
    func runBegan(_ id: TransferID, _ process: SimulatedProcess, isToStop: Bool)
    func runEnded(_ id: TransferID, _ process: SimulatedProcess, _ report: RunReport)
    func runIsToStop(_ id: TransferID)
    func runIsWhole(_ id: TransferID, inMemory: Bool)
    func runWaitsForName(_ id: TransferID, _ waits: Bool)
}
