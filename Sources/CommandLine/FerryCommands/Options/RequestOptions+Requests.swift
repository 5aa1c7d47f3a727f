import ArgumentParser
package import FerryCore
import FerryFoundation

extension RequestOptions {
    /// Returns the common request and the URLs in the given order.
    ///
    /// - Throws: `ValidationError` if the input file is empty or unreadable, or if one name or mirror is given for
    ///   several files. ``ServiceError`` with code `invalid_url` for a typed word without a scheme.
    package func template(in context: CommandContext) throws -> (TransferRequest, URLList) {
        let list = try listed(in: context)
        guard !list.urls.isEmpty else {
            let files = self.list.inputFile.map { "“\($0.escapingControls)”" }.joined(separator: " and ")
            throw ValidationError("Nothing to fetch: there is no URL in \(files).")
        }
        guard pace.mirror.isEmpty || list.urls.count == 1 else { throw RequestOptions.mirrorsOfMany }

        // Such a word may be the value of another program's option, so nothing is fetched. Other URLs that cannot be used
        // are refused one by one.
        if let word = (list.typed + pace.mirror).first(where: { !$0.contains("://") }) {
            _ = try HTTPURL(parsing: word)
        }
        do throws(ServiceError) { try connection.security.check(list.urls + pace.mirror) } catch {
            throw ValidationError(error.message)
        }

        let paths = context.typedPath
        var template = TransferRequest(url: "", folder: "")
        if !isForOutput {
            // The current folder matters only for relative paths.
            func base() throws -> String { try paths.folder(folder ?? ".") }
            if let output, let folder = try paths.outputFolder(output, in: base()) {
                template.file.folder = folder
            } else if let output {
                guard list.urls.count == 1 else { throw RequestOptions.oneNameForMany }
                (template.file.folder, template.file.name) = try paths.file(output, in: base())
            } else {
                template.file.folder = try base()
            }
        }
        template.session = session
        try fields.apply(to: &template, in: context)
        let urls = try login.apply(to: &template, urls: list.urls, in: context)
        template.response.checksums = checksum
        template.tags = tag
        template.timing.notBefore = try begin.map { try MomentArgument.parse($0, now: context.now()) }
        try content.apply(to: &template, in: context)
        file.apply(to: &template)
        pace.apply(to: &template)
        try connection.apply(to: &template, in: context)
        return (template, list.replacing(urls))
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
        for file in self.list.inputFile { list.add(URLList(try context.console.read(file), from: file)) }
        list.encodePathBytes()
        guard !self.list.glob else { return try list.expanded() }
        // curl expands patterns without an option.
        if let pattern = urls.first(where: { (try? URLGlob($0))?.count ?? 1 > 1 }) {
            context.remark("\(HTTPURL.shown(pattern)) is fetched as it is; --glob expands its pattern.")
        }
        return list
    }

    /// The last path component of a URL.
    package static func lastPart(of url: String) -> String {
        let path = url.prefix { $0 != "?" && $0 != "#" }
        let last = String(path.split(separator: "/").last ?? "")
        return PercentEncoding.decodeLeniently(last)
    }
}
