package import FerryCore
import Synchronization

/// A session that this process has open in its daemon: attached, listed, followed and acknowledged, across any number
/// of daemons.
///
/// Performs the effects of ``AttachmentMachine`` and reports their results to it.
package final class AttachedSession: Sendable {
    /// The condition that a waiting caller needs.
    fileprivate enum Goal: Sendable { case settled, listed(Int), streamed(Int64), applied(Int64) }

    fileprivate struct Waiter {
        let number: Int
        let goal: Goal
        let continuation: CheckedContinuation<Void, Never>
    }

    fileprivate struct State {
        var machine: AttachmentMachine
        weak var client: (any AttachedSessionClient)?
        var attempt: Task<Void, Never>?
        var waiters: [Waiter] = []
        var lastWaiter = 0
    }

    package let place: AttachmentPlace
    private let state: Mutex<State>

    package init(_ place: AttachmentPlace) {
        self.place = place
        let machine = AttachmentMachine(patience: place.patience, acknowledges: place.attachment().isManager)
        state = Mutex(State(machine: machine))
    }

    // MARK: Calls of the client

    /// Keeps the session attached for a client, until it is closed or another process takes it.
    ///
    /// - Parameter client: Retained while it is attached. Until then only its owner retains it.
    package func open(for client: any AttachedSessionClient) {
        state.withLock { $0.client = client }
        openAgain()
    }

    /// Retries after a refusal: the process that had the session may have ended.
    package func openAgain() { note { $0.wanted(at: .now) } }

    package var standing: AttachmentMachine.State { state.withLock(\.machine.state) }
    /// Whether the client has received a list since it requested the session. It may currently receive no events.
    package var isListed: Bool { state.withLock(\.machine.isListed) }
    /// Why the last attempt to attach failed, or `nil` while the session is followed.
    package var failure: ServiceError? { state.withLock(\.machine.failure) }
    /// Whether it is still undecided if this process gets the session, so that waiting is worthwhile.
    package var isUnderWay: Bool { state.withLock(\.machine.isUnderWay) }
    var isClosed: Bool { standing == .closed }

    /// Returns once the session is attached or refused, or the daemon's time limit has passed.
    package func settled() async { await wait(for: .settled) }

    /// Number of lists that the client has received.
    package var lists: Int { state.withLock(\.machine.lists) }

    /// Returns once the client has received another list, or the daemon's time limit has passed. If a call's response
    /// was lost with the daemon, the next list shows the call's effect.
    package func listed(after lists: Int) async { await wait(for: .listed(lists), within: place.patience) }

    /// Returns once the events up to a number have arrived and were applied.
    ///
    /// That may be later than ``applied(through:)``: a list shows transfers that are about to stop as running, and only
    /// the event reports that they have stopped.
    package func streamed(through number: Int64) async { await wait(for: .streamed(number)) }

    /// Returns once the events up to a number were applied, from a list or as events.
    package func applied(through number: Int64) async { await wait(for: .applied(number)) }

    /// Returns once the events have arrived that the daemon kept while no process had the session attached.
    package func caughtUp() async { await streamed(through: state.withLock(\.machine.numbers.replayed)) }

    /// Acknowledges the applied events, once their callbacks have returned.
    package func acknowledge() async {
        let number = state.withLock(\.machine.numbers.streamed)
        await state.withLock { $0.client }?.hasTold()
        var isDone = false
        if let service = try? await place.service() {
            isDone = (try? await service.acknowledge(place.session, through: number)) != nil
        }
        note { $0.acknowledged(through: isDone ? number : nil, at: .now) }
    }

    /// Detaches. Returns once the next object of this process may have the session.
    package func close() async {
        note { $0.closed() }
        let attempt = state.withLock(\.attempt)
        attempt?.cancel()
        place.attachmentLocks.giveUp(self)
        await attempt?.value
        place.attachmentLocks.leave(self)
    }

    // MARK: Effects

    /// Passes an input to the machine and performs the resulting effects.
    @discardableResult
    private func note(_ input: (inout AttachmentMachine) -> [AttachmentMachine.Effect]) -> [AttachmentMachine.Effect] {
        let (effects, client, due) = state.withLock { state in
            let effects = input(&state.machine)
            for case .attach(let delay) in effects { state.attempt = attempt(after: delay) }
            return (effects, state.client, state.takeDue(after: effects))
        }
        for effect in effects {
            switch effect {
            case .notifyLost: client?.lost()
            case .notifyUnreachable(let error): client?.isUnreachable(error)
            case .notifyRefused(let error): client?.isRefused(error)
            case .acknowledge(let delay):
                Task(name: "acknowledgement", executorPreference: place.executor) {
                    if delay > .zero { try? await Task.sleep(for: delay) }
                    await self.acknowledge()
                }
            case .attach, .list, .release, .forgetNumbers: break
            }
        }
        for waiter in due { waiter.resume() }
        return effects
    }

    private func wait(for goal: Goal, within limit: Duration? = nil) async {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let end = limit.map { limit in
            Task(name: "end of a wait", executorPreference: place.executor) {
                try? await Task.sleep(for: limit)
                self.giveUp(number)
            }
        }
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.isReached(goal) { return true }
                state.waiters.append(Waiter(number: number, goal: goal, continuation: continuation))
                return false
            }
            if isOver { continuation.resume() }
        }
        end?.cancel()
    }

    private func giveUp(_ number: Int) {
        let waiter = state.withLock { state in
            state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume()
    }

    private func attempt(after delay: Duration) -> Task<Void, Never> {
        Task(name: "attachment to a session", executorPreference: place.executor) {
            if delay > .zero { try? await Task.sleep(for: delay) }
            await self.place.attachmentLocks.pass(self) { earlier in
                // The numbers of tasks are unknown until the first of them has attached: its calls still wait.
                guard earlier.first?.isListed == true else { return }
                let last = earlier.compactMap { $0.state.withLock(\.client)?.lastTask }.max() ?? 0
                self.state.withLock(\.client)?.isHeld(lastTask: last)
            }
            await self.attach()
        }
    }

    /// Attaches and reads the session's events until the connection is lost.
    private func attach() async {
        guard let client = state.withLock({ $0.machine.state == .attaching ? $0.client : nil }) else { return }
        do {
            let service = try await place.service()
            try await client.willAttach(to: service)
            for try await signal in try await service.attach(place.session, place.attachment()) {
                try await take(signal, from: service, for: client)
            }
            note { $0.lost(nil, at: .now) }
        } catch let error as ServiceError where error.code == .sessionInUse {
            note { $0.refused(error) }
        } catch {
            let error = error as? ServiceError ?? ServiceError(.daemonUnreachable, "The stream broke: \(error)")
            note { $0.lost(error, at: .now) }
        }
    }

    private func take(
        _ signal: SessionSignal, from service: any SessionService, for client: any AttachedSessionClient
    ) async throws(ServiceError) {
        switch signal {
        case .attached(let attached):
            guard note({ $0.attached(replaying: attached.history) }).contains(.list) else { return }
            try await client.willList(service)
            // Read before the list: everything that happens in between arrives as an event, whether the list shows it
            // or not.
            let last = try await service.status().lastEvent
            let shown = client.shownTransfers
            let transfers = try await service.allTransfers(of: place.session)
            client.take(SessionListing(attached: attached, transfers: transfers, shown: shown))
            note { $0.listed(through: last, at: .now) }
        case .held(let lastTask): client.isHeld(lastTask: lastTask)
        case .event(let event): notify(client, signal, event.number)
        case .batch(let batch): notify(client, signal, batch.through)
        case .idle: break
        }
    }

    private func notify(_ client: any AttachedSessionClient, _ signal: SessionSignal, _ number: Int64?) {
        if let place = state.withLock({ $0.machine.numbers.place(of: number) }) { client.take(signal, place) }
        note { $0.took(number, at: .now) }
    }
}

extension AttachedSession.State {
    fileprivate func isReached(_ goal: AttachedSession.Goal) -> Bool {
        if machine.state == .closed { return true }
        return switch goal {
        case .settled: !machine.isUnderWay
        case .listed(let lists): machine.lists > lists || (!machine.isUnderWay && machine.state != .following)
        case .streamed(let number): machine.numbers.streamed >= number
        case .applied(let number): machine.numbers.applied >= number
        }
    }

    /// Removes and returns the waiting callers with a reached goal.
    fileprivate mutating func takeDue(
        after effects: [AttachmentMachine.Effect]
    ) -> [CheckedContinuation<Void, Never>] {
        if waiters.isEmpty { return [] }
        let isReleased = effects.contains(.release)
        let isForgotten = effects.contains(.forgetNumbers)
        let all = waiters
        waiters = []
        var due: [CheckedContinuation<Void, Never>] = []
        for waiter in all {
            let isGivenUp =
                switch waiter.goal {
                case .settled, .listed: isReleased
                case .streamed, .applied: isForgotten
                }
            if isGivenUp || isReached(waiter.goal) { due.append(waiter.continuation) } else { waiters.append(waiter) }
        }
        return due
    }
}
