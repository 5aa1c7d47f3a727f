import FerryCore
import FerryFoundation

/// The number of retries of a transfer without progress.
struct RetryLimits: Sendable {
    var usual: Int
    /// The number while no server is reachable with a poor prospect. Nil for the usual one.
    var unreachable: Int?

    func apply(to request: inout TransferRequest) {
        request.timing.retries = usual
        if let unreachable { request.timing.retryRule = RetryRule(unreachableRetries: min(usual, unreachable)) }
    }

    func limit(of transfer: Transfer) -> Int {
        guard let unreachable, transfer.bytesMoved == 0, transfer.error?.hasPoorProspect == true else {
            return usual
        }
        return min(usual, unreachable)
    }
}

/// Describes a wait and the next attempt.
enum WaitSentence {
    /// - Parameters:
    ///   - retries: The retry limits, if known.
    ///   - width: Columns. A long cause is shortened, so that the time of the next attempt stays visible.
    /// - Returns: Nil if the transfer is not waiting.
    static func of(_ transfer: Transfer, retries: RetryLimits? = nil, width: Int = .max, now: Date) -> String? {
        guard transfer.state == .waiting, let reason = transfer.reason else { return nil }
        switch reason {
        case .retry, .server: return retry(transfer, retries, width, now)
        case .disk: return phrase(reason) + (transfer.error.map { ": " + cause($0.message) } ?? "")
        case .network:
            let error = transfer.error.flatMap { $0.code == .offline ? ": " + cause($0.message) : nil }
            return phrase(reason) + (error ?? "")
        case .beginDate:
            let left = transfer.notBefore.map { ", in \(TimeText.words(max(0, $0.timeIntervalSince(now))))" }
            return phrase(reason) + (left ?? "")
        case .destination: return "the folder \(transfer.folder.escapingControls)"
        default: return phrase(reason)
        }
    }

    /// The wait as a sentence of its own: its cause if there is one, otherwise what it waits for.
    ///
    /// - Returns: Nil if the transfer is not waiting.
    static func whole(_ transfer: Transfer, now: Date) -> String? {
        guard let reason = transfer.reason, let text = of(transfer, now: now) else { return nil }
        return text.hasPrefix(phrase(reason)) ? "waits for \(text)" : text
    }

    /// The object of a wait with this reason, as the end of a sentence.
    static func phrase(_ reason: WaitReason) -> String {
        switch reason {
        case .slot: "a free slot"
        case .session: "a free slot of its session"
        case .host: "a connection to its server"
        case .retry: "the next attempt"
        case .server: "its server, which asks for a pause"
        case .disk: "disk space"
        case .network: "the network"
        case .cellular: "a network that is not cellular"
        case .expensive: "a network that is not metered"
        case .constrained: "a network without low data mode"
        case .power: "external power"
        case .beginDate: "its time"
        case .relaunch: "a delay, since its app was just launched"
        case .authentication: "its app, to provide credentials"
        case .expired: "another URL, since this one has expired"
        case .destination: "the folder"
        case .shutdown: "the next start of the daemon"
        case .label: "a worker with its label"
        case .lease: "a lease from its program"
        case .unknown: "a reason of a newer version"
        }
    }

    private static func retry(_ transfer: Transfer, _ retries: RetryLimits?, _ width: Int, _ now: Date) -> String {
        let cause = transfer.error.map { Self.cause($0.message) } ?? phrase(transfer.reason ?? .retry)
        var text = ""
        if let next = transfer.times.nextAttempt ?? transfer.error?.details.nextAttemptAt {
            let left = next.timeIntervalSince(now)
            text += left > 0 ? "; next attempt in \(TimeText.words(left))" : "; retrying"
        }
        if let attempts = transfer.error?.details.attempts ?? (transfer.attempts > 0 ? transfer.attempts : nil) {
            text +=
                retries.map { $0.limit(of: transfer) }.map {
                    attempts <= $0 ? " (\(attempts) of \($0))" : " (\(attempts))"
                }
                ?? " (attempt \(attempts))"
        }
        let room = width - text.displayWidth
        guard cause.displayWidth > room, room > 1 else { return cause + text }
        return cause.columns(first: room - 1) + "…" + text
    }

    /// A sentence as part of another.
    private static func cause(_ message: String) -> String {
        var text = message.escapingControls
        while let last = text.last, last == "." || last == " " { text.removeLast() }
        return text
    }
}

/// Describes a transfer's outcome and its file.
enum EndSentence {
    /// Nil while unfinished.
    static func of(_ transfer: Transfer) -> String? {
        switch transfer.state {
        case .succeeded:
            let file = (transfer.destination ?? transfer.folder).escapingControls
            if transfer.sending.direction == .upload {
                let status = transfer.response.map { ["answered \($0.status)"] } ?? []
                return "uploaded: \(transfer.displayName) (" + (facts(transfer) + status).joined(separator: ", ") + ")"
            }
            if transfer.unchanged { return "unchanged: \(file)" }
            let taken = transfer.takenName.map { "; \($0.escapingControls) exists already" } ?? ""
            return "saved: \(file) (" + facts(transfer).joined(separator: ", ") + ")" + taken
        case .failed:
            let error = transfer.error.map { "\($0.message.escapingControls) (\($0.word.escapingControls))" }
            return "failed: \(transfer.displayName): \(error ?? "for an unknown reason")"
        case .canceled: return "canceled: \(transfer.displayName)"
        case .waiting, .running, .suspended, .unknown: return nil
        }
    }

    /// Size, duration, mean speed, and verification.
    private static func facts(_ transfer: Transfer) -> [String] {
        var amount = ByteText.of(transfer.bytesMoved)
        var facts: [String] = []
        let carried = carried(transfer)
        if let started = transfer.times.start, let finished = transfer.times.end {
            let seconds = finished.timeIntervalSince(started)
            if seconds >= 1 {
                if carried < transfer.bytesMoved { amount += ", \(ByteText.of(carried)) received" }
                amount += " in " + TimeText.words(seconds)
                facts.append(ByteText.speed(Double(carried) / seconds))
            }
        }
        facts.insert(amount, at: 0)
        facts += transfer.verified.map { "\($0.algorithm.rawValue) verified" }
        facts += transfer.mismatched.map { "\($0.algorithm.rawValue) differs" }
        if !transfer.lengthVerified { facts.append("length unverified") }
        if transfer.isWebPage { facts.append(TransferNotes.webPage) }
        return facts
    }

    /// The bytes that came over the network: fewer than the file has if they were compressed, or if another program's
    /// file was continued.
    private static func carried(_ transfer: Transfer) -> Int64 {
        guard transfer.sending.direction == .download, transfer.bytesSpent > 0 else { return transfer.bytesMoved }
        return min(transfer.bytesSpent, transfer.bytesMoved)
    }
}
