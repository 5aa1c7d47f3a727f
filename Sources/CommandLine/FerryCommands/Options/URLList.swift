import ArgumentParser
import FerryCore

/// Options for reading URLs.
struct ListOptions: ParsableArguments {
    @Option(
        name: [.customShort("i", allowingJoined: true), .customLong("input-file")], parsing: .unconditional,
        help: ArgumentHelp(
            "Read URLs from a file, one per line, or in aria2's format; - is standard input.", valueName: "file"),
        completion: .file())
    var inputFile: String?

    @Flag(help: "Expand {a,b}, [1-100] and [a-z:2] in URLs, as curl does.")
    var glob = false
}

/// A list of URLs, one per line, also in aria2's format: further URLs of the same file after tabs, and options of the
/// file in indented lines. Blank lines and lines starting with `#` are ignored.
package struct URLList {
    /// Options of one file in a list.
    struct Extra: Hashable {
        struct Option: Hashable {
            let line: Int
            let name: String
            let value: String
        }

        var mirrors: [String] = []
        var options: [Option] = []
    }

    private(set) var urls: [String] = []
    /// By index of the URL.
    private(set) var extras: [Int: Extra] = [:]

    /// Percent-encodes bytes that are no UTF-8, as other clients send them.
    mutating func encodePathBytes() { urls = urls.map(PercentEncoding.encodePathBytes) }

    init(urls: [String] = [], extras: [Int: Extra] = [:]) {
        self.urls = urls
        self.extras = extras
    }

    init(_ text: String) {
        // Most lists are ASCII, which is parsed by bytes.
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else {
            let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            for (number, line) in lines.enumerated() {
                take(line, isIndented: line.first?.isWhitespace ?? false, line: number + 1)
            }
            return
        }
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() {
            if line.contains(where: Self.isLineBreak) {
                for part in line.split(whereSeparator: Self.isLineBreak) { take(ascii: part, line: number + 1) }
            } else {
                take(ascii: line, line: number + 1)
            }
        }
    }

    private mutating func take(ascii line: Substring.UTF8View, line number: Int) {
        take(Substring(line), isIndented: line.first.map(Self.isSpace) ?? false, line: number)
    }

    /// Appends another list.
    mutating func add(_ other: URLList) {
        for (place, extra) in other.extras { extras[urls.count + place] = extra }
        urls += other.urls
    }

    /// Expands each URL pattern. Options of a file apply to each of its URLs.
    ///
    /// - Throws: `ValidationError` as ``URLGlob`` does, also for more than a million URLs in total.
    func expanded() throws -> URLList {
        var list = URLList()
        for (place, url) in urls.enumerated() {
            let glob = try URLGlob(url)
            guard list.urls.count + glob.count <= URLGlob.most else {
                throw ValidationError(
                    "All together stand for more than \(URLGlob.most) URLs; give them in several commands.")
            }
            if let extra = extras[place] {
                for number in 0..<glob.count { list.extras[list.urls.count + number] = extra }
            }
            list.urls += glob.urls
        }
        return list
    }

    private mutating func take(_ line: Substring, isIndented: Bool, line number: Int) {
        let bytes = line.utf8
        guard let start = bytes.firstIndex(where: { !Self.isSpace($0) }), bytes[start] != UInt8(ascii: "#"),
            let end = bytes.lastIndex(where: { !Self.isSpace($0) })
        else { return }
        let text = bytes[start...end]
        if isIndented, !urls.isEmpty, let equals = text.firstIndex(of: UInt8(ascii: "=")),
            text[..<equals].allSatisfy({ $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "/") })
        {
            let option = Extra.Option(
                line: number, name: String(Substring(text[..<equals])).trimmingFieldSpace,
                value: String(Substring(text[text.index(after: equals)...])).trimmingFieldSpace)
            extras[urls.count - 1, default: Extra()].options.append(option)
            return
        }
        guard text.contains(UInt8(ascii: "\t")) else { return urls.append(String(Substring(text))) }
        let parts = text.split(separator: UInt8(ascii: "\t"))
        guard let first = parts.first else { return }
        urls.append(String(Substring(first)).trimmingFieldSpace)
        extras[urls.count - 1, default: Extra()].mirrors = parts.dropFirst().map {
            String(Substring($0)).trimmingFieldSpace
        }
    }

    /// Vertical tab, form feed, carriage return, besides the line feed.
    private static func isLineBreak(_ byte: UInt8) -> Bool { (0x0A...0x0D).contains(byte) }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

extension URLList.Extra {
    /// Applies the options of a file in aria2's names.
    ///
    /// - Returns: The ignored options.
    /// - Throws: `ValidationError` with the line of an invalid value.
    func apply(to request: inout TransferRequest, paths: TypedPath, of file: String) throws -> [Option] {
        request.mirrors += mirrors
        var unknown: [Option] = []
        for option in options {
            do {
                if try !apply(option, to: &request, paths) { unknown.append(option) }
            } catch let error as ValidationError {
                throw ValidationError("Line \(option.line) of “\(file.escapingControls)”: \(error.message)")
            }
        }
        return unknown
    }

    private func apply(_ option: Option, to request: inout TransferRequest, _ paths: TypedPath) throws -> Bool {
        func number(_ range: SettingRange<Int>) throws -> Int {
            guard let number = Int(option.value), range.contains(number) else {
                throw ValidationError("“\(option.value.escapingControls)” is not a value of \(option.name).")
            }
            return number
        }
        func add(_ name: String, _ value: String) {
            request.headers.removeAll { $0.isNamed(name) }
            request.headers.append(HeaderField(name: name, value: value))
        }
        switch option.name {
        case "out": request.file.name = option.value
        case "dir": request.file.folder = try paths.folder(option.value)
        case "checksum": request.response.checksums.append(try RequestOptions.checksum(option.value))
        case "user-agent": add("User-Agent", option.value)
        case "referer": add("Referer", option.value)
        case "header":
            let halves = option.value.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2 else {
                throw ValidationError(
                    "“\(option.value.escapingControls)” is not a header field; write it as “Name: value”.")
            }
            let name = String(halves[0]).trimmingFieldSpace
            request.headers.append(HeaderField(name: name, value: String(halves[1]).trimmingFieldSpace))
        case "split", "max-connection-per-server": request.transport.connections = try number(.connections)
        case "max-tries":
            // aria2 counts all attempts, and 0 is unlimited.
            let attempts = try number(.retries)
            (request.timing.retries, request.timing.retryRule) = (attempts == 0 ? nil : attempts - 1, nil)
        case "max-download-limit": request.transport.rateLimit = try ByteAmount.parse(option.value)
        default: return false
        }
        return true
    }
}
