import ArgumentParser
import FerryFoundation

/// The commands and their arguments, as swift-argument-parser describes them in JSON.
struct CommandTree: Decodable, Sendable {
    struct Argument: Decodable, Sendable {
        struct Name: Decodable, Sendable {
            let kind: String
            let name: String

            /// As typed.
            var text: String { (kind == "long" ? "--" : "-") + name }
        }

        let kind: String
        let abstract: String?
        let names: [Name]?
        let valueName: String?
        let defaultValue: String?
        let allValueStrings: [String]?
        let isOptional: Bool
        let isRepeating: Bool
        let shouldDisplay: Bool
    }

    let commandName: String
    let abstract: String?
    let discussion: String?
    let arguments: [Argument]?
    let subcommands: [CommandTree]?

    /// The tree of all commands of `ferry`.
    static func ofFerry() throws -> CommandTree { try ferry.get() }

    // Made once: the parser takes long to set up the options of all commands.
    private static let ferry = Result { try CommandTree(of: FerryCommand.self) }

    /// The tree of a program's commands.
    static func of(_ program: CommandProgram) throws -> CommandTree {
        program.root == FerryCommand.self ? try ofFerry() : try CommandTree(of: program.root)
    }

    /// The tree of all commands below a root.
    init(of root: any ParsableCommand.Type) throws {
        struct Description: Decodable { let command: CommandTree }
        do {
            _ = try root.parseAsRoot(["--experimental-dump-help"])
            throw ValidationError("The parser does not describe the commands.")
        } catch let error as ValidationError {
            throw error
        } catch {
            let json = root.fullMessage(for: error)
            self = try JSONDecoder().decode(Description.self, from: Data(json.utf8)).command
        }
    }

    /// The commands with an action, with the words that call them.
    var leaves: [(words: [String], command: CommandTree)] {
        (subcommands ?? []).filter { $0.commandName != "help" }.flatMap { child in
            let below = child.leaves
            return below.isEmpty
                ? [([child.commandName], child)] : below.map { ([child.commandName] + $0.words, $0.command) }
        }
    }
}
