import ArgumentParser
import FerryCore
import FerryFoundation

extension RequestOptions {
    /// What the requests have in common, and their URLs in the order given.
    ///
    /// - Throws: `ValidationError` if the input file holds no URL or cannot be read, or if one name or mirror is for several
    ///   files.
    func template(in context: CommandContext) throws -> (TransferRequest, urls: [String]) {
        var all = urls
        if let inputFile { all += URLList.parse(try context.console.read(inputFile)) }
        all = try fields.withLogins(all, in: context)
        guard !all.isEmpty else {
            throw ValidationError("There is nothing to fetch: “\((inputFile ?? "").escapingControls)” holds no URL.")
        }
        guard output == nil || all.count == 1 else { throw RequestOptions.oneNameForMany }
        guard pace.mirror.isEmpty || all.count == 1 else { throw RequestOptions.mirrorsOfMany }

        let paths = context.typedPath
        var template = TransferRequest(url: "", folder: paths.folder(folder ?? "."))
        if let output { (template.folder, template.name) = try paths.file(output, in: template.folder) }
        template.session = session
        try fields.apply(to: &template, in: context)
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

extension RequestOptions {
    /// A request for each URL, with the digests that a list has of its file.
    ///
    /// - Throws: `ValidationError` if the list cannot be read, or has none of the files.
    func requests(
        _ template: TransferRequest, _ urls: [String], in context: CommandContext
    ) throws -> [TransferRequest] {
        let list = try checksums.map { try ChecksumList(context.console.read($0), from: $0) }
        var missing: [String] = []
        let requests = urls.map { url in
            var request = template
            request.url = url
            guard let list else { return request }
            let name = template.name ?? Self.lastPart(of: url)
            if let found = list.of(name) { request.checksums += found } else { missing.append(name) }
            return request
        }
        guard missing.count < urls.count || missing.isEmpty else {
            throw ValidationError(
                "“\((checksums ?? "").escapingControls)” has no digest of \(Self.named(missing)).")
        }
        if !missing.isEmpty {
            context.remark("There is no digest of \(Self.named(missing)): these files are not checked.")
        }
        return requests
    }

    /// The file's name as the URL has it.
    private static func lastPart(of url: String) -> String {
        let path = url.prefix { $0 != "?" && $0 != "#" }
        let last = String(path.split(separator: "/").last ?? "")
        return PercentEncoding.decodeLeniently(last)
    }

    private static func named(_ names: [String]) -> String {
        let some = names.prefix(5).map { "“\($0.escapingControls)”" }.joined(separator: ", ")
        return names.count > 5 ? some + " and \(names.count - 5) others" : some
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
