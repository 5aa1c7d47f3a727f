import ArgumentParser
import FerryCore
import FerryFoundation

/// The options of `ferry put`.
struct UploadOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The files, followed by the URL; each file's name is appended to a URL that ends with /.",
            valueName: "file-or-url"),
        completion: .file())
    var words: [String] = []

    @Option(
        name: [.customShort("X", allowingJoined: true), .customLong("request")], parsing: .unconditional,
        help: ArgumentHelp(
            "Method of the request: PUT, POST or PATCH (default: PUT, or POST with --data-form).", valueName: "method"))
    var method: String?

    @Option(
        name: [.long, .customShort("F"), .customLong("form")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A part of a form (multipart/form-data) to send instead of files: NAME=TEXT, or NAME=@FILE; can be given several times.",
            valueName: "part"))
    var dataForm: [String] = []

    @Option(
        name: [.customShort("o", allowingJoined: true), .customLong("output")], parsing: .unconditional,
        help: ArgumentHelp(
            "File for the server's response (default: standard output, for one file).", valueName: "file"),
        completion: .file())
    var output: String?

    @OptionGroup var fields: FieldOptions

    @OptionGroup var login: LoginArguments

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Which transfers go first: low, normal, high or a number from -10 to 10 (default: 1).",
            valueName: "priority"),
        completion: .priorities,
        transform: Priority.typed)
    var priority: Priority = .foreground

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Maximum bytes per second; k, M and G are powers of 1024, as in 500k or 8M.", valueName: "rate"),
        transform: ByteAmount.rate)
    var limitRate: Int64?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Maximum number of retries without progress (default: 5, and 2 for refused connections, unknown names and TLS).",
            valueName: "number"),
        transform: NumberArgument.whole(.retries))
    var retries: Int?

    @Option(
        name: [.customShort("m", allowingJoined: true), .customLong("max-time")], parsing: .unconditional,
        help: ArgumentHelp(
            "Maximum seconds per file, without paused time.", valueName: "seconds"),
        transform: NumberArgument.seconds(.resourceTimeout))
    var maxTime: Double?

    @Option(
        help: ArgumentHelp("Session of the transfers.", valueName: "name"), completion: .ofFerry,
        transform: RequestOptions.session)
    var session: SessionID = .cli

    @Option(
        help: ArgumentHelp("Tag to find the transfers by; can be given several times.", valueName: "word"),
        completion: .ofFerry)
    var tag: [String] = []

    @Option(
        help: ArgumentHelp("Start no earlier than 20:00, 2026-01-31T20:00, or +2h.", valueName: "time"))
    var begin: String?

    @OptionGroup var connection: ConnectionOptions

    /// The typed files.
    var files: ArraySlice<String> { words.dropLast() }

    func validate() throws {
        guard let url = words.last else {
            throw ValidationError("Nothing to upload: give a file and its URL.")
        }
        guard dataForm.isEmpty || files.isEmpty else {
            throw ValidationError("--data-form sets the whole body; leave out the files, or give them as NAME=@FILE.")
        }
        guard !dataForm.isEmpty || !files.isEmpty else {
            throw ValidationError(
                "There is no file to upload to \(url.escapingControls): give the file before the URL.")
        }
        guard files.count < 2 || Self.target(url, for: "a") != url else {
            throw ValidationError("Several files need a URL whose path ends with /, to which each name is appended.")
        }
        guard output == nil || files.count < 2 else {
            throw ValidationError("-o is for the response to a single file; leave it out.")
        }
        guard fields.readsOfStandardInput + login.readsOfStandardInput < 2 else {
            throw ValidationError("Standard input can be read for one thing only: -H @-, -b - or --password-stdin.")
        }
        guard ["PUT", "POST", "PATCH"].contains(method?.uppercased() ?? "PUT") else {
            throw ValidationError("-X must be PUT, POST or PATCH for an upload.")
        }
    }

    // MARK: Requests

    /// Returns a request for each file, in the given order.
    ///
    /// - Throws: `ValidationError` for a file that cannot be uploaded.
    func requests(in context: CommandContext) throws -> [TransferRequest] {
        var template = try template(in: context)
        let urls = try login.apply(to: &template, urls: [words.last ?? ""], in: context)
        guard let url = urls.first else { return [] }
        do throws(ServiceError) { try connection.security.check(urls) } catch { throw ValidationError(error.message) }
        guard dataForm.isEmpty else {
            var request = template
            request.url = url
            let form = try MultipartForm(dataForm, in: context)
            request.body = .file(try form.write(in: context))
            request.headers.append(HeaderField(name: "Content-Type", value: form.contentType))
            return [request]
        }
        return try files.map { typed in
            guard let file = try context.sentFile(typed) else {
                throw ValidationError("“\(typed.escapingControls)” is not a file that can be uploaded.")
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
            (request.file.folder, request.file.name) = try paths.file(output, in: paths.folder("."))
            request.file.onConflict = .replace
        }
        request.method = (method ?? (dataForm.isEmpty ? "PUT" : "POST")).uppercased()
        request.session = session
        try fields.apply(to: &request, in: context)
        (request.timing.priority, request.transport.rateLimit) = (priority, limitRate ?? 0)
        (request.timing.retries, request.timing.resourceTimeout, request.tags) = (retries, maxTime, tag)
        request.timing.notBefore = try begin.map { try MomentArgument.parse($0, now: context.now()) }
        try connection.apply(to: &request, in: context)
        return request
    }

    /// The URL of a file. The file's name is appended to a URL that ends with a slash.
    static func target(_ url: String, for name: String) -> String {
        let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
        guard url[..<end].hasSuffix("/") else { return url }
        return url[..<end] + PercentEncoding.encode(name.replacing("%", with: "%25"), also: "") + url[end...]
    }
}
