import ArgumentParser
import FerryCore

/// A checksum file as `sha256sum -c` reads it: lines that are no digests are skipped.
struct ChecksumList {
    /// The result of looking up a file.
    enum Match: Equatable {
        case found([Checksum])
        /// Several listed paths match equally well, and their digests differ.
        case ambiguous([Choice])
        /// The line that names the file has no digest that can be read.
        case unreadable(line: Int)
        case missing
    }

    /// One of several listed files.
    struct Choice: Equatable {
        /// The listed path, or nil for a digest without a name.
        let path: String?
        let checksums: [Checksum]
    }

    private struct Entry {
        let path: String
        let parts: [Substring]
        let checksum: Checksum
    }

    private let file: String
    /// By last path component.
    private var entries: [Substring: [Entry]] = [:]
    /// Digests without a name.
    private var unnamed: [Checksum] = []
    private var unreadable: [(number: Int, text: Substring)] = []
    private(set) var skipped = SkippedLines()
    private var isSigned = false

    /// - Throws: `ValidationError` if no line is a digest.
    init(_ text: String, from path: String) throws {
        file = path
        let allowsUntagged = !Self.namesOtherAlgorithm(path)
        for (index, line) in TextLines(text).enumerated() {
            guard !line.allSatisfy(\.isWhitespace), !line.hasPrefix("#") else { continue }
            if let entry = Self.parse(line, allowsUntagged: allowsUntagged) {
                add(entry)
            } else {
                if line.hasPrefix("-----BEGIN PGP SIG") { isSigned = true }
                skipped.append(index + 1)
                unreadable.append((index + 1, line))
            }
        }
        guard !entries.isEmpty || !unnamed.isEmpty else {
            let advice = allowsUntagged ? "" : " (\(Self.known) are supported)"
            throw ValidationError(
                "“\(path.escapingControls)” has no line with a digest, as sha256sum writes it\(advice).")
        }
    }

    /// Whether no digest has a name.
    var isUnnamed: Bool { entries.isEmpty }

    /// Remarks about the skipped lines.
    var remarks: [String] {
        let signature =
            isSigned ? "The signature in “\(file.escapingControls)” was not verified; gpg --verify does that." : nil
        return [skipped.remark(file, kind: "a digest"), signature].compactMap(\.self)
    }

    /// Looks up a file.
    ///
    /// The listed path is compared with the URL's path from the right, and the longest match wins.
    ///
    /// - Parameters:
    ///   - path: The decoded path of the URL.
    ///   - name: The name that the user gives the file. It counts if the URL's path is not listed.
    func match(_ path: String, name: String?) -> Match {
        let parts = Self.parts(path[...])
        if let found = longest(parts) ?? name.flatMap({ longest([$0[...]]) }) { return found }
        if isUnnamed { return Self.resolved([Choice(path: nil, checksums: unnamed)]) }
        let wanted = [name.map { $0[...] }, parts.last].compactMap(\.self).filter { !$0.isEmpty }
        let line = unreadable.first { line in wanted.contains { Self.names($0, line.text) } }
        return line.map { .unreadable(line: $0.number) } ?? .missing
    }

    // MARK: Lookup

    private func longest(_ parts: [Substring]) -> Match? {
        guard let last = parts.last, let named = entries[last] else { return nil }
        /// A path that is matched whole is preferred among those with the same number of equal components.
        func rank(_ entry: Entry) -> Int {
            let count = zip(entry.parts.reversed(), parts.reversed()).prefix { $0 == $1 }.count
            return 2 * count + (count == entry.parts.count ? 1 : 0)
        }
        guard let best = named.map(rank).max() else { return nil }
        var paths: [String] = []
        var checksums: [String: [Checksum]] = [:]
        for entry in named where rank(entry) == best {
            if checksums[entry.path] == nil { paths.append(entry.path) }
            if checksums[entry.path]?.contains(entry.checksum) != true {
                checksums[entry.path, default: []].append(entry.checksum)
            }
        }
        return Self.resolved(paths.map { Choice(path: $0, checksums: checksums[$0] ?? []) })
    }

    /// One file, or the choices between which the user decides.
    private static func resolved(_ choices: [Choice]) -> Match {
        // A path that is listed with two digests of one algorithm is several choices.
        let split = choices.flatMap { choice in
            Set(choice.checksums.map(\.algorithm)).count == choice.checksums.count
                ? [choice] : choice.checksums.map { Choice(path: choice.path, checksums: [$0]) }
        }
        guard let first = split.first else { return .missing }
        let isSame = split.allSatisfy { Set($0.checksums) == Set(first.checksums) }
        return isSame ? .found(first.checksums) : .ambiguous(split)
    }

    private mutating func add(_ line: ChecksumLine) {
        guard let path = line.path, let last = Self.parts(path[...]).last else {
            if !unnamed.contains(line.checksum) { unnamed.append(line.checksum) }
            return
        }
        entries[last, default: []].append(
            Entry(path: path, parts: Self.parts(path[...]), checksum: line.checksum))
    }

    // MARK: Text

    private static func parts(_ path: Substring) -> [Substring] { path.split(separator: "/").filter { $0 != "." } }

    /// Parses a line. In clear-signed text, a hyphen and a space may precede it (RFC 9580 §7.2).
    private static func parse(_ line: Substring, allowsUntagged: Bool) -> ChecksumLine? {
        ChecksumLine(line.hasPrefix("- ") ? line.dropFirst(2) : line, allowsUntagged: allowsUntagged)
    }

    /// Whether a line names a file: as its last word, after a slash, or in parentheses.
    private static func names(_ name: Substring, _ line: Substring) -> Bool {
        line.contains("(\(name))") || line.contains("/\(name))")
            || [" ", "\t", "*", "/"].contains { line.hasSuffix($0 + name) }
    }

    /// Whether a list is of an algorithm that Ferry does not have, although its digests have the length of one it has.
    private static func namesOtherAlgorithm(_ path: String) -> Bool {
        let name = path.split(separator: "/").last?.lowercased() ?? ""
        if ["sha512-256", "sha512_256"].contains(where: name.contains) { return true }
        let words = name.split { !$0.isLetter && !$0.isNumber }
        return words.contains { word in
            ["b2sum", "b3sum", "blake2", "blake3", "sha3sum", "sm3sum"].contains { word.hasPrefix($0) }
                || word == "sha3" || word == "sm3"
        }
    }

    private static var known: String { DigestAlgorithm.allCases.map(\.rawValue).joined(separator: ", ") }
}
