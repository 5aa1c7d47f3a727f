import ArgumentParser
import FerryCommands
import FerryCore
import FerryFleet
import FerryFoundation
import FerryPostgres

/// Checks the fleet's database and stores.
struct DoctorCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check the database, the workers and, on this machine, the stores; say what to do.",
        discussion: """
            Each finding has a name in parentheses. `--accept NAME`, or `accept` in fleet.yaml, makes it a remark.
            """)
    static let exitStatuses: [ExitStatus] = [
        ExitStatus(status: "0", meaning: "nothing needs attention"), ExitStatus(.own, meaning: "something does"),
        .daemon, .usage,
    ]

    @OptionGroup var fleet: FleetOptions

    @Option(help: ArgumentHelp("Accept this finding; can be given several times.", valueName: "name"))
    var accept: [DoctorFinding.Name] = []

    func run(in context: CommandContext) async throws -> Int32 {
        let settings = try fleet.read(in: context)
        let accepted = Set(accept + settings.accept)
        let queue = try await fleet.queue(in: context)
        let (facts, stores, status): (DatabaseFacts, [Store], FleetStatus)
        do {
            (facts, stores, status) = (try await queue.facts(), try await queue.stores(), try await queue.status())
        } catch {
            await queue.close()
            throw error
        }
        await queue.close()
        let findings =
            DoctorFinding.all(facts, workers: status.workers.count { $0.state != .gone })
            + DoctorFinding.all(status.workers) + stores.compactMap(DoctorFinding.init)
        let problems = findings.filter { !accepted.contains($0.name) }
        context.console.print("PostgreSQL \(facts.version), schema version \(facts.schema), as \(facts.role).")
        if stores.isEmpty {
            context.console.print("The fleet has no store. Add one: ferry fleet store set NAME FOLDER.")
        }
        for finding in findings {
            let mark = accepted.contains(finding.name) ? "Accepted: " : "! "
            context.console.print(mark + finding.text.escapingControls + " (\(finding.name.rawValue))")
        }
        if problems.isEmpty { context.console.print("Nothing needs attention.") }
        return problems.isEmpty ? 0 : ErrorExit.own.rawValue
    }
}
