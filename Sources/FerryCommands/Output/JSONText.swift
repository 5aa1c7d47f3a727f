// Ferry: FerryCommands
// JSON on standard output.

import FerryAPI
import FerryCore
import Foundation

/// Writes values as JSON for scripts.
enum JSONText {
    /// One value on one line.
    static func line(_ value: some Encodable) throws(TransferError) -> String {
        do {
            return String(decoding: try APIJSON.bytes(withoutSecrets(value)), as: UTF8.self)
        } catch {
            throw TransferError(.internal, "The answer cannot be written as JSON: \(error)")
        }
    }

    /// A transfer that waits for credentials carries those of its URL, for its client alone.
    private static func withoutSecrets(_ value: some Encodable) -> any Encodable {
        if var event = value as? TransferEvent {
            event.transfer?.hideCredentials()
            return event
        }
        guard var transfer = value as? Transfer else { return value }
        transfer.hideCredentials()
        return transfer
    }

    /// One array, an element a line.
    static func array(_ values: [some Encodable]) throws(TransferError) -> String {
        guard !values.isEmpty else { return "[]" }
        var lines: [String] = []
        for value in values { lines.append(try line(value)) }
        return "[\n" + lines.joined(separator: ",\n") + "\n]"
    }
}

extension Transfer {
    fileprivate mutating func hideCredentials() {
        guard case .authentication(var challenge) = challenge else { return }
        challenge.proposed = nil
        self.challenge = .authentication(challenge)
    }
}
