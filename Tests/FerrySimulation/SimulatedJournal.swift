import FerryCore

@testable import FerryService

/// A journal whose commits take time and may fail; what it has stored outlives a kill.
///
/// The rows are those of the journal in memory. A change waits until it is stored, in the order of arrival; what came
/// of it
/// waits until it is brought. A reading sees the rows as they are at its call, or as they are when its answer is
/// brought.
struct SimulatedJournal {
    typealias Next = (inout SimulatedWorld) -> Void

    private struct Change {
        let errand: Errand
        let ofRunning: Bool
        /// Stores it, or says why that failed.
        let store: (MemoryTransaction, ServiceError?) -> Next
    }

    private struct Answer {
        let errand: Errand
        let next: Next
        /// Reads again.
        let anew: (() -> Next)?
    }

    let rows: MemoryTransaction
    private var changes: [Change] = []
    private var answers: [Answer] = []
    /// Another one after each change that may concern transfers in line, and while one is under way.
    private(set) var revision: UInt64 = 0

    init(_ rows: MemoryTransaction = MemoryTransaction()) { self.rows = rows }

    /// The journal as the next process finds it.
    var afterKill: SimulatedJournal { SimulatedJournal(rows) }

    mutating func commit<Value>(
        _ errand: Errand, ofRunning: Bool,
        _ body: @escaping (MemoryTransaction) throws(ServiceError) -> Value,
        then next: @escaping (inout SimulatedWorld, Result<Value, ServiceError>) -> Void
    ) {
        if !ofRunning { revision += 1 }
        changes.append(
            Change(errand: errand, ofRunning: ofRunning) { rows, fault in
                let result: Result<Value, ServiceError>
                if let fault {
                    result = .failure(fault)
                } else {
                    do throws(ServiceError) {
                        result = .success(
                            try rows.run { transaction throws(ServiceError) in
                                try body(rows)
                            })
                    } catch {
                        result = .failure(error)
                    }
                }
                return { next(&$0, result) }
            })
    }

    mutating func read<Value>(
        _ errand: Errand, _ body: @escaping (MemoryTransaction) throws(ServiceError) -> Value,
        then next: @escaping (inout SimulatedWorld, Result<Value, ServiceError>) -> Void
    ) {
        let rows = rows
        let read: () -> Next = {
            let result = Result { () throws(ServiceError) in try body(rows) }
            return { next(&$0, result) }
        }
        answers.append(Answer(errand: errand, next: read(), anew: read))
    }

    /// Stores the first changes.
    ///
    /// - Returns: false if nothing waits to be stored.
    mutating func store(_ count: Int, _ fault: Fault?) -> Bool {
        guard !changes.isEmpty else { return false }
        let error = fault.map { _ in ServiceError(.diskFull, "The disk has no room for the journal.") }
        for change in changes.prefix(count) {
            answers.append(Answer(errand: change.errand, next: change.store(rows, error), anew: nil))
            if !change.ofRunning || error != nil { revision += 1 }
        }
        changes.removeFirst(min(count, changes.count))
        return true
    }

    /// Takes out the oldest answer of an errand.
    mutating func answer(_ errand: Errand, isFresh: Bool) -> Next? {
        guard let index = answers.firstIndex(where: { $0.errand == errand }), !isOvertaking(index) else { return nil }
        // Rows that are about to be reported are not read earlier.
        let isKnown = !isOvertaking(answers.count)
        let answer = answers.remove(at: index)
        return isFresh && isKnown ? answer.anew?() ?? answer.next : answer.next
    }

    /// Whether an answer comes before an older one that names new transfers: nothing else knows these before.
    private func isOvertaking(_ index: Int) -> Bool {
        answers[..<index].contains { if case .submission = $0.errand { true } else { false } }
    }

    // MARK: Questions

    var isIdle: Bool { changes.isEmpty && answers.isEmpty }
    /// Whether a change waits to be stored, or what came of it to be brought.
    var isWriting: Bool { !changes.isEmpty || answers.contains { $0.anew == nil } }
    var waitingChanges: Int { changes.count }
    /// Errands of the waiting replies, oldest first.
    var waitingAnswers: [Errand] { answers.map(\.errand) }
    /// The errands that have not come to their end.
    var errands: [Errand] { changes.map(\.errand) + answers.map(\.errand) }

    func record(_ id: TransferID) -> TransferRecord? { rows.rows[id]?.record }
}
