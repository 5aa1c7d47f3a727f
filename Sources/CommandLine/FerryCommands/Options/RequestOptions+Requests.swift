import ArgumentParser
package import FerryCore
import FerryFoundation

extension RequestOptions {
    /// Returns the common request and the URLs in the given order.
    ///
    /// - Throws: `ValidationError` if the input file is empty or unreadable, or if one name or mirror is given for
    ///   several files.
    package func template(in context: CommandContext) throws -> (TransferRequest, URLList) {
        let list = try listed(in: context)
        let all = try fields.withLogins(list.urls, in: context)
        guard !all.isEmpty else {
            throw ValidationError("Nothing to fetch: “\((inputFile ?? "").escapingControls)” contains no URL.")
        }
        guard output == nil || all.count == 1 else { throw RequestOptions.oneNameForMany }
        guard pace.mirror.isEmpty || all.count == 1 else { throw RequestOptions.mirrorsOfMany }

        let paths = context.typedPath
        var template = TransferRequest(url: "", folder: "")
        if let output, !isForOutput {
            (template.file.folder, template.file.name) = try paths.file(output, in: paths.folder(folder ?? "."))
        } else if !isForOutput {
            template.file.folder = try paths.folder(folder ?? ".")
        }
        template.session = session
        try fields.apply(to: &template, in: context)
        template.response.checksums = checksum
        template.tags = tag
        template.timing.notBefore = try begin.map { try MomentArgument.parse($0, now: context.now()) }
        try content.apply(to: &template, in: context)
        file.apply(to: &template)
        pace.apply(to: &template)
        try connection.apply(to: &template, in: context)
        return (template, URLList(urls: all, extras: list.extras))
    }

    /// Makes the file arrive in order, in a folder from which it is copied to standard output.
    func sendToOutput(_ template: inout TransferRequest, url: String, in context: CommandContext) throws {
        (template.file.folder, template.file.name) = try OutputSpool.place(of: url, in: context)
        template.transport.connections = 1
        template.file.onConflict = .replace
        // A pipe is private, so the file is too.
        template.file.umask = FileMask(0o077)
    }

    /// The typed and listed URLs.
    private func listed(in context: CommandContext) throws -> URLList {
        var list = URLList(urls: urls)
        if let inputFile { list.add(URLList(try context.console.read(inputFile))) }
        list.encodePathBytes()
        return self.list.glob ? try list.expanded() : list
    }
}

extension RequestOptions {
    /// Returns a request for each URL, with its checksums from a list.
    ///
    /// - Throws: `ValidationError` if the list is unreadable, or contains none of the files.
    package func requests(
        _ template: TransferRequest, _ all: URLList, in context: CommandContext
    ) throws -> [TransferRequest] {
        let list = try checksums.map { try ChecksumList(context.console.read($0), from: $0) }
        var missing: [String] = []
        var unknown: [URLList.Extra.Option] = []
        let requests = try all.urls.enumerated().map { place, url in
            var request = template
            request.url = url
            if let extra = all.extras[place] {
                unknown += try extra.apply(to: &request, paths: context.typedPath, of: inputFile ?? "")
            }
            guard let list else { return request }
            let name = request.file.name ?? Self.lastPart(of: url)
            if let found = list.of(name) { request.response.checksums += found } else { missing.append(name) }
            return request
        }
        if !unknown.isEmpty {
            let named = unknown.prefix(5).map { "\($0.name.escapingControls) in line \($0.line)" }
            let others = unknown.count > 5 ? " and \(unknown.count - 5) others" : ""
            context.remark("Ignored options that Ferry does not have: \(named.joined(separator: ", "))\(others).")
        }
        guard missing.count < all.urls.count || missing.isEmpty else {
            throw ValidationError(
                "“\((checksums ?? "").escapingControls)” has no digest of \(Self.named(missing)).")
        }
        if !missing.isEmpty {
            context.remark("No digest of \(Self.named(missing)): these files are not verified.")
        }
        return requests
    }

    /// The last path component of a URL.
    package static func lastPart(of url: String) -> String {
        let path = url.prefix { $0 != "?" && $0 != "#" }
        let last = String(path.split(separator: "/").last ?? "")
        return PercentEncoding.decodeLeniently(last)
    }

    private static func named(_ names: [String]) -> String {
        let some = names.prefix(5).map { "“\($0.escapingControls)”" }.joined(separator: ", ")
        return names.count > 5 ? some + " and \(names.count - 5) others" : some
    }
}
