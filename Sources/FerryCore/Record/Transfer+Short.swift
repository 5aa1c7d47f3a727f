// Ferry: FerryCore
// The wire form of a transfer without what is as usual.

import Foundation

extension Transfer {
    /// A transfer that is written without the keys whose values are those that an absent key means.
    package struct Short: Encodable, Sendable {
        private let transfer: Transfer

        package init(_ transfer: Transfer) { self.transfer = transfer }

        package func encode(to encoder: any Encoder) throws {
            var box = encoder.container(keyedBy: CodingKeys.self)
            func put<Value: Encodable & Equatable>(_ value: Value, _ key: CodingKeys, unless usual: Value) throws {
                if value != usual { try box.encode(value, forKey: key) }
            }
            try box.encode(transfer.id, forKey: .id)
            try box.encode(transfer.session, forKey: .session)
            try box.encode(transfer.url, forKey: .url)
            try box.encodeIfPresent(transfer.finalURL, forKey: .finalURL)
            try box.encode(transfer.state, forKey: .state)
            try box.encodeIfPresent(transfer.reason, forKey: .reason)
            try put(transfer.priority, .priority, unless: .normal)
            try box.encode(transfer.bytesReceived, forKey: .bytesReceived)
            try box.encodeIfPresent(transfer.bytesExpected, forKey: .bytesExpected)
            try box.encodeIfPresent(transfer.bytesPerSecond, forKey: .bytesPerSecond)
            try box.encodeIfPresent(transfer.destination, forKey: .destination)
            try put(transfer.folder, .folder, unless: "")
            try box.encodeIfPresent(transfer.name, forKey: .name)
            try box.encodeIfPresent(transfer.error, forKey: .error)
            try put(transfer.attempts, .attempts, unless: 0)
            try box.encodeIfPresent(transfer.nextTryAt, forKey: .nextTryAt)
            try box.encode(transfer.createdAt, forKey: .createdAt)
            try box.encodeIfPresent(transfer.startedAt, forKey: .startedAt)
            try box.encodeIfPresent(transfer.finishedAt, forKey: .finishedAt)
            try put(transfer.rateLimit, .rateLimit, unless: 0)
            try put(transfer.tags, .tags, unless: [])
            try put(transfer.verified, .verified, unless: [])
            try put(transfer.mismatched, .mismatched, unless: [])
            try put(transfer.lengthVerified, .lengthVerified, unless: true)
            try put(transfer.unchanged, .unchanged, unless: false)
            try put(transfer.insecure, .insecure, unless: false)
            try box.encodeIfPresent(transfer.etag, forKey: .etag)
            try box.encodeIfPresent(transfer.lastModified, forKey: .lastModified)
            try box.encodeIfPresent(transfer.contentType, forKey: .contentType)
            try put(transfer.redirects, .redirects, unless: [])
            try put(transfer.notes, .notes, unless: [])
            try put(transfer.method, .method, unless: "GET")
            try put(transfer.bytesSent, .bytesSent, unless: 0)
            try box.encodeIfPresent(transfer.bytesToSend, forKey: .bytesToSend)
            try box.encodeIfPresent(transfer.response, forKey: .response)
            if !transfer.exchanges.isEmpty { try box.encode(transfer.exchanges, forKey: .exchanges) }
            try put(transfer.startedOver, .startedOver, unless: 0)
            try put(transfer.bytesSpent, .bytesSpent, unless: transfer.bytesReceived)
            try box.encodeIfPresent(transfer.challenge, forKey: .challenge)
            try box.encodeIfPresent(transfer.notBefore, forKey: .notBefore)
            try box.encodeIfPresent(transfer.note, forKey: .note)
        }
    }
}
