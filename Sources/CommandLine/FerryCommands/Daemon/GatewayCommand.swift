import ArgumentParser
import FerryAPI
import FerryClient
import FerryCore
import FerryFoundation

/// `ferry gateway`.
struct GatewayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "gateway", abstract: "Let aria2 clients, web pages and other machines use Ferry.",
        discussion: """
            The gateway is off until it is turned on, and listens on this machine only unless another address is given. \
            Clients need its secret, or a token from a pairing code.
            """,
        subcommands: [
            GatewayOn.self, GatewayOff.self, GatewayShowStatus.self, GatewayShowSecret.self, GatewayAllow.self,
            GatewayFolders.self, GatewayShow.self, GatewayPair.self, GatewayClients.self,
        ])

    static let exitStatuses: [ExitStatus] = [.success, .own, .daemon, .usage]
}

/// Turns the gateway on.
struct GatewayOn: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "on", abstract: "Turn the gateway on, now and at each start of the daemon.")
    static let exitStatuses = GatewayCommand.exitStatuses

    @Option(help: ArgumentHelp("The port (default: 6800, or the last one given).", valueName: "number"))
    var port: Int?

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "An address to listen on, instead of 127.0.0.1 and ::1; can be given several times.", valueName: "address"))
    var address: [String] = []

    @Option(help: ArgumentHelp("The PEM file of a certificate for TLS; empty for none.", valueName: "file"))
    var certificate: String?

    @Option(help: ArgumentHelp("The PEM file of the certificate's private key.", valueName: "file"))
    var key: String?

    func validate() throws {
        guard (certificate == nil) == (key == nil) || certificate == "" else {
            throw ValidationError("Give --certificate and --key together.")
        }
    }

    func run(in context: CommandContext) async throws -> Int32 {
        var change = GatewayChange()
        change.isOn = true
        change.port = port
        change.addresses = address.isEmpty ? nil : address
        change.certificate = try certificate.map { $0.isEmpty ? "" : try context.typedPath.folder($0) }
        change.key = certificate == "" ? "" : try key.map { try context.typedPath.folder($0) }
        let gateway = try context.daemon().gateway
        let status = try await GatewayText.settled(try await gateway.change(change), of: gateway)
        for url in status.listening { context.console.print(["\(url)/jsonrpc"]) }
        for problem in status.problems { context.console.say("ferry: \(problem.escapingControls)") }
        if let warning = GatewayText.warning(status.settings) { context.console.say("ferry: \(warning)") }
        context.console.say("Clients need the secret that `ferry gateway secret` prints.")
        return status.listening.isEmpty ? ErrorExit.own.rawValue : 0
    }
}

/// Turns the gateway off.
struct GatewayOff: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "off", abstract: "Turn the gateway off; its settings, secret and clients are kept.")
    static let exitStatuses = GatewayCommand.exitStatuses

    func run(in context: CommandContext) async throws -> Int32 {
        var change = GatewayChange()
        change.isOn = false
        _ = try await context.daemon().gateway.change(change)
        context.console.say("The gateway is off.")
        return 0
    }
}

/// Shows the gateway's status.
struct GatewayShowStatus: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "status", abstract: "Show the gateway's addresses, and what it allows.")
    static let exitStatuses = GatewayCommand.exitStatuses

    @Flag(help: "Print JSON.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        let status = try await context.daemon().gateway.status()
        context.console.print(json ? [try JSONText.line(status)] : GatewayText.lines(status))
        return 0
    }
}

/// Prints the secret.
struct GatewayShowSecret: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "secret", abstract: "Print the secret for clients.",
        discussion: "aria2 clients call it the RPC secret, others send it as `Authorization: Bearer SECRET`.")
    static let exitStatuses = GatewayCommand.exitStatuses

    @Flag(help: "Replace it; the old one stops working.")
    var new = false

    func run(in context: CommandContext) async throws -> Int32 {
        context.console.print([try await context.daemon().gateway.secret(isNew: new)])
        return 0
    }
}

/// Allows web pages, extensions and other names of this machine.
struct GatewayAllow: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "allow", abstract: "Let a web page or an extension use the gateway, or use another host name.",
        discussion: """
            An origin is scheme and host, as https://ariang.example or moz-extension://id; `*` stands for every web page, \
            which then needs only the secret.
            """)
    static let exitStatuses = GatewayCommand.exitStatuses

    @Argument(help: "Origins of pages and extensions.")
    var origin: [String] = []

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("A host name of this machine; can be given several times.", valueName: "name"))
    var host: [String] = []

    @Flag(help: "Remove it from the allowed ones.")
    var remove = false

    func run(in context: CommandContext) async throws -> Int32 {
        var change = GatewayChange()
        if remove {
            (change.removedOrigins, change.removedNames) = (origin, host)
        } else {
            (change.addedOrigins, change.addedNames) = (origin, host)
        }
        let settings = try await context.daemon().gateway.change(change).settings
        if !remove, origin.contains("*") {
            context.console.say(
                "ferry: Any page open in your browser can now use the gateway if it knows the secret.")
        }
        context.console.print(settings.origins + settings.names)
        return 0
    }
}

/// Shows and changes the folders allowed for files.
struct GatewayFolders: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "folders", abstract: "Show or change the folders that clients may write to.",
        discussion: "The first one is the default folder.")
    static let exitStatuses = GatewayCommand.exitStatuses

    @Option(
        parsing: .singleValue, help: ArgumentHelp("Allow a folder and its subfolders.", valueName: "folder"),
        completion: .directory)
    var add: [String] = []

    @Option(
        parsing: .singleValue, help: ArgumentHelp("Remove a folder from the allowed ones.", valueName: "folder"),
        completion: .directory)
    var remove: [String] = []

    func run(in context: CommandContext) async throws -> Int32 {
        let gateway = try context.daemon().gateway
        guard !add.isEmpty || !remove.isEmpty else {
            context.console.print(try await gateway.status().settings.folders)
            return 0
        }
        var change = GatewayChange()
        change.addedFolders = try add.map(context.typedPath.folder)
        change.removedFolders = try remove.map(context.typedPath.folder)
        context.console.print(try await gateway.change(change).settings.folders)
        return 0
    }
}
