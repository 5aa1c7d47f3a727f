package import FerryCore
import RawStructuredFieldValues

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
        version = Self.integer(head, "Upload-Draft-Interop-Version").flatMap { Int(exactly: $0) }
            .flatMap(UploadVersion.init)
        location = head.location
        offset = Self.integer(head, "Upload-Offset")
        // Servers of later versions also send the earlier field (swift-nio-extras 1.35).
        isComplete = Self.boolean(head, "Upload-Complete") ?? Self.boolean(head, "Upload-Incomplete").map { !$0 }
        var limits: [String: Int64] = [:]
        for member in StructuredField.dictionary(head.value("Upload-Limit") ?? "") {
            if case .integer(let number) = member.value, number >= 0 { limits[member.key] = number }
        }
        mostOfPart = limits["max-append-size"].flatMap { $0 > 0 ? $0 : nil }
        mostOfAll = limits["max-size"]
    }

    /// The value of a field that occurs exactly once.
    private static func item(_ head: ResponseHead, _ name: String) -> RFC9651BareItem? {
        let values = head.values(name)
        return values.count == 1 ? StructuredField.item(values[0]) : nil
    }

    private static func boolean(_ head: ResponseHead, _ name: String) -> Bool? {
        if case .bool(let isTrue) = item(head, name) { isTrue } else { nil }
    }

    /// An integer, which has at most fifteen digits (RFC 9651 §3.3.1). May be negative.
    private static func integer(_ head: ResponseHead, _ name: String) -> Int64? {
        if case .integer(let number) = item(head, name) { number } else { nil }
    }
}
