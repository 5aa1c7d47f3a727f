import FerryCore
import FerryFoundation

/// The transfers of a live view: active ones individually, and totals for all.
struct ProgressBoard {
    var line = ProgressLine()
    /// Number of followed transfers, including those without any news yet.
    private(set) var total: Int
    private(set) var ended = 0
    private(set) var failed = 0
    /// Unfinished transfers that are not just waiting for a slot.
    private var shown: [TransferID: Transfer] = [:]
    /// Unfinished transfers waiting for a slot.
    private var queued: Set<TransferID> = []
    /// One of them.
    private var example: Transfer?
    /// The byte count of each running transfer, and the time of its last change.
    private var heard: [TransferID: (bytes: Int64, at: Date)] = [:]
    private let countsAll: Bool

    /// - Parameter total: Number of followed transfers. Nil counts those with updates.
    init(total: Int?) {
        self.total = total ?? 0
        countsAll = total == nil
    }

    /// Updates a transfer.
    ///
    /// - Returns: Whether it has just finished.
    mutating func update(_ transfer: Transfer, now: Date = Date()) -> Bool {
        let isNew = shown[transfer.id] == nil && !queued.contains(transfer.id)
        if countsAll, isNew { total += 1 }
        forget(transfer.id)
        if transfer.state.isEnded {
            heard[transfer.id] = nil
            ended += 1
            if transfer.state != .succeeded { failed += 1 }
            return true
        }
        if transfer.state != .running {
            heard[transfer.id] = nil
        } else if heard[transfer.id]?.bytes != transfer.bytesMoved {
            heard[transfer.id] = (transfer.bytesMoved, now)
        }
        if transfer.waitsItsTurn {
            queued.insert(transfer.id)
            example = transfer
        } else {
            shown[transfer.id] = transfer
        }
        return false
    }

    /// A transfer that waits for its turn.
    var waiting: Transfer? { example.flatMap { queued.contains($0.id) ? $0 : nil } }

    /// Whether a transfer is more than waiting for its turn.
    var isBusy: Bool { !shown.isEmpty }

    /// Whether a transfer has its own line.
    func shows(_ id: TransferID) -> Bool { shown[id] != nil }

    mutating func remove(_ id: TransferID) {
        let isOpen = shown[id] != nil || queued.contains(id) || !countsAll
        forget(id)
        heard[id] = nil
        if isOpen { ended += 1 }
    }

    private mutating func forget(_ id: TransferID) {
        shown[id] = nil
        queued.remove(id)
    }

    /// As many lines as the height allows, including a summary line for more than one transfer.
    func lines(width: Int, height: Int, now: Date) -> [String] {
        let room = max(1, height - 1)
        func silence(_ transfer: Transfer) -> TimeInterval {
            heard[transfer.id].map { now.timeIntervalSince($0.at) } ?? 0
        }
        if total <= 1 {
            return (shown.values + [waiting].compactMap(\.self)).prefix(1).map {
                line.render($0, width: width, silence: silence($0), now: now)
            }
        }
        let all = shown.values.sorted { $0.id < $1.id }
        let drawn = all.prefix(max(0, room - 1))
        var row = line
        let names = drawn.map(\.displayName)
        row.nameWidth = max(4, min(names.map(\.displayWidth).max() ?? 0, ProgressColumns.widestName(in: width)))
        let shortened = ShortNames.of(names, width: row.nameWidth ?? 0)
        var lines = zip(drawn, shortened).map { transfer, name in
            row.render(transfer, name: name, width: width, silence: silence(transfer), now: now)
        }
        lines.append(summary(all).columns(first: width))
        return lines
    }

    private func summary(_ all: [Transfer]) -> String {
        let running = all.filter { $0.state == .running }
        let speed = running.reduce(0) { $0 + ($1.bytesPerSecond ?? 0) }
        var text = "\(ended) of \(total) done"
        if failed > 0 { text += ", \(failed) failed" }
        if !running.isEmpty { text += ", \(running.count) running" }
        let waiting = max(0, total - ended - running.count)
        if waiting > 0 { text += ", \(waiting) waiting" }
        if speed >= 1 { text += "  " + ByteText.speed(speed) }
        return text
    }
}

extension Transfer {
    /// Whether it only waits for a slot.
    var waitsItsTurn: Bool {
        guard state == .waiting else { return false }
        switch reason {
        case nil, .slot, .session, .host: return true
        case .retry, .server, .disk, .network, .cellular, .expensive, .constrained, .power, .beginDate, .relaunch,
            .authentication, .expired, .destination, .shutdown, .label, .lease, .unknown:
            return false
        }
    }
}
