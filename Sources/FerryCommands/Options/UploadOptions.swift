import ArgumentParser
import FerryCore
import FerryFoundation

/// The options of `ferry put`.
struct UploadOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The files, and at the end the URL; one that ends in / gets each file's name.", valueName: "file-or-url"),
        completion: .file())
    var words: [String] = []

    @Option(
        name: [.customShort("X", allowingJoined: true), .customLong("request")], parsing: .unconditional,
        help: ArgumentHelp(
            "Method of the request: PUT, POST or PATCH (default: PUT, or POST with --data-form).", valueName: "method"))
    var method: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A part of a form (multipart/form-data) to send in place of files: NAME=TEXT, or NAME=@FILE; can be given again.",
            valueName: "part"))
    var dataForm: [String] = []

    @Option(
        name: [.customShort("o", allowingJoined: true), .customLong("output")], parsing: .unconditional,
        help: ArgumentHelp(
            "File that the server's answer goes to (default: standard output, for one file).", valueName: "file"),
        completion: .file())
    var output: String?

    @OptionGroup var fields: FieldOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Which transfers go first: low, normal (default), high or a number from -10 to 10.", valueName: "priority"),
        transform: Priority.typed)
    var priority: Priority = .normal

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Bytes per second at most; k, M and G are powers of 1024, as 500k or 8M.", valueName: "rate"),
        transform: ByteAmount.rate)
    var limitRate: Int64?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Failures in a row without progress that are tried again (default: 5, and 2 of refused connections, unknown names and TLS).",
            valueName: "number"),
        transform: NumberArgument.whole(.retries))
    var retries: Int?

    @Option(
        name: [.customShort("m", allowingJoined: true), .customLong("max-time")], parsing: .unconditional,
        help: ArgumentHelp(
            "Seconds that a file may take at most, without those in which it is paused.", valueName: "seconds"),
        transform: NumberArgument.seconds(.resourceTimeout))
    var maxTime: Double?

    @Option(
        help: ArgumentHelp("Session that the transfers belong to.", valueName: "name"), completion: .ofFerry,
        transform: RequestOptions.session)
    var session: SessionID = .cli

    @Option(
        help: ArgumentHelp("A word to find the transfers by; can be given again.", valueName: "word"),
        completion: .ofFerry)
    var tag: [String] = []

    @Option(
        help: ArgumentHelp("Send nothing before this moment: 20:00, 2026-01-31T20:00, or +2h.", valueName: "time"))
    var begin: String?

    @OptionGroup var connection: ConnectionOptions

    /// The typed files.
    var files: ArraySlice<String> { words.dropLast() }

    func validate() throws {
        guard let url = words.last else {
            throw ValidationError("There is nothing to upload: give a file and the URL that it goes to.")
        }
        guard dataForm.isEmpty || files.isEmpty else {
            throw ValidationError("--data-form is the whole body; leave the files out, or name them as NAME=@FILE.")
        }
        guard !dataForm.isEmpty || !files.isEmpty else {
            throw ValidationError(
                "There is no file to upload to \(url.escapingControls): give the file before the URL.")
        }
        guard files.count < 2 || Self.target(url, for: "a") != url else {
            throw ValidationError("Several files need a URL whose path ends in /, to which each name is added.")
        }
        guard output == nil || files.count < 2 else {
            throw ValidationError("-o is for the answer to one file; leave it out.")
        }
        guard fields.readsOfStandardInput < 2 else {
            throw ValidationError("Standard input can be read for one thing only: -H @-, -b - or --password-stdin.")
        }
        guard ["PUT", "POST", "PATCH"].contains(method?.uppercased() ?? "PUT") else {
            throw ValidationError("-X is PUT, POST or PATCH for an upload.")
        }
    }

    // MARK: Requests

    /// Returns a request for each file, in the given order.
    /// ⏎ - Throws: `ValidationError` for a file that cannot be uploaded.
    func requests(in context: CommandContext) throws -> [TransferRequest] {
        guard let url = try fields.withLogins([words.last ?? ""], in: context).first else { return [] }
        let template = try template(in: context)
        guard dataForm.isEmpty else {
            var request = template
            request.url = url
            let form = try MultipartForm(dataForm, in: context)
            request.body = .file(try form.write(in: context))
            request.headers.append(HeaderField(name: "Content-Type", value: form.contentType))
            return [request]
        }
        return try files.map { typed in
            guard let file = context.sentFile(typed) else {
                throw ValidationError("“\(typed.escapingControls)” is no file that can be uploaded.")
            }
            var request = template
            request.body = .file(file)
            request.url = Self.target(url, for: file.path.lastPathPart)
            return request
        }
    }

    private func template(in context: CommandContext) throws -> TransferRequest {
        var request = TransferRequest(url: "", folder: "")
        if let output {
            let paths = context.typedPath
            (request.folder, request.name) = try paths.file(output, in: paths.folder("."))
            request.onConflict = .replace
        }
        request.method = (method ?? (dataForm.isEmpty ? "PUT" : "POST")).uppercased()
        request.session = session
        try fields.apply(to: &request, in: context)
        (request.priority, request.rateLimit) = (priority, limitRate ?? 0)
        (request.retries, request.resourceTimeout, request.tags) = (retries, maxTime, tag)
        request.notBefore = try begin.map { try MomentArgument.parse($0, now: context.now()) }
        connection.apply(to: &request, in: context)
        return request
    }

    /// The URL of a file. The file's name is appended to a URL that ends with a slash.
    static func target(_ url: String, for name: String) -> String {
        let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
        guard url[..<end].hasSuffix("/") else { return url }
        return url[..<end] + PercentEncoding.encode(name.replacing("%", with: "%25"), also: "") + url[end...]
    }
}
