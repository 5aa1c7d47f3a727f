// Ferry: FerryURLSession
// How a background session is attached, and stays so.

import FerryCore
import Foundation
import Logging
import Synchronization

extension BackgroundEngine {
    /// Seconds for which ferryd may wait for a launched process to end (docs/behaviour/url-session.md#3).
    private static let holderTime = 32.0

    /// Keeps the session attached until it is closed.
    func connect() {
        let connection = Task(name: "background session", executorPreference: BlockingExecutor.shared) { [weak self] in
            var delay = 0.05
            let start = ContinuousClock.now
            while !Task.isCancelled {
                guard let outcome = await self?.attachOnce() else { return }
                switch outcome {
                case .over: return
                case .lost(let wasAttached): delay = wasAttached ? 0.05 : min(delay * 2, 1)
                }
                // Nobody waits forever for a daemon that cannot be reached.
                if start.duration(to: .now) > .seconds(TransferTransport.patience) { self?.releaseWaiters() }
                try? await Task.sleep(for: .seconds(delay))
            }
        }
        state.withLock { $0.connection = connection }
    }

    private enum Course {
        case lost(wasAttached: Bool)
        case over
    }

    /// Attaches and reads the session's events until the connection breaks.
    private func attachOnce() async -> Course {
        guard let id else {
            settle(.refused(FerryCore.TransferError(.daemonUnreachable, "The identifier cannot name a session.")))
            return .over
        }
        await SessionTurns.shared.pass(id, self)
        var isAttached = false
        do {
            if !state.withLock(\.hasReached) {
                _ = try await service.settings()
                state.withLock { $0.hasReached = true }
            }
            for try await signal in try await service.attach(id, attachment) {
                switch signal {
                case .attached(let attached):
                    isAttached = true
                    try await restore(id, lastTask: attached.lastTask)
                    // A launched process that does not use `run` counts as called (docs/behaviour/url-session.md#56).
                    if isLaunchedForThis { Task(name: "events of a launch") { await EventGate.shared.pass() } }
                case .event(let event): transfers.receive(event)
                case .batch, .idle: break
                }
            }
        } catch let error as FerryCore.TransferError where error.code == .sessionInUse {
            settle(.refused(error))
            return .over
        } catch {
            logger.debug("the background session is not attached", metadata: ["error": "\(error)"])
        }
        return state.withLock(\.isClosed) ? .over : .lost(wasAttached: isAttached)
    }

    /// Lets those go on who wait, though the session is not attached.
    private func releaseWaiters() {
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Lets those go on who wait for the session to be attached.
    func settle(_ outcome: Attaching) {
        let waiters = state.withLock { state in
            state.attaching = outcome
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits on this thread until the session is attached, or cannot be in time (docs/behaviour/url-session.md#7).
    func waitUntilAttached() {
        if case .done = state.withLock({ $0.attaching }) { return }
        let isRefused = state.withLock { state in
            guard case .refused = state.attaching else { return false }
            state.attaching = .underWay
            return true
        }
        // The process that had the session open may have ended since.
        if isRefused { connect() }
        let isOver = Blocking.wait(seconds: TransferTransport.patience) { await self.restored() } != nil
        guard !isOver, state.withLock(\.hasReached) else { return }
        _ = Blocking.wait(seconds: Self.holderTime - TransferTransport.patience) { await self.restored() }
    }
}

/// Lets a session attach when its predecessor of the same name in this process has ended
/// (docs/behaviour/url-session.md#10).
actor SessionTurns {
    static let shared = SessionTurns()

    private var holders: [SessionID: BackgroundEngine] = [:]

    /// Returns when an engine is the one of its session.
    func pass(_ id: SessionID, _ engine: BackgroundEngine) async {
        while let holder = holders[id], holder !== engine {
            let last = holder.state.withLock { $0.connection }
            guard holder.state.withLock(\.isClosed) else {
                try? await Task.sleep(for: .milliseconds(20))
                if Task.isCancelled { return }
                continue
            }
            await last?.value
            if holders[id] === holder { holders[id] = nil }
        }
        holders[id] = engine
    }

    func leave(_ id: SessionID, _ engine: BackgroundEngine) {
        if holders[id] === engine { holders[id] = nil }
    }
}
