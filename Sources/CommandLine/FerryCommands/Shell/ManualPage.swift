import FerryCore

/// A manual page in man(7) macros.
struct ManualPage {
    /// For example `ferry-get`.
    let name: String
    private var lines: [String]

    /// The page of a command.
    ///
    /// - Parameter words: The words after `ferry`.
    init(_ words: [String], _ command: CommandTree, statuses: [ExitStatus]) {
        self.init(name: (["ferry"] + words).joined(separator: "-"), command.abstract ?? "")
        section("SYNOPSIS", [Self.synopsis(words, command)])
        section("DESCRIPTION", [Self.escaped(command.discussion ?? command.abstract ?? "")])
        let (positional, options) = (
            command.shown { $0.kind == "positional" }, command.shown { $0.kind != "positional" }
        )
        if !positional.isEmpty { section("ARGUMENTS", positional.flatMap(Self.entry)) }
        section("OPTIONS", options.flatMap(Self.entry))
        section(
            "EXAMPLES",
            Example.of(words).flatMap { [".TP", ".B " + Self.escaped($0.line), Self.escaped($0.meaning)] })
        section("EXIT STATUS", statuses.flatMap { [".TP", ".B " + $0.status, Self.escaped($0.meaning)] })
        section("SEE ALSO", [".BR ferry (1),", ".BR ferryd (1)"])
    }

    /// The page of ferry itself, which lists the others.
    init(of tree: CommandTree) {
        self.init(name: "ferry", tree.abstract ?? "")
        section("SYNOPSIS", [".B ferry", "\\fIcommand\\fR [\\fIarguments\\fR]"])
        section(
            "DESCRIPTION",
            [
                "A daemon of the user,", ".BR ferryd (1),",
                "does the work: transfers continue when a command, a terminal or",
                "the machine ends, from the last durable byte.",
                "The first command that needs the daemon starts it.",
            ])
        section(
            "COMMANDS",
            tree.leaves.flatMap { words, command in
                [
                    ".TP", ".BR \(Self.escaped((["ferry"] + words).joined(separator: "-"))) (1)",
                    Self.escaped(command.abstract ?? ""),
                ]
            })
        section(
            "ENVIRONMENT",
            [
                ".TP", ".B FERRY_HOME", "One folder for the daemon's state and its socket.", ".TP", ".B FERRYD",
                "The daemon's program, if it is neither beside ferry nor on PATH.", ".TP",
                ".BR http_proxy \", \" https_proxy \", \" all_proxy \", \" no_proxy",
                "Proxies, and hosts without proxy, for the requests of this command.", ".TP",
                ".BR SSL_CERT_FILE \", \" SSL_CERT_DIR", "Certificate authorities instead of the system's.", ".TP",
                ".B NO_COLOR", "Any value: no colors.",
            ])
        section("SEE ALSO", [".BR ferryd (1),", ".BR curl (1)"])
    }

    private init(name: String, _ abstract: String) {
        self.name = name
        lines = [
            ".TH \(name.uppercased()) 1 \"\(FerryVersion.date)\" \"Ferry \(FerryVersion.current)\" \"Ferry\"",
            // No justification and no hyphenation.
            ".ad l", ".nh",
        ]
        section("NAME", [Self.escaped(name) + " \\- " + Self.escaped(abstract)])
    }

    var text: String { lines.joined(separator: "\n") + "\n" }

    private mutating func section(_ title: String, _ body: [String]) { lines += [".SH " + title] + body }

    private static func synopsis(_ words: [String], _ command: CommandTree) -> String {
        let positional = command.shown { $0.kind == "positional" }.map { argument in
            let name = "\\fI\(escaped(argument.valueName ?? ""))\\fR" + (argument.isRepeating ? " ..." : "")
            return argument.isOptional ? "[\(name)]" : name
        }
        let called = "\\fB\(escaped((["ferry"] + words).joined(separator: " ")))\\fR"
        return ([called, "[\\fIoptions\\fR]"] + positional).joined(separator: " ")
    }

    private static func entry(_ argument: CommandTree.Argument) -> [String] {
        let value = argument.valueName.map { "\\fI\(escaped($0))\\fR" } ?? ""
        let names = (argument.names ?? []).map { "\\fB\(escaped($0.text))\\fR" }.joined(separator: ", ")
        let head = argument.kind == "positional" ? value : argument.kind == "flag" ? names : names + " " + value
        var about = argument.abstract ?? ""
        if let values = argument.allValueStrings, !values.isEmpty {
            about += " One of \(values.joined(separator: ", "))."
        }
        if let usual = argument.defaultValue { about += " Default: \(usual)." }
        return [".TP", head, escaped(about)]
    }

    /// Escapes text for roff.
    static func escaped(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).map { line in
            let shown = line.replacing("\\", with: "\\e").replacing("-", with: "\\-")
            // These characters at the beginning of a line start a request.
            return shown.first == "." || shown.first == "'" ? "\\&" + shown : String(shown)
        }.joined(separator: "\n")
    }
}

extension CommandTree {
    fileprivate func shown(_ isWanted: (Argument) -> Bool) -> [Argument] {
        (arguments ?? []).filter { $0.shouldDisplay && isWanted($0) }
    }
}
