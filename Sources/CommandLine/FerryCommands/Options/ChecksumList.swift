import ArgumentParser
import FerryCore

extension Checksum {
    /// Parses `sha256:HEX`, `sha256=HEX`, or the digits alone, whose number determines the algorithm.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request`.
    init(typed text: String) throws(ServiceError) {
        if let alone = Self(digits: text) {
            self = alone
        } else if !text.contains(":"), let equals = text.firstIndex(of: "=") {
            try self.init(parsing: text[..<equals] + ":" + text[text.index(after: equals)...])
        } else {
            try self.init(parsing: text)
        }
    }

    fileprivate init?(digits: some StringProtocol) {
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isHexadecimalDigit),
            let algorithm = DigestAlgorithm.allCases.first(where: { $0.byteCount * 2 == digits.utf8.count }),
            let checksum = try? Checksum(parsing: "\(algorithm.rawValue):\(digits)")
        else { return nil }
        self = checksum
    }
}

/// A checksum file as written by `sha256sum` and similar programs: `HEX  NAME`, `HEX *NAME`, or `SHA256 (NAME) = HEX`.
struct ChecksumList {
    private var checksums: [String: [Checksum]] = [:]

    /// - Throws: `ValidationError` with the number of an invalid line.
    init(_ text: String, from path: String) throws {
        for (index, line) in TextLines(text).enumerated() {
            guard !line.allSatisfy(\.isWhitespace), !line.hasPrefix("#") else { continue }
            guard let (name, checksum) = Self.entry(line) ?? Self.taggedEntry(line) else {
                throw ValidationError(
                    "Line \(index + 1) of “\(path.escapingControls)” is not a digest with a name, as sha256sum writes it."
                )
            }
            checksums[name, default: []].append(checksum)
        }
    }

    /// The checksums of a name, or nil if it is not listed.
    func of(_ name: String) -> [Checksum]? { checksums[name] }

    private static func entry(_ line: Substring) -> (String, Checksum)? {
        guard let blank = line.firstIndex(of: " "), let checksum = Checksum(digits: line[..<blank]) else { return nil }
        var name = line[line.index(after: blank)...]
        if name.first == " " || name.first == "*" { name.removeFirst() }
        return name.isEmpty ? nil : (last(name), checksum)
    }

    private static func taggedEntry(_ line: Substring) -> (String, Checksum)? {
        guard let open = line.firstRange(of: " ("), let close = line.ranges(of: ") = ").last,
            open.upperBound < close.lowerBound,
            let checksum = try? Checksum(parsing: line[..<open.lowerBound] + ":" + line[close.upperBound...])
        else { return nil }
        return (last(line[open.upperBound..<close.lowerBound]), checksum)
    }

    /// The last component: listed names include folders, but the folder is the user's choice.
    private static func last(_ name: Substring) -> String { String(name.split(separator: "/").last ?? name) }
}
