import ArgumentParser
import FerryClient
import FerryCore
import FerryFoundation

/// Diagnoses problems of the installation.
struct DoctorCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "doctor", abstract: "Find problems of this installation, and say how to solve them.",
        discussion: """
            Runs the daemon's program, tries to write to the folders, and checks the daemon, the disk space, the clock, name \
            resolution, proxies and certificates. It leaves nothing behind and does not start the daemon.
            """)
    static let exitStatuses: [ExitStatus] = [
        ExitStatus(status: "0", meaning: "there are no problems"),
        ExitStatus(.own, meaning: "there are problems"), .usage,
    ]

    @Flag(help: "Print JSON.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        let daemon = await daemon(in: context)
        var facts = InstallationFacts.ofSystem(
            environment: context.environment, currentFolder: context.currentFolder, daemon: daemon, now: context.now())
        // The other findings matter most where the daemon cannot list its transfers.
        if case .success(.some) = daemon { facts.network.waiting = (try? await waiting(in: context)) ?? [] }
        let diagnosis = Diagnosis(of: facts)
        if json {
            context.console.print(try JSONText.array(diagnosis.findings))
        } else {
            context.console.print(Self.lines(diagnosis, context.palette(.output)))
        }
        let problems = diagnosis.findings.count { $0.verdict == .problem }
        switch problems {
        case 0: context.console.say("Nothing is wrong.")
        case 1: context.console.say("There is 1 problem.")
        default: context.console.say("There are \(problems) problems.")
        }
        return diagnosis.hasProblems ? ErrorExit.own.rawValue : 0
    }

    /// The daemon's status. Unusable folders are reported with the other findings.
    private func daemon(in context: CommandContext) async -> Result<ServiceStatus?, ServiceError> {
        do {
            return .success(try await context.daemon().statusIfRunning())
        } catch let error as ServiceError {
            return error.code == .invalidRequest ? .success(nil) : .failure(error)
        } catch {
            return .failure(ServiceError(.internal, "\(error)"))
        }
    }

    /// The newest waiting transfers, by what they wait for. A free slot is nothing to diagnose.
    private func waiting(in context: CommandContext) async throws -> [InstallationFacts.Waiting] {
        var query = TransferQuery()
        query.states = [.waiting]
        query.newestFirst = true
        query.limit = 1000
        let transfers = try await context.service().transfers(query).transfers
        let usual: Set<WaitReason> = [.slot, .session, .host, .beginDate]
        let groups = Dictionary(grouping: transfers.filter { !usual.contains($0.reason ?? .slot) }) {
            $0.reason ?? .slot
        }
        return groups.compactMap { reason, transfers in
            guard let example = transfers.first else { return nil }
            let cause = example.error.map { ": \($0.message)" } ?? "."
            return InstallationFacts.Waiting(
                reason: reason, count: transfers.count, example: "\(example.id) \(example.url)\(cause)",
                sentence: WaitSentence.phrase(reason))
        }.sorted { $0.reason.rawValue < $1.reason.rawValue }
    }

    static func lines(_ diagnosis: Diagnosis, _ palette: Palette) -> [String] {
        let topics = diagnosis.findings.map(\.topic.count).max() ?? 0
        return diagnosis.findings.map { finding in
            let verdict = finding.verdict.rawValue.fitted(to: 9)
            return palette.paint(verdict, finding.verdict.color) + finding.topic.fitted(to: topics + 2)
                + finding.text.escapingControls
        }
    }
}

extension Diagnosis.Finding.Verdict {
    fileprivate var color: Palette.Color {
        switch self {
        case .fine: .green
        case .remark: .yellow
        case .problem: .red
        }
    }
}
