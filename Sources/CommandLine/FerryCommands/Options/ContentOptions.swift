import ArgumentParser
import FerryCore
import FerryFoundation

/// Options for the method, the request body, and the range of the file.
struct ContentOptions: ParsableArguments {
    @Option(
        name: [.customShort("X", allowingJoined: true), .customLong("request")], parsing: .unconditional,
        help: ArgumentHelp("Method of the request (default: GET, or POST with a body).", valueName: "method"))
    var method: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Request body, or @FILE without its line breaks (@- is standard input); several are joined by &.",
            valueName: "text"))
    var data: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Like --data, but @ has no special meaning.", valueName: "text"))
    var dataRaw: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Like --data, but the file is sent unchanged.", valueName: "text"), completion: .file())
    var dataBinary: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("JSON body, or @FILE; also accepts JSON.", valueName: "json"))
    var jsonBody: String?

    @Option(
        name: [.customShort("r", allowingJoined: true), .customLong("range")], parsing: .unconditional,
        help: ArgumentHelp(
            "Bytes of the file to fetch, such as 0-499, 500- or -500 for the last ones.", valueName: "range"),
        transform: ContentOptions.range)
    var range: String?

    /// Whether the request has a body.
    private var hasContent: Bool {
        !data.isEmpty || !dataRaw.isEmpty || dataBinary != nil || jsonBody != nil
    }

    /// Number of these options that read standard input.
    var readsOfStandardInput: Int { (data + [dataBinary, jsonBody].compactMap(\.self)).count { $0 == "@-" } }

    func validate() throws {
        let kinds = [!data.isEmpty || !dataRaw.isEmpty, dataBinary != nil, jsonBody != nil]
        guard kinds.count(where: \.self) < 2 else {
            throw ValidationError("--data, --data-binary and --json-body each set the whole body; give one of them.")
        }
        guard range == nil || !hasContent && method ?? "GET" == "GET" else {
            throw ValidationError("-r is for GET requests; leave out -X and the body.")
        }
    }

    /// - Throws: `ValidationError` if a file cannot be read.
    func apply(to request: inout TransferRequest, in context: CommandContext) throws {
        request.method = method ?? (hasContent ? "POST" : "GET")
        if let range {
            request.headers.append(HeaderField(name: "Range", value: "bytes=" + range))
            // Shown with the transfer, and distinguishes it from a transfer of the whole file.
            request.tags.append(RangeTag.text(range))
        }
        guard hasContent else { return }
        request.body = try body(in: context)
        func add(_ name: String, _ value: String) {
            guard !request.headers.contains(where: { $0.isNamed(name) }) else { return }
            request.headers.append(HeaderField(name: name, value: value))
        }
        add("Content-Type", jsonBody == nil ? "application/x-www-form-urlencoded" : "application/json")
        if jsonBody != nil { add("Accept", "application/json") }
    }

    private func body(in context: CommandContext) throws -> RequestBody {
        if let given = jsonBody ?? dataBinary {
            guard given.hasPrefix("@") else { return .bytes(Data(given.utf8)) }
            let name = String(given.dropFirst())
            if name != "-", let file = try context.sentFile(name) { return .file(file) }
            return .bytes(Data(try context.console.readBytes(name == "-" ? name : context.typedPath.folder(name))))
        }
        var parts: [[UInt8]] = []
        for text in data {
            guard text.hasPrefix("@") else {
                parts.append(Array(text.utf8))
                continue
            }
            let name = String(text.dropFirst())
            let bytes = try context.console.readBytes(name == "-" ? name : context.typedPath.folder(name))
            parts.append(bytes.filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
        }
        parts += dataRaw.map { Array($0.utf8) }
        return .bytes(Data(parts.joined(separator: "&".utf8)))
    }

    /// - Throws: `ValidationError` for anything but one byte range (RFC 9110 §14.1.2).
    @Sendable private static func range(_ text: String) throws -> String {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        let numbers = ends.map { Int64($0) }
        let isGood =
            ends.count == 2 && text.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: "-") } && text != "-"
            && zip(ends, numbers).allSatisfy { $0.isEmpty || $1 != nil }
        guard isGood, (numbers[0] ?? 0) <= (numbers[1] ?? .max) || ends[0].isEmpty else {
            throw ValidationError("“\(text.escapingControls)” is not one range of bytes, such as 0-499, 500- or -500.")
        }
        return text
    }
}

/// The tag of a transfer of a range.
enum RangeTag {
    private static let start = "bytes="

    static func text(_ range: String) -> String { start + range }

    /// The range tag among others, or nil for a transfer of a whole file.
    static func of(_ tags: [String]) -> String? { tags.first { $0.hasPrefix(start) } }
}
