import ArgumentParser
import FerryAPI
import FerryClient
import FerryCore
import FerryFoundation

/// Selects the transfers that aria2 clients see.
struct GatewayShow: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "show", abstract: "Choose the transfers that aria2 clients see and change.")
    static let exitStatuses = GatewayCommand.exitStatuses

    enum Extent: String, ExpressibleByArgument, CaseIterable { case all, own }

    @Argument(help: "all, or own: only those of session aria2, which such clients have added.")
    var extent: Extent

    func run(in context: CommandContext) async throws -> Int32 {
        var change = GatewayChange()
        change.showsAll = extent == .all
        _ = try await context.daemon().gateway.change(change)
        context.console.say(
            extent == .all
                ? "Clients see the transfers of all sessions." : "Clients see the transfers of session aria2.")
        return 0
    }
}

/// Pairs a client.
struct GatewayPair: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "pair", abstract: "Print a code that gives one client its own token.",
        discussion: """
            The code is valid for one minute and one client, which sends it to POST /v1/pair. The token replaces \
            the secret, and can be revoked without changing the secret of the other clients.
            """)
    static let exitStatuses = GatewayCommand.exitStatuses

    @Flag(help: "Print JSON.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        let offer = try await context.daemon().gateway.pair()
        context.console.print([json ? try JSONText.line(offer) : offer.code])
        if !json { context.console.say("Type it into the client within \(Int(offer.seconds)) seconds.") }
        return 0
    }
}

/// Lists and removes paired clients.
struct GatewayClients: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "clients", abstract: "List the paired clients, or remove some.")
    static let exitStatuses = GatewayCommand.exitStatuses

    @Option(
        parsing: .singleValue, help: ArgumentHelp("Remove this client; can be given several times.", valueName: "id"))
    var remove: [String] = []

    @Flag(help: "Print JSON.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        let gateway = try context.daemon().gateway
        for id in remove { try await gateway.removeClient(id) }
        let clients = try await gateway.clients()
        if json {
            context.console.print([try JSONText.line(clients)])
        } else if clients.isEmpty {
            context.console.say("No client is paired.")
        } else {
            let columns = ["ID", "NAME", "PAIRED"].map { Table.Column(title: $0) }
            context.console.print(
                Table(columns: columns).lines(
                    clients.map {
                        [$0.id, $0.name.escapingControls, $0.pairedAt.formatted(.iso8601)]
                    }))
        }
        return 0
    }
}

/// Messages about the gateway.
enum GatewayText {
    /// The status once the gateway listens on each address or has failed to, or after two seconds.
    static func settled(
        _ first: GatewayStatus, of gateway: any GatewayControl
    ) async throws(ServiceError) -> GatewayStatus {
        var status = first
        let end = ContinuousClock.now + .seconds(2)
        while status.listening.count + status.problems.count < status.settings.addresses.count,
            ContinuousClock.now < end
        {
            try? await Task.sleep(for: .milliseconds(20))
            status = try await gateway.status()
        }
        return status
    }

    static func warning(_ settings: GatewaySettings) -> String? {
        guard settings.isOpenToOthers else { return nil }
        let open = "Other machines can reach the gateway: anyone with the secret can add, change and remove transfers."
        return settings.certificate == nil
            ? open + " Without TLS the secret crosses the network in the clear; --certificate and --key prevent that."
            : open
    }

    static func lines(_ status: GatewayStatus) -> [String] {
        let settings = status.settings
        var rows = [("gateway", settings.isOn ? "on" : "off")]
        rows += status.listening.map { ("answers at", $0 + "/jsonrpc") }
        if !settings.isOn { rows.append(("port", "\(settings.port)")) }
        rows += status.problems.map { ("problem", $0) }
        if let certificate = settings.certificate { rows.append(("certificate", certificate)) }
        rows += settings.origins.map { ("allowed", $0) }
        rows += settings.names.map { ("host name", $0) }
        rows += settings.folders.map { ("folder", $0) }
        rows.append(("clients see", settings.showsAll ? "all transfers" : "session aria2"))
        if let warning = warning(settings), settings.isOn { rows.append(("note", warning)) }
        return rows.map { name, value in (name + ":").fitted(to: 13) + value.escapingControls }
    }
}
