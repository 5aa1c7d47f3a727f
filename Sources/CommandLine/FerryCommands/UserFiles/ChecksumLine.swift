import FerryCore

/// One line of a checksum file (https://www.gnu.org/software/coreutils/manual/html_node/cksum-output-modes.html,
/// https://docs.openssl.org/3.0/man1/openssl-dgst/).
///
/// | written by | form |
/// |---|---|
/// | `sha256sum`, `openssl dgst -r` | `HEX  NAME`, `HEX *NAME` |
/// | the same, for a name with a backslash or a line break | `\HEX  NAME` with escaped characters |
/// | `sha256sum --tag`, BSD | `SHA256 (NAME) = HEX` |
/// | `openssl dgst` | `SHA256(NAME)= HEX`, `SHA2-256(NAME)= HEX` |
/// | many servers | `HEX` |
struct ChecksumLine {
    /// The listed path. Nil for a digest alone, or of standard input.
    let path: String?
    let checksum: Checksum

    /// - Parameter allowsUntagged: Whether a digest without the name of its algorithm is recognized by its length.
    init?(_ line: Substring, allowsUntagged: Bool = true) {
        guard let (path, checksum) = Self.tagged(line) ?? (allowsUntagged ? Self.untagged(line) : nil) else {
            return nil
        }
        self.path = path == "-" || path == "stdin" && line.contains("(stdin)") ? nil : path
        self.checksum = checksum
    }

    private static func tagged(_ line: Substring) -> (String?, Checksum)? {
        guard let open = line.firstIndex(of: "("), let close = line.lastIndex(of: ")"), open < close else { return nil }
        let digits = line[line.index(after: close)...].drop(while: isBlank)
        guard digits.first == "=" else { return nil }
        let algorithm = trimmed(line[..<open])
        let isEscaped = algorithm.first == "\\"
        let hex = trimmed(digits.dropFirst())
        guard let checksum = try? Checksum(parsing: (isEscaped ? algorithm.dropFirst() : algorithm) + ":" + hex) else {
            return nil
        }
        let name = line[line.index(after: open)..<close]
        return (isEscaped ? unescaped(name) : String(name), checksum)
    }

    private static func untagged(_ line: Substring) -> (String?, Checksum)? {
        let isEscaped = line.first == "\\"
        let line = isEscaped ? line.dropFirst() : line.drop(while: isBlank)
        let digits = line.prefix { !isBlank($0) }
        guard let checksum = Checksum(digits: digits) else { return nil }
        var name = line[digits.endIndex...].drop(while: isBlank)
        if name.first == "*" { name.removeFirst() }
        while let last = name.last, isBlank(last) { name.removeLast() }
        guard !name.isEmpty else { return (nil, checksum) }
        return (isEscaped ? unescaped(name) : String(name), checksum)
    }

    /// Undoes the escapes of coreutils: `\\`, `\n` and `\r`.
    private static func unescaped(_ name: Substring) -> String {
        var result = ""
        var rest = name
        while let character = rest.popFirst() {
            guard character == "\\", let next = rest.popFirst() else {
                result.append(character)
                continue
            }
            switch next {
            case "n": result.append("\n")
            case "r": result.append("\r")
            default: result.append(next)
            }
        }
        return result
    }

    private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return text
    }
}

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
