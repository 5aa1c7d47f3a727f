import ArgumentParser
import FerryCore

extension RequestOptions {
    /// What the requests have in common, and their URLs in the order given.
    ///
    /// - Throws: `ValidationError` if the input file holds no URL or cannot be read, or if one name or mirror is for several
    ///   files.
    func template(in context: CommandContext) throws -> (TransferRequest, urls: [String]) {
        var all = urls
        if let inputFile { all += URLList.parse(try context.console.read(inputFile)) }
        if let login = try fields.login(context.console.read) { all = all.map(login.added) }
        guard !all.isEmpty else {
            throw ValidationError("There is nothing to fetch: “\((inputFile ?? "").escapingControls)” holds no URL.")
        }
        guard output == nil || all.count == 1 else { throw RequestOptions.oneNameForMany }
        guard pace.mirror.isEmpty || all.count == 1 else { throw RequestOptions.mirrorsOfMany }

        let paths = context.typedPath
        var template = TransferRequest(url: "", folder: paths.folder(folder ?? "."))
        if let output { (template.folder, template.name) = try paths.file(output, in: template.folder) }
        template.session = session
        template.headers = try fields.headers.flatMap { try $0.fields(context.console.read) }
        template.checksums = checksum
        template.onConflict = onConflict
        template.expectedSize = expectedSize
        template.maxSize = maxSize
        template.remoteTime = remoteTime
        template.tags = tag
        pace.apply(to: &template)
        connection.apply(to: &template, in: context)
        return (template, all)
    }
}

/// Reads a list of URLs: one a line; blank lines and lines that begin with `#` are skipped.
enum URLList {
    static func parse(_ text: String) -> [String] {
        // Most lists are of ASCII, whose lines and spaces need no look at whole characters.
        text.utf8.allSatisfy { $0 < 0x80 } ? parse(ascii: text) : parse(characters: text)
    }

    private static func parse(ascii text: String) -> [String] {
        text.utf8.split(whereSeparator: isLineBreak).compactMap { line in
            let url = line.drop(while: isSpace)
            guard let first = url.first, first != UInt8(ascii: "#") else { return nil }
            guard let last = url.lastIndex(where: { !isSpace($0) }) else { return nil }
            return String(Substring(url[...last]))
        }
    }

    private static func parse(characters text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).compactMap { line in
            let url = line.drop(while: \.isWhitespace)
            guard let first = url.first, first != "#" else { return nil }
            guard let last = url.lastIndex(where: { !$0.isWhitespace }) else { return nil }
            return String(url[...last])
        }
    }

    /// Line feed, vertical tab, form feed, carriage return.
    private static func isLineBreak(_ byte: UInt8) -> Bool { (0x0A...0x0D).contains(byte) }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
