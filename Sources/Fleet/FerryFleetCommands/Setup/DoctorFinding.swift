import ArgumentParser
import FerryCommands
import FerryCore
import FerryFleet
import FerryFoundation
import FerryPostgres

/// A problem of a fleet, with its remedy.
struct DoctorFinding: Hashable, Sendable {
    /// Names by which findings are accepted.
    enum Name: String, CaseIterable, ExpressibleByArgument {
        case connections
        case openTransaction = "open-transaction"
        case noAutovacuum = "no-autovacuum"
        case noStandby = "no-standby"
        case missingStandby = "missing-standby"
        case idleWorker = "idle-worker"
        case lateWorker = "late-worker"
        case store
    }

    var name: Name
    var text: String

    /// The problems of the database.
    static func all(_ facts: DatabaseFacts, workers: Int) -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        if facts.connections < workers + 10 {
            findings.append(
                DoctorFinding(
                    name: .connections,
                    text:
                        "max_connections is \(facts.connections), and \(workers) workers have one connection each. Raise it to \(workers + 20) or more."
                ))
        }
        if let open = facts.oldestTransaction, open.age > 600 {
            findings.append(
                DoctorFinding(
                    name: .openTransaction,
                    text:
                        "A transaction has been open for \(TimeText.words(open.age)), so removed rows stay in the tables and claims become slow: \(open.name). To end it: \(open.end)"
                ))
        }
        if !facts.isAutovacuumOn {
            findings.append(
                DoctorFinding(name: .noAutovacuum, text: "autovacuum is off, and the queue's tables grow. Turn it on."))
        }
        if facts.synchronousStandbys.isEmpty {
            findings.append(
                DoctorFinding(
                    name: .noStandby,
                    text:
                        "synchronous_standby_names is empty: a fail-over may forget jobs that were just added. Name a standby, or accept that."
                ))
        }
        if !facts.synchronousStandbys.isEmpty, facts.connectedStandbys == 0 {
            findings.append(
                DoctorFinding(
                    name: .missingStandby,
                    text:
                        "synchronous_standby_names is '\(facts.synchronousStandbys)', and no standby is connected: every change waits for one. Start it, or change that setting."
                ))
        }
        return findings
    }

    /// Workers that run no jobs.
    static func all(_ workers: [FleetStatus.Worker]) -> [DoctorFinding] {
        workers.compactMap { worker in
            if worker.state == .late {
                return DoctorFinding(
                    name: .lateWorker,
                    text:
                        "The worker \(worker.name) has missed its heartbeats. Look for it on \(worker.machine ?? "its machine")."
                )
            }
            return worker.condition.map {
                DoctorFinding(name: .idleWorker, text: "The worker \(worker.name) claims no jobs: \($0)")
            }
        }
    }

    /// A store that this machine has not mounted.
    init?(_ store: Store) {
        let mark = try? String(contentsOfFile: store.folder + "/" + FolderStore.markName, encoding: .utf8)
        guard mark.map({ String($0.prefix { !$0.isNewline }) }) != store.mark else { return nil }
        self.init(
            name: .store,
            text:
                "The store \(store.name), \(store.folder), is not mounted on this machine. Workers here cannot deliver into it."
        )
    }

    init(name: Name, text: String) {
        self.name = name
        self.text = text
    }
}
