import ArgumentParser
import FerryCore

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

    /// The line of a file that a URL was read from.
    struct Origin: Equatable {
        let file: String
        let line: Int
    }

    private struct Line {
        /// Index in `files`.
        var file: Int32
        /// 0 for a typed URL.
        var number: Int32
    }

    private(set) var urls: [String] = []
    /// The line of each URL in its file. Empty if all were typed.
    private var lines: [Line] = []
    private var files: [String] = []
    /// By index of the URL.
    private(set) var extras: [Int: Extra] = [:]

    /// Percent-encodes bytes that are no UTF-8, as other clients send them.
    mutating func encodePathBytes() { urls = urls.map(PercentEncoding.encodePathBytes) }

    init(urls: [String] = []) { self.urls = urls }

    /// The same list with other forms of its URLs.
    func replacing(_ urls: [String]) -> URLList {
        var list = self
        list.urls = urls
        return list
    }

    /// The same list with only some of its URLs, which have no extras.
    func filter(_ isIncluded: (String) -> Bool) -> URLList {
        var list = URLList()
        list.files = files
        for (place, url) in urls.enumerated() where isIncluded(url) {
            list.urls.append(url)
            if !lines.isEmpty { list.lines.append(lines[place]) }
        }
        return list
    }

    /// The line that a URL was read from, or nil for a typed URL.
    func origin(of place: Int) -> Origin? {
        guard !lines.isEmpty, lines[place].number > 0 else { return nil }
        return Origin(file: files[Int(lines[place].file)], line: Int(lines[place].number))
    }

    /// The URLs that come from no file. They precede the others.
    var typed: ArraySlice<String> {
        lines.isEmpty ? urls[...] : urls.prefix(lines.prefix { $0.number == 0 }.count)
    }

    /// Reads a list.
    ///
    /// - Parameter file: Its name, for messages.
    init(_ text: String, from file: String = "") {
        files = [file]
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
        if lines.isEmpty { lines = [Line](repeating: Line(file: 0, number: 0), count: urls.count) }
        let before = Int32(files.count)
        files += other.files
        urls += other.urls
        lines += other.lines.map { Line(file: $0.file + before, number: $0.number) }
    }

    /// Expands each URL pattern. Options of a file apply to each of its URLs.
    ///
    /// - Throws: `ValidationError` as ``URLGlob`` does, also for more than a million URLs in total.
    func expanded() throws -> URLList {
        var list = URLList()
        list.files = files
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
            if !lines.isEmpty { list.lines += [Line](repeating: lines[place], count: glob.count) }
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
        lines.append(Line(file: 0, number: Int32(clamping: number)))
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
