import FerryCore
import Synchronization

/// Tasks being submitted. The call that waits for them may give up until they are sent.
final class Submission: Sendable {
    private enum Phase { case queued, sent, givenUp }

    /// The new items.
    private let items: TransferBatch
    /// One per item of the batch.
    let tasks: [DownloadTask]
    /// Existing tasks to start in the same transaction, with their changes.
    let known: [(task: DownloadTask, change: TransferChange?)]
    private let phase = Mutex(Phase.queued)

    /// The batch, including the existing tasks with their transfer ids.
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

    /// - Parameter template: Identifies the session to the daemon if there are no new items.
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
            // Consecutive downloads mostly share a template.
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

    /// Marks the tasks as sent. Returns false if they were given up.
    func send() -> Bool { move(to: .sent) }

    /// Gives the tasks up. Returns false if they were sent.
    func giveUp() -> Bool { move(to: .givenUp) }

    private func move(to next: Phase) -> Bool {
        phase.withLock { phase in
            guard phase == .queued else { return false }
            phase = next
            return true
        }
    }
}

/// Signals about unknown transfers while submissions are unanswered: the results say which tasks they belong to.
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
