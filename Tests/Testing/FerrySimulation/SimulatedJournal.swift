import FerryCore
import FerryEngine
import FerryRules

@testable import FerryQueue
@testable import FerryService

/// The durable contents of a journal.
protocol SimulatedStore: AnyObject {
    /// The contents, in memory.
    var rows: MemoryTransaction { get }
    func write<Value>(_ body: (any JournalTransaction) throws(ServiceError) -> Value) throws(ServiceError) -> Value
    func read<Value>(_ body: (any JournalReader) throws(ServiceError) -> Value) throws(ServiceError) -> Value
    /// The journal that prepares values.
    var preparing: any Journal { get }
    /// How an answer differed from the one of the journal in memory, or `nil`.
    var fault: String? { get }
    /// Returns how the stored contents differ from those in memory, or `nil`.
    func difference() -> String?
}

/// The contents of an in-memory journal.
final class MemoryStore: SimulatedStore {
    let rows = MemoryTransaction()
    let preparing: any Journal = MemoryJournal()

    func write<Value>(_ body: (any JournalTransaction) throws(ServiceError) -> Value) throws(ServiceError) -> Value {
        try rows.run(body)
    }

    func read<Value>(_ body: (any JournalReader) throws(ServiceError) -> Value) throws(ServiceError) -> Value {
        try body(rows)
    }

    var fault: String? { nil }
    func difference() -> String? { nil }
}

/// The journal of one simulated process. Its commits happen late and in order, may fail, and may outlive the process
/// that never learns of them. Its reads see the state at their call or a later one.
final class SimulatedJournal: Journal, @unchecked Sendable {  // SAFETY: Used on the scheduler's thread only.
    private struct Change {
        /// Makes the change and returns how to report the result.
        let perform: () -> () -> Void
        let fail: (ServiceError) -> Void
    }

    private let process: SimulatedProcess
    private var store: any SimulatedStore { process.machine.store }
    private var waiting: [Change] = []
    private var isDraining = false
    /// Results to report, one group per commit.
    private var results: [[() -> Void]] = []
    private(set) var revision: UInt64 = 0
    private var failure: ServiceError?

    init(_ process: SimulatedProcess) { self.process = process }

    /// Number of changes and results on their way.
    var open: Int { waiting.count + results.count }

    private static let gone = ServiceError(.journalFailed, "The process is gone.")

    func commit<Value: Sendable>(
        ofRunning: Bool, isolation: isolated (any Actor)?,
        body: @escaping @Sendable (any JournalTransaction) throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value {
        if !ofRunning { revision += 1 }
        defer { if !ofRunning { revision += 1 } }
        let result: Result<Value, ServiceError> = await withCheckedContinuation { continuation in
            if let failure = process.isDead ? Self.gone : failure {
                return continuation.resume(returning: .failure(failure))
            }
            waiting.append(
                Change(
                    perform: { [store] in
                        let result = Result { () throws(ServiceError) in try store.write(body) }
                        return { continuation.resume(returning: result) }
                    },
                    fail: { continuation.resume(returning: .failure($0)) }))
            drainLater()
        }
        if ofRunning, case .failure = result { revision += 1 }
        return try result.get()
    }

    private func drainLater() {
        guard !isDraining, !waiting.isEmpty else { return }
        isDraining = true
        process.scheduler.event { [self] in drain() }
    }

    /// Commits the first waiting changes together.
    private func drain() {
        isDraining = false
        let machine = process.machine
        let group = waiting.prefix(process.isDead ? .max : 1 + machine.scheduler.numbers.below(3))
        waiting.removeFirst(group.count)
        if machine.breaksJournal, !process.isDead {
            machine.breaksJournal = false
            failure = ServiceError(.journalFailed, "The journal's disk has failed.")
        }
        var fault = process.isDead ? Self.gone : failure
        if fault == nil, machine.fullCommits > 0 {
            machine.fullCommits -= 1
            fault = ServiceError(.diskFull, "The disk has no room for the journal.")
        }
        if let fault {
            machine.scheduler.note("not stored \(group.count)")
            results.append(group.map { change in { change.fail(fault) } })
        } else {
            machine.scheduler.note("stored \(group.count)")
            results.append(group.map { $0.perform() })
        }
        machine.scheduler.event(isSlow: machine.scheduler.numbers.once(in: 4)) { [self] in
            for report in results.removeFirst() { report() }
        }
        drainLater()
    }

    func read<Value: Sendable>(
        isolation: isolated (any Actor)?, body: @escaping @Sendable (any JournalReader) throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value {
        let (scheduler, store) = (process.scheduler, store)
        let early = scheduler.numbers.once(in: 2) ? Result { () throws(ServiceError) in try store.read(body) } : nil
        let result: Result<Value, ServiceError> = await withCheckedContinuation { continuation in
            scheduler.event(isSlow: scheduler.numbers.once(in: 4)) { [process] in
                guard !process.isDead else { return continuation.resume(returning: .failure(Self.gone)) }
                continuation.resume(
                    returning: early ?? Result { () throws(ServiceError) in try store.read(body) })
            }
        }
        return try result.get()
    }

    func prepare(_ facts: TransferFacts) throws(ServiceError) -> StoredFacts { try store.preparing.prepare(facts) }
    func prepare(_ end: TransferEnd) throws(ServiceError) -> StoredEnd { try store.preparing.prepare(end) }
    func prepare(_ template: TransferRecord) throws(ServiceError) -> BatchTemplate {
        try store.preparing.prepare(template)
    }

    func reclaim() async -> Bool { false }
    func releaseMemory() async {}
    func close() async {}
}
