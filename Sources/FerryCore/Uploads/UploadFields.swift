/// Versions of the protocol for resumable uploads, as its drafts number them (draft-ietf-httpbis-resumable-upload, appendix A).
package enum UploadVersion: Int, Hashable, Codable, CaseIterable, Sendable {
    /// Says whether an upload is incomplete where later versions say whether it is complete.
    case three = 3
    case five = 5
    /// Has a media type for the parts of an upload, and `Upload-Length`.
    case six = 6
    case eight = 8

    package static let newest = UploadVersion.eight
}

/// One request of an upload.
package enum UploadRequest: Hashable, Sendable {
    /// Asks the resource that the caller names to take the content, from its first byte up to a position.
    case create(until: Int64)
    /// Asks the upload resource how many bytes it has.
    case offset
    /// Sends the upload resource the bytes between two positions.
    case append(from: Int64, until: Int64)
    /// Gives up the upload resource.
    case cancel

    /// The bytes of the content that go along.
    package var part: Range<Int64>? {
        switch self {
        case .create(let until): 0..<until
        case .append(let start, let end): start..<end
        case .offset, .cancel: nil
        }
    }

    /// The method; nil is the caller's own.
    package var method: String? {
        switch self {
        case .create: nil
        case .offset: "HEAD"
        case .append: "PATCH"
        case .cancel: "DELETE"
        }
    }

    /// The fields that say what the request is to the server.
    ///
    /// - Parameter length: bytes of the whole content.
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

/// A response's statements about an upload.
package struct UploadStatement: Hashable, Sendable {
    /// The protocol's version, as far as it is one that Ferry speaks.
    package let version: UploadVersion?
    /// The one URL of the upload resource.
    package let location: String?
    /// Bytes that the server has; nil where that is not stated, or not once and as a number.
    package let offset: Int64?
    package let isComplete: Bool?
    /// The most bytes of one request; nil without a limit that can be kept.
    package let mostOfPart: Int64?
    /// The most bytes of an upload.
    package let mostOfAll: Int64?

    package init(_ head: ResponseHead) {
        version = Self.item(head, "Upload-Draft-Interop-Version").flatMap(Self.number)
            .flatMap { Int(exactly: $0) }.flatMap(UploadVersion.init)
        location = head.location
        offset = Self.item(head, "Upload-Offset").flatMap(Self.number)
        // Servers of the later versions answer with the earlier field too (swift-nio-extras 1.35).
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

    /// The value of a field that is there once, without parameters (RFC 9651 §3.3).
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

    /// An integer of at most fifteen digits (RFC 9651 §3.3.1); a negative one is told apart from none.
    private static func number(_ text: Substring) -> Int64? {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text
        guard (1...15).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }
}
