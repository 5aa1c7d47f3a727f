// Ferry: Ferry
// How tasks are stored in the daemon.

import Dispatch
import FerryCore
import FerryClient
import FerryURLSession
import Foundation
import Synchronization

extension ManagedSession {
    /// The limits as the daemon is to know them.
    var settings: SessionSettings { state.withLock(\.configuration).settings }

    /// Tells the daemon the limits, after the calls before.
    func sendSettings() {
        commands.add {
            await self.settled()
            // A daemon that does not answer is told when the session is attached again.
            guard self.obstacle == nil, let service = try? await self.place.service() else { return }
            do {
                _ = try await service.changeSession(self.place.session, self.settings)
            } catch {
                self.log { .error("The configuration was not stored.", error: error) }
            }
        }
    }

    /// Stores tasks in one transaction, after the calls before.
    ///
    /// - Parameter done: told once all that the daemon has said of it was taken in; nil if the tasks are stored.
    func store(_ submission: Submission, done: @escaping @Sendable (FerryError?) -> Void) {
        commands.add {
            guard submission.send() else { return done(.daemonUnavailable(message: "The daemon has not answered.")) }
            done(await self.send(submission))
        }
    }

    /// Stores tasks, and returns when they are stored or cannot be; gives up when the daemon takes too long.
    func storeAndWait(_ submission: Submission) {
        let done = DispatchSemaphore(value: 0)
        store(submission) { _ in done.signal() }
        if done.wait(timeout: .now() + Self.patience + 1) == .success { return }
        guard submission.giveUp() else { return done.wait() }
        fail(submission.tasks, .daemonUnavailable(message: "The daemon has not answered in \(Int(Self.patience)) s."))
    }

    private func send(_ submission: Submission) async -> FerryError? {
        state.withLock { $0.submissions += 1 }
        defer {
            state.withLock { state in
                state.submissions -= 1
                if state.submissions == 0 { state.early = [] }
            }
        }
        var isRepeated = false
        while true {
            await settled()
            if let obstacle {
                fail(submission.tasks, obstacle)
                return obstacle
            }
            // A submission whose answer was lost is in the list of the next attachment, all of it or nothing.
            if isRepeated, submission.tasks.contains(where: { $0.state.withLock(\.isSubmitted) }) { return nil }
            do throws(FerryCore.TransferError) {
                let report = try await place.service().submit(submission.batch)
                take(report, of: submission)
                await attached.applied(through: report.lastEvent)
                if !submission.known.isEmpty { await goneOn(submission.known, report) }
                return nil
            } catch {
                guard error.code == .daemonUnreachable, !isRepeated else {
                    let error = FerryError(error)
                    fail(submission.tasks, error)
                    return error
                }
                isRepeated = true
                await attachedAgain()
            }
        }
    }

    /// Returns once the stream has noticed that the daemon is gone, or has been attached again.
    private func attachedAgain() async {
        try? await Task.sleep(for: .milliseconds(100))
        await settled()
    }

    /// Takes in what became of a submission, and what was told of its transfers before.
    private func take(_ report: TransferBatch.Report, of submission: Submission) {
        state.withLock { state in
            for (task, result) in zip(submission.tasks, report.results) {
                if let id = result.id {
                    register(task, id, in: &state)
                } else {
                    discard(task, result.error.map { FerryError($0) } ?? .unknown, in: &state)
                }
            }
            let early = state.early
            state.early = []
            for (signal, isListed) in early { take(signal, isListed: isListed, in: &state) }
            update(&state)
        }
    }

    /// Takes in what became of tasks that went on with a submission.
    private func goneOn(
        _ known: [(task: DownloadTask, change: TransferChange?)], _ report: TransferBatch.Report
    ) async {
        // A list that was read meanwhile may show a run that has ended: only the event tells.
        await attached.streamed(through: report.lastEvent)
        let refused = Dictionary((report.failures ?? []).map { ($0.id, $0.error) }) { first, _ in first }
        for (task, change) in known {
            let error = task.state.withLock { task -> FerryCore.TransferError? in
                if let error = task.transfer.flatMap({ refused[$0] }) { return error }
                if let name = change?.name { task.fileName = name }
                return nil
            }
            if let error { log { .error("A task could not be changed.", error: FerryError(error)) } }
        }
    }

    /// Takes tasks out that could not be stored.
    func fail(_ tasks: [DownloadTask], _ error: FerryError) {
        state.withLock { state in
            for task in tasks { discard(task, error, in: &state) }
            update(&state)
        }
        log { .error("The download was not stored.", error: error) }
    }
}
