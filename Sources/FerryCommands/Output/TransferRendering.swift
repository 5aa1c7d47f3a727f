// Ferry: FerryCommands
// Transfers as rows and as a page.

import FerryCore
import Foundation

extension Transfer {
    /// What people call it: its file's name, or else the end of its URL.
    var displayName: String {
        if let name, !name.isEmpty {
            return (name.split(separator: "/").last.map(String.init) ?? name).escapingControls
        }
        if let destination, let last = destination.split(separator: "/").last { return String(last).escapingControls }
        let path = url.prefix { $0 != "?" && $0 != "#" }
        let parts = path.split(separator: "/")
        guard parts.count > 2, let last = parts.last else { return url.escapingControls }
        return (String(last).removingPercentEncoding ?? String(last)).escapingControls
    }

    /// Its state, with what it waits for.
    var shownState: String {
        guard state == .waiting, let reason else { return state.rawValue }
        return "\(state.rawValue) (\(reason.rawValue))"
    }

    var percent: Int? {
        guard let bytesExpected, bytesExpected > 0 else { return nil }
        return Int(min(100, max(0, Double(bytesReceived) / Double(bytesExpected) * 100)))
    }
}

/// Shows transfers as a table, or one as a page.
enum TransferRendering {
    private static let table = Table(columns: [
        .init(title: "ID"), .init(title: "STATE"), .init(title: "DONE", isNumber: true),
        .init(title: "SIZE", isNumber: true), .init(title: "SESSION"), .init(title: "NAME"),
    ])

    static func lines(_ transfers: [Transfer], withTitles: Bool = true) -> [String] {
        table.lines(
            transfers.map { transfer in
                [
                    transfer.id.description, transfer.shownState,
                    transfer.percent.map { "\($0)%" } ?? ByteText.of(transfer.bytesReceived),
                    transfer.bytesExpected.map(ByteText.of) ?? "?", transfer.session.name.escapingControls,
                    transfer.displayName,
                ]
            }, withTitles: withTitles)
    }

    /// One fact a line.
    static func page(_ transfer: Transfer, now: Date) -> [String] {
        var facts: [(String, String?)] = [
            ("id", transfer.id.description), ("session", transfer.session.name),
            ("app", transfer.note?.application),
            ("task", transfer.note.map { "\($0.task), \($0.kind.rawValue)" }), ("url", transfer.url),
            ("final url", transfer.finalURL == transfer.url ? nil : transfer.finalURL),
            ("state", transfer.state.rawValue),
            ("waits for", WaitSentence.of(transfer, now: now)),
            (
                "received",
                ByteText.of(transfer.bytesReceived)
                    + (transfer.bytesExpected.map { " of \(ByteText.of($0))" } ?? "")
            ),
            (
                "spent",
                ByteText.of(transfer.bytesSpent)
                    + (transfer.startedOver > 0 ? ", with \(transfer.startedOver) starts from 0" : "")
            ),
            ("speed", transfer.bytesPerSecond.map(ByteText.speed)),
            ("destination", transfer.destination ?? transfer.folder),
            ("priority", transfer.priority == .normal ? nil : transfer.priority.word),
            ("rate limit", transfer.rateLimit > 0 ? ByteText.of(transfer.rateLimit) + "/s" : nil),
            ("error", transfer.error?.description), ("attempts", "\(transfer.attempts)"),
            ("created", time(transfer.createdAt)), ("finished", transfer.finishedAt.map(time)),
            ("tags", transfer.tags.isEmpty ? nil : transfer.tags.joined(separator: ", ")),
            ("type", transfer.contentType), ("etag", transfer.etag), ("last modified", transfer.lastModified),
        ]
        facts += transfer.verified.map { ("verified", $0.description) }
        if transfer.state == .succeeded, !transfer.lengthVerified { facts.append(("length", "unverified")) }
        if transfer.unchanged { facts.append(("unchanged", "the file was there already")) }
        if transfer.insecure { facts.append(("insecure", "the server's certificate is not verified")) }
        facts += transfer.redirects.map { ("redirect", $0) }
        facts += transfer.notes.map { ("note", $0) }
        return facts.compactMap { name, value in
            value.map { (name + ":").fitted(to: 15) + $0.escapingControls }
        }
    }

    private static func time(_ date: Date) -> String { date.formatted(.iso8601) }
}
