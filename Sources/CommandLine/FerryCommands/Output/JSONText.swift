import FerryAPI
package import FerryCore
import FerryFoundation

/// JSON output for scripts.
package enum JSONText {
    /// One value on one line.
    package static func line(_ value: some Encodable) throws(ServiceError) -> String {
        do {
            return String(decoding: try APIJSON.bytes(withoutSecrets(value)), as: UTF8.self)
                .replacingHidden(with: \.jsonEscape)
        } catch {
            throw ServiceError(.internal, "The output cannot be written as JSON: \(error)")
        }
    }

    /// Removes the credentials from the challenge of a waiting transfer, which are only for its client.
    private static func withoutSecrets(_ value: some Encodable) -> any Encodable {
        if var event = value as? TransferEvent {
            event.transfer?.hideCredentials()
            return event
        }
        guard var transfer = value as? Transfer else { return value }
        transfer.hideCredentials()
        return transfer
    }

    /// An array with one element per line.
    package static func array(_ values: [some Encodable]) throws(ServiceError) -> String {
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
