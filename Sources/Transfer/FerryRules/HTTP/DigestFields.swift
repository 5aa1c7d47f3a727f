package import FerryCore
import FerryFoundation
import RawStructuredFieldValues

/// The SHA-256 and SHA-512 digests of a response: of its head or its trailers (RFC 9530 §2, RFC 9110 §6.5).
///
/// Malformed fields and other algorithms are ignored.
package struct DigestFields: Hashable, Sendable {
    /// Digests of the whole file: `Repr-Digest` (RFC 9530), else `Digest` (RFC 3230).
    package let representation: [Checksum]
    /// Digests of this response's content: `Content-Digest` (RFC 9530).
    package let content: [Checksum]

    package init(_ head: ResponseHead) { self.init(head.fields) }

    package init(_ fields: [HeaderField]) {
        var representation = fields.value("Repr-Digest").map(Self.dictionary) ?? []
        for older in fields.value("Digest").map(Self.instanceDigests) ?? []
        where !representation.contains(where: { $0.algorithm == older.algorithm }) {
            representation.append(older)
        }
        self.representation = representation
        self.content = fields.value("Content-Digest").map(Self.dictionary) ?? []
    }

    package var isEmpty: Bool { representation.isEmpty && content.isEmpty }

    /// Parses a structured dictionary of byte sequences.
    static func dictionary(_ text: String) -> [Checksum] {
        StructuredField.dictionary(text).compactMap { key, value in
            guard case .undecodedByteSequence(let base64) = value else { return nil }
            return checksum(key: key, base64: base64)
        }
    }

    /// Parses `SHA-256=base64, …` with case-insensitive names.
    static func instanceDigests(_ text: String) -> [Checksum] {
        var found: [Checksum] = []
        for member in text.split(separator: ",") {
            let parts = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2,
                let checksum = checksum(
                    key: String(parts[0]).trimmingFieldSpace.lowercased(), base64: String(parts[1]).trimmingFieldSpace),
                !found.contains(where: { $0.algorithm == checksum.algorithm })
            else { continue }
            found.append(checksum)
        }
        return found
    }

    private static func checksum(key: String, base64: String) -> Checksum? {
        let algorithm: DigestAlgorithm
        switch key {
        case "sha-256": algorithm = .sha256
        case "sha-512": algorithm = .sha512
        default: return nil
        }
        // Padding may be left out (RFC 9651 §4.2.7).
        let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let bytes = Data(base64Encoded: base64 + padding), bytes.count == algorithm.byteCount else { return nil }
        return Checksum(algorithm, bytes: bytes)
    }
}
