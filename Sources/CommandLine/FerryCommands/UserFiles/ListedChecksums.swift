import ArgumentParser
import FerryCore

/// Adds the checksums of a list to requests, and asks the user about ambiguous ones.
struct ListedChecksums {
    private let list: ChecksumList
    private let file: String
    private let context: CommandContext
    private var missing: [String] = []
    private var found = 0

    /// - Parameter count: Number of URLs.
    /// - Throws: `ValidationError` if the list cannot be read, has no digest, or has only a digest without a name for
    ///   several URLs.
    init(_ file: String, count: Int, in context: CommandContext) throws {
        self.file = file
        self.context = context
        list = try ChecksumList(context.console.read(file), from: file)
        guard count == 1 || !list.isUnnamed else {
            throw ValidationError(
                "“\(file.escapingControls)” has a digest without the name of a file, but there are several URLs; give each its own command."
            )
        }
        for remark in list.remarks { context.remark(remark) }
    }

    /// Adds the checksums of a request's file, if the list has any.
    ///
    /// - Throws: `ValidationError` if the digest is unreadable or ambiguous, and the user does not decide.
    mutating func add(to request: inout TransferRequest) throws {
        let path = Self.path(of: request.url)
        let name = path.split(separator: "/").last.map(String.init) ?? request.file.name ?? ""
        switch list.match(path, name: request.file.name) {
        case .found(let checksums):
            request.response.checksums += checksums
            found += 1
        case .ambiguous(let choices):
            request.response.checksums += try choose(choices, for: request.file.name ?? name).checksums
            found += 1
        case .unreadable(let line):
            throw ValidationError(
                "Line \(line) of “\(file.escapingControls)” names “\(name.escapingControls)”, but has no digest that Ferry can read."
            )
        case .missing: missing.append(request.file.name ?? name)
        }
    }

    /// Says which files have no digest.
    ///
    /// - Throws: `ValidationError` if none has one.
    func report() throws {
        guard !missing.isEmpty else { return }
        guard found > 0 else {
            throw ValidationError("“\(file.escapingControls)” has no digest of \(Self.named(missing)).")
        }
        context.remark("No digest of \(Self.named(missing)): these files are not verified.")
    }

    /// Maximum number of listed files among which the user is asked to choose.
    private static let mostChoices = 9

    private func choose(_ choices: [ChecksumList.Choice], for name: String) throws -> ChecksumList.Choice {
        let choices = choices.prefix(Self.mostChoices)
        let shown = choices.enumerated().map { place, choice in
            let digests = choice.checksums.map(\.description).joined(separator: ", ")
            return "  \(place + 1)  \(choice.path.map { "\($0.escapingControls)  " } ?? "")\(digests)"
        }
        let question =
            "“\(file.escapingControls)” has several digests for “\(name.escapingControls)”:\n"
            + shown.joined(separator: "\n") + "\nWhich one? (1-\(choices.count)) "
        if let answer = context.console.ask(question, isSecret: false),
            let number = Int(answer.filter { !$0.isWhitespace }), choices.indices.contains(number - 1)
        {
            return choices[number - 1]
        }
        let paths = choices.compactMap(\.path).map { "“\($0.escapingControls)”" }
        let which = Set(paths).count > 1 ? paths.joined(separator: " or ") : "which digest"
        throw ValidationError(
            "“\(file.escapingControls)” does not tell whether “\(name.escapingControls)” is \(which); give its digest with --checksum."
        )
    }

    /// The decoded path of a URL.
    private static func path(of url: String) -> String {
        if let parsed = try? HTTPURL(parsing: url) { return PercentEncoding.decodeLeniently(parsed.path) }
        return PercentEncoding.decodeLeniently(String(url.prefix { $0 != "?" && $0 != "#" }))
    }

    private static func named(_ names: [String]) -> String {
        let some = names.prefix(5).map { "“\($0.escapingControls)”" }.joined(separator: ", ")
        return names.count > 5 ? some + " and \(names.count - 5) others" : some
    }
}
