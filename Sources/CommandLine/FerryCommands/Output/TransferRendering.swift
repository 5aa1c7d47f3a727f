import FerryCore
import FerryFoundation

/// Display of transfers.
extension Transfer {
    /// The file's name on disk, or the last part of the URL until the name is known.
    var displayName: String {
        if let file = sending.file { return file.lastPathPart.escapingControls }
        if let destination, let last = destination.split(separator: "/").last { return String(last).escapingControls }
        if let name = names.chosen, !name.isEmpty {
            return (name.split(separator: "/").last.map(String.init) ?? name).escapingControls
        }
        let path = url.prefix { $0 != "?" && $0 != "#" }
        let parts = path.split(separator: "/")
        guard parts.count > 2, let last = parts.last else { return url.escapingControls }
        return PercentEncoding.decodeLeniently(String(last)).escapingControls
    }

    /// Its state with the wait reason.
    var shownState: String {
        guard state == .waiting, let reason else { return state.word }
        return "\(state.word) (\(reason.rawValue))"
    }

    /// Remaining seconds at the current speed, or nil if unknown.
    var secondsLeft: Double? {
        guard let bytesToMove, let bytesPerSecond, bytesPerSecond >= 1 else { return nil }
        return max(0, Double(bytesToMove) - Double(bytesMoved)) / bytesPerSecond
    }

    var percent: Int? {
        guard let bytesToMove, bytesToMove > 0 else { return nil }
        return Int(min(100, max(0, Double(bytesMoved) / Double(bytesToMove) * 100)))
    }

    /// Bytes of the file received or sent.
    var bytesMoved: Int64 {
        guard sending.direction == .upload else { return bytesReceived }
        return state == .succeeded ? bytesToMove ?? sending.sent : sending.sent
    }

    /// Size of the whole file, if known.
    var bytesToMove: Int64? { sending.direction == .upload ? sending.length : bytesExpected }
}

/// Formats one transfer as a page.
enum TransferRendering {
    /// One property per line.
    static func page(_ transfer: Transfer, now: Date) -> [String] {
        Transfer.CodingKeys.allCases.flatMap { facts($0, of: transfer, now: now) }
            .map { name, value in (name + ":").fitted(to: 15) + value.escapingControls }
    }

    /// The lines of a property. The switch is exhaustive, so a new property does not compile without a decision.
    private static func facts(_ field: Transfer.CodingKeys, of transfer: Transfer, now: Date) -> [(String, String)] {
        func line(_ name: String, _ value: String?) -> [(String, String)] { value.map { [(name, $0)] } ?? [] }
        switch field {
        case .id: return line("id", transfer.id.description)
        case .session: return line("session", transfer.session.name)
        case .note:
            return line("app", transfer.note?.application)
                + line("task", transfer.note.map { "\($0.task), \($0.kind.rawValue)" })
        case .url: return line("url", transfer.url)
        case .finalURL: return line("final url", transfer.finalURL == transfer.url ? nil : transfer.finalURL)
        case .state: return line("state", transfer.state.word)
        case .reason: return line("reason", WaitSentence.whole(transfer, now: now))
        case .bytesReceived:
            let whole = transfer.bytesToMove.map { " of \(ByteText.of($0))" } ?? ""
            let word = transfer.sending.direction == .upload ? "sent" : "received"
            return line(word, ByteText.of(transfer.bytesMoved) + whole)
        case .file: return line("file", transfer.sending.file)
        case .response where transfer.sending.direction == .upload:
            return line("answer", transfer.response.map { "\($0.status)" })
        case .bytesSpent:
            let starts =
                transfer.startedOver > 0
                ? ", with \(transfer.startedOver) \(transfer.startedOver == 1 ? "start" : "starts") from byte 0" : ""
            return line("spent", ByteText.of(transfer.bytesSpent) + starts)
        case .bytesPerSecond: return line("speed", transfer.bytesPerSecond.map(ByteText.speed))
        case .destination:
            let word = transfer.sending.direction == .upload ? "answer in" : "destination"
            return line(word, transfer.destination ?? (transfer.sending.direction == .upload ? nil : transfer.folder))
        case .priority: return line("priority", transfer.priority == .normal ? nil : transfer.priority.word)
        case .rateLimit:
            return line("rate limit", transfer.rateLimit > 0 ? ByteText.of(transfer.rateLimit) + "/s" : nil)
        case .error:
            return line("error", transfer.error?.description) + line("server said", ServerReason.of(transfer.error))
        case .attempts: return line("attempts", "\(transfer.attempts)")
        case .notBefore: return line("begins", transfer.notBefore.flatMap { $0 > now ? time($0) : nil })
        case .createdAt: return line("created", time(transfer.createdAt))
        case .finishedAt: return line("finished", transfer.times.end.map(time))
        case .tags: return line("tags", transfer.tags.isEmpty ? nil : transfer.tags.joined(separator: ", "))
        case .contentType: return line("type", transfer.contentType)
        case .etag: return line("etag", transfer.etag)
        case .lastModified: return line("last modified", transfer.lastModified)
        case .verified: return transfer.verified.map { ("verified", $0.description) }
        case .lengthVerified:
            return transfer.state == .succeeded && !transfer.lengthVerified ? [("length", "unverified")] : []
        case .unchanged: return transfer.unchanged ? [("unchanged", "the file already existed")] : []
        case .insecure: return transfer.insecure ? [("insecure", "the server's certificate is not verified")] : []
        case .redirects: return transfer.redirects.map { ("redirect", $0) }
        case .notes: return transfer.notes.map { ("note", $0) }
        // Shown on another property's line:
        case .bytesExpected, .startedOver, .folder, .nextAttemptAt: return []
        // Only with --json:
        case .name, .givenName, .startedAt, .mismatched, .direction, .method, .response, .exchanges, .challenge,
            .segments,
            .bytesSent,
            .bytesToSend:
            return []
        }
    }

    private static func time(_ date: Date) -> String { date.formatted(.iso8601) }
}
