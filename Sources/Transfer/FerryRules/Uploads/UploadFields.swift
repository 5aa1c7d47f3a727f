package import FerryCore

/// One request of an upload.
package enum UploadRequest: Hashable, Sendable {
    /// Creates an upload with the content up to a position.
    case create(until: Int64)
    /// Asks the upload resource for its offset.
    case offset
    /// Appends the bytes between two positions to the upload resource.
    case append(from: Int64, until: Int64)
    /// Cancels the upload resource.
    case cancel

    /// The sent range of the content.
    package var part: Range<Int64>? {
        switch self {
        case .create(let until): 0..<until
        case .append(let start, let end): start..<end
        case .offset, .cancel: nil
        }
    }

    /// The method, or nil for the caller's own.
    package var method: String? {
        switch self {
        case .create: nil
        case .offset: "HEAD"
        case .append: "PATCH"
        case .cancel: "DELETE"
        }
    }

    /// The protocol's fields for the request.
    ///
    /// - Parameter length: Length of the whole content in bytes.
    package func fields(_ version: UploadVersion, length: Int64) -> [HeaderField] {
        var fields = [HeaderField(name: "Upload-Draft-Interop-Version", value: String(version.rawValue))]
        guard let part else { return fields }
        let isLast = part.upperBound == length
        if version == .three {
            fields.append(HeaderField(name: "Upload-Incomplete", value: isLast ? "?0" : "?1"))
        } else {
            fields.append(HeaderField(name: "Upload-Complete", value: isLast ? "?1" : "?0"))
        }
        if case .append = self {
            fields.append(HeaderField(name: "Upload-Offset", value: String(part.lowerBound)))
            if version.rawValue >= UploadVersion.six.rawValue {
                fields.append(HeaderField(name: "Content-Type", value: "application/partial-upload"))
            }
        } else if version.rawValue >= UploadVersion.six.rawValue {
            fields.append(HeaderField(name: "Upload-Length", value: String(length)))
        }
        return fields
    }
}

/// The upload fields of a response.
package struct UploadStatement: Hashable, Sendable {
    /// The protocol version, if supported.
    package let version: UploadVersion?
    /// The URL of the upload resource, if there is exactly one.
    package let location: String?
    /// The server's offset, or nil unless stated exactly once as a number.
    package let offset: Int64?
    package let isComplete: Bool?
    /// Maximum number of bytes per request, or nil without a usable limit.
    package let mostOfPart: Int64?
    /// Maximum size of an upload in bytes.
    package let mostOfAll: Int64?

    package init(_ head: ResponseHead) {
        version = Self.item(head, "Upload-Draft-Interop-Version").flatMap(Self.number)
            .flatMap { Int(exactly: $0) }.flatMap(UploadVersion.init)
        location = head.location
        offset = Self.item(head, "Upload-Offset").flatMap(Self.number)
        // Servers of later versions also send the earlier field (swift-nio-extras 1.35).
        isComplete =
            Self.item(head, "Upload-Complete").flatMap(Self.boolean)
            ?? Self.item(head, "Upload-Incomplete").flatMap(Self.boolean).map { !$0 }
        var limits: [String: Int64] = [:]
        if let text = head.value("Upload-Limit") {
            var dictionary = StructuredDictionary(text)
            limits = dictionary.naturals() ?? [:]
        }
        mostOfPart = limits["max-append-size"].flatMap { $0 > 0 ? $0 : nil }
        mostOfAll = limits["max-size"]
    }

    /// The value of a field that occurs exactly once, without parameters (RFC 9651 §3.3).
    private static func item(_ head: ResponseHead, _ name: String) -> Substring? {
        let values = head.values(name)
        guard values.count == 1, let value = values.first else { return nil }
        return value.prefix { $0 != ";" && $0 != " " }
    }

    private static func boolean(_ text: Substring) -> Bool? {
        switch text {
        case "?1": true
        case "?0": false
        default: nil
        }
    }

    /// An integer of at most fifteen digits (RFC 9651 §3.3.1). Negative numbers are preserved.
    private static func number(_ text: Substring) -> Int64? {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text
        guard (1...15).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }
}
