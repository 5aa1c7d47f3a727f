// Ferry: FerryService
// Those who wait in the journal alone.

import FerryCore
import FerryStore

extension LocalTransferService {
    /// How many of a line are read at once.
    static let lineWindow = 256
    /// A line that is shorter is read on.
    private static let shortLine = 64

    /// Puts the first of each line in the queue; the rest stays in the journal until it is wanted.
    func takeLines(_ lines: [(line: StoredLine, ids: [TransferID])]) {
        for (line, ids) in lines {
            let key = key(line)
            watchConditions(for: key)
            ready.insert(ids, key)
            if ids.count == Self.lineWindow, let last = ids.last, let end = lastID {
                backlog.add(line, key, after: last, through: end)
            }
        }
    }

    /// Leaves transfers whose ids follow each other to the journal.
    func leaveToJournal(_ line: StoredLine, from first: TransferID, through last: TransferID) {
        let key = key(line)
        watchConditions(for: key)
        backlog.add(line, key, after: TransferID(rawValue: first.rawValue - 1), through: last)
    }

    /// Reads on where a line is short.
    func readOn() {
        guard !isShuttingDown, !backlog.isEmpty,
            let reading = backlog.begin(isShort: { ready.waiting(with: $0) < Self.shortLine })
        else { return }
        Task(name: "more of a line") { await self.read(reading) }
    }

    private func read(_ reading: Backlog<StoredLine>.Reading) async {
        do throws(TransferError) {
            let ids = try await journal.read { reader throws(TransferError) in
                try reader.ids(
                    in: reading.source, after: reading.after, through: reading.through, limit: Self.lineWindow)
            }
            let isEnd = ids.count < Self.lineWindow
            guard let taken = backlog.end(reading, ids, isEnd: isEnd, isBusy: { turns.isTaken($0) }) else { return }
            ready.insert(taken.ids.filter { live[$0] == nil && delayed[$0] == nil }, taken.key)
            // What is being acted upon is scheduled once that is over.
            if taken.goesOn { schedule() }
        } catch {
            backlog.abandon()
            noteFailure(error)
        }
    }

    /// Puts those of a session in the queue that have a place in its order.
    func takeOrdered(_ ids: [TransferID], of session: SessionID) async throws(TransferError) {
        guard !backlog.sources(where: { $0.session == session }).isEmpty else { return }
        let pending = try await journal.read { reader throws(TransferError) in try reader.pending(ids) }
        for transfer in pending where live[transfer.id] == nil && delayed[transfer.id] == nil {
            guard !turns.isTaken(transfer.id), transfer.session == session, transfer.isPlain else { continue }
            ready.insert(transfer.id, key(transfer))
        }
    }

    /// Ends a turn on a transfer.
    func leaveTurn(_ id: TransferID) {
        backlog.touch(id)
        turns.leave(id)
        passAfterTurn(id)
    }

    func key(_ transfer: PendingTransfer) -> QueueKey {
        QueueKey(
            session: transfer.session, origin: transfer.origin, priority: transfer.priority,
            network: network(transfer.network, in: transfer.session))
    }

    func key(_ line: StoredLine) -> QueueKey {
        QueueKey(
            session: line.session, origin: line.origin, priority: line.priority,
            network: network(line.network, in: line.session))
    }
}

extension PendingTransfer {
    /// Whether it waits for no moment of its own.
    fileprivate var isPlain: Bool { retry == nil && notBefore == nil && !startsAfterRelaunch }
}
