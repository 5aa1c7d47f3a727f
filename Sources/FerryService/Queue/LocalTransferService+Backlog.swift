// Ferry: FerryService
// Those who wait in the journal alone.

import FerryCore

extension LocalTransferService {
    /// How many of a line are read at once.
    static let lineWindow = 256

    /// Puts the first of each line in the queue; the rest stays in the journal until it is wanted.
    func takeLines(_ stored: [(line: StoredLine, ids: [TransferID])]) {
        for (line, ids) in stored {
            let key = key(line)
            watchConditions(for: key)
            lines.insert(ids, key)
            if ids.count == Self.lineWindow, let last = ids.last {
                lines.leaveToJournal(line, key, after: last, through: self.ids.last)
            }
        }
    }

    /// Leaves transfers whose ids follow each other to the journal.
    func leaveToJournal(_ line: StoredLine, from first: TransferID, through last: TransferID) {
        let key = key(line)
        watchConditions(for: key)
        lines.leaveToJournal(line, key, after: TransferID(rawValue: first.rawValue - 1), through: last)
    }

    /// Reads on where a line is short.
    func readOn() {
        guard !isShuttingDown, let reading = lines.beginReading() else { return }
        Task(name: "more of a line") { await self.read(reading) }
    }

    private func read(_ reading: Backlog<StoredLine>.Reading) async {
        do throws(TransferError) {
            let ids = try await journal.read { reader throws(TransferError) in
                try reader.ids(
                    in: reading.source, after: reading.after, through: reading.through, limit: Self.lineWindow)
            }
            let goesOn = lines.endReading(
                reading, ids, isEnd: ids.count < Self.lineWindow, isBusy: { turns.transfers.isTaken($0) },
                isLive: running.contains)
            // What is being acted upon is scheduled once its turn ends.
            if goesOn { schedule() }
        } catch {
            lines.abandonReading()
            noteFailure(error)
        }
    }

    /// Puts those of a session in the queue that have a place in its order.
    func takeOrdered(_ ids: [TransferID], of session: SessionID) async throws(TransferError) {
        guard lines.hasBacklog(of: session) else { return }
        let pending = try await journal.read { reader throws(TransferError) in try reader.pending(ids) }
        for transfer in pending where !running.contains(transfer.id) && lines.delay(of: transfer.id) == nil {
            guard !turns.transfers.isTaken(transfer.id), transfer.session == session, transfer.isPlain else { continue }
            lines.insert(transfer.id, key(transfer))
        }
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
