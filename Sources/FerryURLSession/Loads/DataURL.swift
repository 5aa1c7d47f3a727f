import Foundation

/// A `data` URL taken apart (RFC 2397).
struct DataURL: Equatable {
    let mediaType: String
    let data: Data

    /// - Returns: nil if there is no comma, or the bytes are not what they are said to be.
    init?(_ text: String) {
        guard text.lowercased().hasPrefix("data:"), let comma = text.firstIndex(of: ",") else { return nil }
        let head = text[text.index(text.startIndex, offsetBy: 5)..<comma]
        let content = String(text[text.index(after: comma)...])
        let isBase64 = head.lowercased().hasSuffix(";base64")
        let type = isBase64 ? head.dropLast(7) : head
        mediaType = type.isEmpty ? "text/plain;charset=US-ASCII" : String(type)
        guard let plain = content.removingPercentEncoding else { return nil }
        if isBase64 {
            guard let decoded = Data(base64Encoded: plain) else { return nil }
            data = decoded
        } else {
            guard let bytes = Self.bytes(content) else { return nil }
            data = bytes
        }
    }

    /// The bytes of a percent-encoded text, which need not be UTF-8.
    private static func bytes(_ text: String) -> Data? {
        var result = Data()
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                result.append(byte)
                continue
            }
            guard let high = rest.popFirst(), let low = rest.popFirst(),
                let value = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16)
            else { return nil }
            result.append(value)
        }
        return result
    }
}
