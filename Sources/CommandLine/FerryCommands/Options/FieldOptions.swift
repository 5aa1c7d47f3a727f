import ArgumentParser
import FerryCore

/// Options for header fields.
struct FieldOptions: ParsableArguments {
    @Option(
        name: [.customShort("H", allowingJoined: true), .customLong("header")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Header field such as 'Name: value', or @FILE with one per line (@- is standard input); can be given several times.",
            valueName: "field"),
        transform: HeaderSource.parse)
    var headers: [HeaderSource] = []

    @Option(
        name: [.customShort("A", allowingJoined: true), .customLong("user-agent")], parsing: .unconditional,
        help: ArgumentHelp("User-Agent of the requests.", valueName: "name"))
    var userAgent: String?

    @Option(
        name: [.customShort("e", allowingJoined: true), .customLong("referer")], parsing: .unconditional,
        help: ArgumentHelp("Referer of the requests.", valueName: "url"))
    var referer: String?

    /// Number of these options that read standard input.
    var readsOfStandardInput: Int { headers.count { $0 == .file("-") } }

    /// Sets the header fields.
    func apply(to request: inout TransferRequest, in context: CommandContext) throws {
        request.headers = try headers.flatMap { try $0.fields(context.console.read) }
        if let userAgent { request.headers.append(HeaderField(name: "User-Agent", value: userAgent)) }
        if let referer { request.headers.append(HeaderField(name: "Referer", value: referer)) }
    }
}

/// A value of `-H`: a field, or with `@` a file of fields.
enum HeaderSource: Equatable, Sendable {
    case field(HeaderField)
    /// `-` means standard input.
    case file(String)

    @Sendable static func parse(_ text: String) throws -> HeaderSource {
        guard text.hasPrefix("@") else { return .field(try HeaderArgument.parse(text)) }
        guard text.count > 1 else { throw ValidationError("-H @ needs the name of a file.") }
        return .file(String(text.dropFirst()))
    }

    /// The fields. A file has one per line, and blank lines are ignored.
    func fields(_ read: (String) throws -> String) throws -> [HeaderField] {
        switch self {
        case .field(let field): return [field]
        case .file(let path):
            return try read(path).split(whereSeparator: \.isNewline).filter { !$0.allSatisfy(\.isWhitespace) }
                .enumerated().map { index, line in
                    do { return try HeaderArgument.parse(String(line)) } catch {
                        // The line may be secret.
                        throw ValidationError(
                            "Field \(index + 1) of “\(path.escapingControls)” is not a header field; write 'Name: value'."
                        )
                    }
                }
        }
    }
}
