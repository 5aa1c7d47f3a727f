// Ferry: FerryCommands
// From options to requests.

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
        if let user {
            let login = try Login(option: user, input: passwordStdin ? context.console.read("-") : nil)
            all = all.map(login.added)
        }
        guard !all.isEmpty else {
            throw ValidationError("There is nothing to fetch: “\((inputFile ?? "").escapingControls)” holds no URL.")
        }
        guard output == nil || all.count == 1 else { throw RequestOptions.oneNameForMany }
        guard mirror.isEmpty || all.count == 1 else { throw RequestOptions.mirrorsOfMany }

        let paths = context.typedPath
        var template = TransferRequest(url: "", folder: paths.folder(folder ?? "."))
        if let output { (template.folder, template.name) = try paths.file(output, in: template.folder) }
        template.session = session
        template.headers = try headers.flatMap { try $0.fields(context.console.read) }
        template.checksums = checksum
        template.onConflict = onConflict
        template.priority = priority
        template.rateLimit = limitRate ?? 0
        template.connections = connections
        template.mirrors = mirror
        template.retries = retries
        template.expectedSize = expectedSize
        template.maxSize = maxSize
        template.remoteTime = remoteTime
        template.insecure = insecure
        template.allowDowngrade = allowDowngrade
        template.tags = tag
        connection.caller(in: context).apply(to: &template)
        return (template, all)
    }
}
