import ArgumentParser
import FerryCommands
import FerryCore
import FerryFleet
import FerryFoundation
import FerryPostgres

/// Checks the fleet's database and stores.
struct DoctorCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check the database and, on this machine, the stores; say what to do.")
    static let exitStatuses: [ExitStatus] = [
        ExitStatus(status: "0", meaning: "nothing needs attention"), ExitStatus(.own, meaning: "something does"),
        .daemon, .usage,
    ]

    @OptionGroup var fleet: FleetOptions

    func run(in context: CommandContext) async throws -> Int32 {
        let queue = try fleet.queue(in: context)
        let (facts, stores, status): (DatabaseFacts, [Store], FleetStatus)
        do {
            (facts, stores, status) = (try await queue.facts(), try await queue.stores(), try await queue.status())
        } catch {
            await queue.close()
            throw error
        }
        await queue.close()
        let findings =
            Self.findings(facts, workers: status.workers.count { $0.state != .gone }) + stores.compactMap(Self.finding)
        context.console.print("PostgreSQL \(facts.version), schema version \(facts.schema), as \(facts.role).")
        if stores.isEmpty {
            context.console.print("The fleet has no store. Add one: ferry fleet store set NAME FOLDER.")
        }
        context.console.print(findings.map { "! " + $0.escapingControls })
        if findings.isEmpty { context.console.print("Nothing needs attention.") }
        return findings.isEmpty ? 0 : ErrorExit.own.rawValue
    }

    /// The problems found, each with its remedy.
    static func findings(_ facts: DatabaseFacts, workers: Int) -> [String] {
        var findings: [String] = []
        if facts.connections < workers + 10 {
            findings.append(
                "max_connections is \(facts.connections), and \(workers) workers have one connection each. Raise it to \(workers + 20) or more."
            )
        }
        if let age = facts.oldestTransaction, age > 600 {
            findings.append(
                "A transaction has been open for \(TimeText.words(age)), so ended rows cannot be removed and claims become slow. End it: see pg_stat_activity."
            )
        }
        if !facts.isAutovacuumOn { findings.append("autovacuum is off, and the queue's tables grow. Turn it on.") }
        if !facts.hasSynchronousStandby {
            findings.append(
                "synchronous_standby_names is empty: a fail-over may forget jobs that were just added. Name a standby, or accept that."
            )
        }
        return findings
    }

    private static func finding(_ store: Store) -> String? {
        let mark = try? String(contentsOfFile: store.folder + "/" + FolderStore.markName, encoding: .utf8)
        guard mark.map({ String($0.prefix { !$0.isNewline }) }) != store.mark else { return nil }
        return
            "The store \(store.name), \(store.folder), is not mounted on this machine. Workers here cannot deliver into it."
    }
}
