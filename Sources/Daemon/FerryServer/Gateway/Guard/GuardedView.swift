import FerryAria2
import FerryCore

/// Transfers as gateway clients see them: without the secrets of other programs.
enum GuardedView {
    /// Returns a transfer without the data of another program's note, which may hold its requests, and without secret
    /// fields of requests and responses. A note itself stays, so that no client replaces it.
    static func of(_ transfer: Transfer) -> Transfer {
        guard transfer.note != nil || transfer.response != nil || !transfer.exchanges.isEmpty else { return transfer }
        var shown = transfer
        if let note = shown.note, note.application != RPCEndpoint.noteApplication { shown.note?.data = "" }
        shown.response?.fields.removeAll(where: SecretParts.isSecret)
        for place in shown.exchanges.indices {
            shown.exchanges[place].fields.removeAll(where: SecretParts.isSecret)
            shown.exchanges[place].response?.fields.removeAll(where: SecretParts.isSecret)
        }
        return shown
    }

    static func of(_ event: TransferEvent) -> TransferEvent {
        guard let transfer = event.transfer else { return event }
        let shown = of(transfer)
        guard
            shown.note != transfer.note || shown.response != transfer.response
                || shown.exchanges != transfer.exchanges
        else { return event }
        var changed = event
        changed.transfer = shown
        return changed
    }

    static func of(_ result: SubmissionResult) -> SubmissionResult {
        if case .accepted(let transfer) = result { .accepted(of(transfer)) } else { result }
    }
}
