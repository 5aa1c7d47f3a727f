// Ferry: Ferry
// Tasks on their way to the daemon.

import FerryCore
import Synchronization

/// Tasks on their way to the daemon; whoever waits for them may give them up as long as they have not left.
final class Submission: Sendable {
    private enum Phase { case queued, sent, givenUp }

    let batch: TransferBatch
    /// One for each item of the batch.
    let tasks: [DownloadTask]
    private let phase = Mutex(Phase.queued)

    init(_ planned: [(task: DownloadTask, plan: RequestPlan)]) {
        var templates: [TransferRequest] = []
        var items: [TransferBatch.Item] = []
        items.reserveCapacity(planned.count)
        for (task, plan) in planned {
            // Those that follow each other are mostly alike.
            let index: Int
            if let last = templates.last, last == plan.template {
                index = templates.count - 1
            } else {
                templates.append(plan.template)
                index = templates.count - 1
            }
            let note = task.state.withLock(\.note)
            items.append(
                TransferBatch.Item(
                    template: index, url: plan.url, folder: nil, name: plan.name, data: note.text))
        }
        batch = TransferBatch(templates: templates, items: items)
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
