import FerryCore
import FerryFoundation

/// Progress lines for a log or a pipe: changes of state, and occasional progress.
struct PlainProgress {
    var retries: RetryLimits?
    private var said: [TransferID: Said] = [:]

    /// The last line about a transfer.
    private struct Said {
        var state: TransferState
        var reason: WaitReason?
        var error: ServiceError?
        var percent: Int
        var bytes: Int64
        /// Start of the current byte count.
        var since: Date
        var at: Date
        /// Bytes before a new attempt, until it is known where the attempt continues.
        var before: Int64?
    }

    private static let longestSilence: TimeInterval = 10
    private static let shortestSilence: TimeInterval = 1
    private static let step = 10

    init(retries: RetryLimits? = nil) { self.retries = retries }

    /// The line to print, or nil.
    mutating func line(_ transfer: Transfer, now: Date) -> String? {
        if let end = EndSentence.of(transfer) {
            said[transfer.id] = nil
            return end
        }
        let last = said[transfer.id]
        let percent = transfer.percent ?? 0
        guard let text = text(transfer, last, percent, now) else { return nil }
        said[transfer.id] = Said(
            state: transfer.state, reason: transfer.reason, error: transfer.error, percent: percent,
            bytes: transfer.bytesMoved,
            since: last.flatMap { $0.bytes == transfer.bytesMoved ? $0.since : nil } ?? now, at: now,
            before: last.flatMap { $0.state == .running ? nil : $0.bytes > 0 ? $0.bytes : nil })
        return "\(transfer.displayName): \(text)"
    }

    private func text(_ transfer: Transfer, _ last: Said?, _ percent: Int, _ now: Date) -> String? {
        switch transfer.state {
        case .waiting:
            // Waiting for a slot is only worth a line after running.
            guard !transfer.waitsItsTurn || last != nil && last?.state != .waiting else { return nil }
            if last?.state == .waiting, last?.reason == transfer.reason, last?.error == transfer.error { return nil }
            return "waiting: " + (WaitSentence.of(transfer, retries: retries, now: now) ?? "a free slot")
        case .suspended: return last?.state == .suspended ? nil : "paused"
        case .running:
            guard let last else { return transfer.bytesMoved > 0 ? amount(transfer) : "started" }
            if last.state != .running { return "trying again" }
            if let before = last.before, transfer.bytesMoved != before {
                return transfer.bytesMoved > before
                    ? "continues at " + ByteText.of(before) : "starts over from byte 0"
            }
            let silence = now.timeIntervalSince(last.at)
            let isStep = percent - last.percent >= Self.step && silence >= Self.shortestSilence
            guard isStep || silence >= Self.longestSilence else { return nil }
            if transfer.bytesMoved == last.bytes {
                return "no data for \(TimeText.words(now.timeIntervalSince(last.since)))"
            }
            return amount(transfer)
        case .succeeded, .failed, .canceled, .unknown: return nil
        }
    }

    private func amount(_ transfer: Transfer) -> String {
        var text = ByteText.of(transfer.bytesMoved)
        if let expected = transfer.bytesToMove, let percent = transfer.percent {
            text = "\(percent)%, \(text) of \(ByteText.of(expected))"
        }
        return text + (transfer.bytesPerSecond.map { ", " + ByteText.speed($0) } ?? "")
    }
}
