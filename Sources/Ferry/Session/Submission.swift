import FerryCore
import Synchronization

/// Tasks on their way to the daemon; the call that waits for them may give them up as long as they have not left.
final class Submission: Sendable {
    private enum Phase { case queued, sent, givenUp }

    /// What is new.
    private let items: TransferBatch
    /// One for each item of the batch.
    let tasks: [DownloadTask]
    /// Tasks that are there and go on in the same transaction, with what is changed about them.
    let known: [(task: DownloadTask, change: TransferChange?)]
    private let phase = Mutex(Phase.queued)

    /// The batch with the known tasks that go on, under the names that the daemon has for them.
    var batch: TransferBatch {
        var batch = items
        let starts = known.compactMap { task, change in
            task.state.withLock(\.transfer).map { id in
                TransferBatch.Start(id: id, headers: change?.headers, name: change?.name)
            }
        }
        if !starts.isEmpty { batch.starts = starts }
        return batch
    }

    /// - Parameter template: what the daemon knows the session by where nothing is new.
    init(
        _ planned: [(task: DownloadTask, plan: RequestPlan)],
        goingOn known: [(task: DownloadTask, change: TransferChange?)] = [], template: TransferRequest? = nil
    ) {
        self.known = known
        var templates = template.map { [$0] } ?? []
        var items: [TransferBatch.Item] = []
        items.reserveCapacity(planned.count)
        var last: PlanTemplate?
        for (task, plan) in planned {
            // Consecutive downloads are mostly alike.
            if last !== plan.template, templates.last != plan.template.request {
                templates.append(plan.template.request)
            }
            last = plan.template
            let note = task.state.withLock(\.note)
            items.append(
                TransferBatch.Item(
                    template: templates.count - 1, url: plan.url, folder: nil, name: plan.name, data: note.text))
        }
        self.items = TransferBatch(templates: templates, items: items)
        tasks = planned.map(\.task)
    }

    /// Lets the tasks leave; false if they were given up.
    func send() -> Bool { move(to: .sent) }

    /// Gives the tasks up; false if they have left.
    func giveUp() -> Bool { move(to: .givenUp) }

    private func move(to next: Phase) -> Bool {
        phase.withLock { phase in
            guard phase == .queued else { return false }
            phase = next
            return true
        }
    }
}

/// What came of transfers that belong to no task, while submissions were not answered: the answer says whose they are.
struct EarlySignals {
    private var submissions = 0
    private var signals: [(signal: SessionSignal, isListed: Bool)] = []

    mutating func submissionBegan() { submissions += 1 }

    mutating func submissionEnded() {
        submissions -= 1
        if submissions == 0 { signals = [] }
    }

    mutating func keep(_ signal: SessionSignal, isListed: Bool) {
        if submissions > 0 { signals.append((signal, isListed)) }
    }

    mutating func take() -> [(signal: SessionSignal, isListed: Bool)] {
        defer { signals = [] }
        return signals
    }
}
