package import FerryCore
import FerryEngine
import FerryQueue
import Foundation

/// Attaching processes to sessions.
extension LocalTransferService: SessionService {
    /// How long a process launched for events waits for another such process to close the session, in seconds.
    private static let patience = 30.0
    /// How long a process started by the user waits for one launched for events before taking the session over, in
    /// seconds.
    private static let grace = 2.0
    /// How long a process waits for the connection of an exited process to close, in seconds.
    private static let deadPatience = 5.0

    package func attach(
        _ session: SessionID, _ attachment: SessionAttachment
    ) async throws(ServiceError) -> AsyncThrowingStream<SessionSignal, any Error> {
        guard try attachment.session() == session else {
            throw ServiceError(.invalidRequest, "The session \(session) is not the one that the attachment names.")
        }
        try SettingRange<Int>.connectionsPerHost.check(attachment.connectionsPerHost)
        let holder = queue.apps.holder(of: session)
        if let holder, holder.process != attachment.process, holder.isBackground, !attachment.isBackgroundLaunched {
            // Another process holds the session: report that at once, and open the session when it is free.
            let reader = HeldReader(lastTask: try await lastTask(of: session)) { [weak self] in
                guard let self else { throw CancellationError() }
                return try await attachNow(session, attachment)
            }
            return AsyncThrowingStream { try await reader.next() }
        }
        return try await attachNow(session, attachment)
    }

    private func attachNow(
        _ session: SessionID, _ attachment: SessionAttachment
    ) async throws(ServiceError) -> AsyncThrowingStream<SessionSignal, any Error> {
        try await waitForOthers(session, attachment)
        let token = queue.open(session, attachment, by: configuration.machine.processes.mark(of: attachment.process))
        do throws(ServiceError) {
            return try await open(session, attachment, token)
        } catch {
            await detach(session, token)
            throw error
        }
    }

    /// Returns once no other process has the session open. A process started by the user takes the session from one
    /// that was launched for events and does not end.
    ///
    /// - Throws: ``ServiceError`` with code `session_in_use`.
    private func waitForOthers(_ session: SessionID, _ attachment: SessionAttachment) async throws(ServiceError) {
        let start = clock.now
        // A process that attaches twice lost its connection before the daemon noticed.
        while let holder = queue.apps.holder(of: session), holder.process != attachment.process {
            if holder.isBackground, !attachment.isBackgroundLaunched,
                clock.now - start >= .seconds(Self.grace)
            {
                await performInOrder(queue.take(.app(.takenOver(session, from: holder)), at: moment))
                continue
            }
            let patience =
                holder.isBackground
                ? Self.patience
                : configuration.machine.processes.mark(of: holder.process) == nil ? Self.deadPatience : 0
            guard clock.now - start < .seconds(patience), !Task.isCancelled else {
                throw ServiceError(
                    .sessionInUse, "Process \(holder.process) is attached to the session \(session).")
            }
            try? await clock.sleep(for: .milliseconds(20))
        }
    }

    private func open(
        _ id: SessionID, _ attachment: SessionAttachment, _ token: Int
    ) async throws(ServiceError) -> AsyncThrowingStream<SessionSignal, any Error> {
        let wasCalled = queue.takeEvents(of: id, attachment, at: clock.wall)
        if attachment.isBackgroundLaunched {
            try await saveRegistration(id)
        } else {
            try await beginForeground(attachment.application, saving: id)
        }
        take(.attached(attachment, id))
        // A manager does not answer challenges: its transfers are treated as if no client were attached.
        if !attachment.isManager { try await setAttached(true, to: id) }
        let lastTask = try await lastTask(of: id)
        let (history, order) = attachment.isManager ? try await memory(of: id) : (0, [])
        var subscription = EventSubscription()
        subscription.session = id
        subscription.progressInterval = attachment.progressInterval
        // A manager receives the events it missed. Its acknowledgments permit the daemon to discard them.
        if attachment.isManager { subscription.after = 0 }
        let followed = try await signals(subscription, isBrief: attachment.isManager)
        guard queue.follows(id, token, listener: followed.listener) else {
            await hub.end(followed.listener)
            throw ServiceError(.sessionInUse, "Another process has taken over the session \(id).")
        }
        let reader = SignalReader(
            .attached(.init(lastTask: lastTask, handlesEvents: wasCalled, history: history, order: order)),
            followed.signals)
        schedule()
        let guardian = StreamGuardian { [weak self] in
            Task(name: "detaching from \(id)") { await self?.detach(id, token) }
        }
        return AsyncThrowingStream {
            do {
                if let signal = try await reader.next() { return signal }
            } catch {
                guardian.end()
                throw error
            }
            guardian.end()
            return nil
        }
    }

    /// Handles that the connection of a session's holder was closed.
    func detach(_ id: SessionID, _ token: Int) async {
        await performInOrder(queue.take(.app(.closed(id, token)), at: moment))
    }

    /// Handles that no process has the session open.
    func detached(_ id: SessionID) async {
        runtime.memories[id]?.isAttached = false
        guard !isShuttingDown else { return }
        await attempt { () async throws(ServiceError) in try await saveRegistration(id) }
        await consider(id)
    }

    /// Returns the last event to replay to a manager, and the stored order of its transfers.
    private func memory(of id: SessionID) async throws(ServiceError) -> (history: Int64, order: [TransferID]) {
        try await noting { () async throws(ServiceError) in
            try await journal.read { reader throws(ServiceError) in
                (try reader.lastEvent(of: id), try reader.order(of: id))
            }
        }
    }

    func saveRegistration(_ id: SessionID) async throws(ServiceError) {
        guard let registration = queue.apps.registration(of: id) else { return }
        try await journal.commit { transaction throws(ServiceError) in
            try transaction.saveRegistration(registration, of: id)
        }
    }

    /// Runs work that reports its error to no caller. An error is recorded in the service.
    func attempt(_ body: () async throws(ServiceError) -> Void) async {
        do throws(ServiceError) { try await body() } catch { noteFailure(error) }
    }
}

/// Signals that another process holds a session, then opens the session and reads its signals.
private actor HeldReader {
    private let lastTask: Int
    private let open: @Sendable () async throws -> AsyncThrowingStream<SessionSignal, any Error>
    private var isTold = false
    private var signals: AsyncThrowingStream<SessionSignal, any Error>.Iterator?

    init(lastTask: Int, open: @escaping @Sendable () async throws -> AsyncThrowingStream<SessionSignal, any Error>) {
        self.lastTask = lastTask
        self.open = open
    }

    func next() async throws -> SessionSignal? {
        guard isTold else {
            isTold = true
            return .held(lastTask: lastTask)
        }
        if signals == nil { signals = try await open().makeAsyncIterator() }
        // A copy, because an actor's property cannot be passed inout across a suspension. It shares the one stream.
        var copy = signals
        return try await copy?.next(isolation: self)
    }
}

/// Reads a session's signals: the first one, then its events.
private actor SignalReader {
    private var first: SessionSignal?
    private var events: AsyncThrowingStream<SessionSignal, any Error>.Iterator

    init(_ first: SessionSignal, _ events: AsyncThrowingStream<SessionSignal, any Error>) {
        self.first = first
        self.events = events.makeAsyncIterator()
    }

    func next() async throws -> SessionSignal? {
        if let first {
            self.first = nil
            return first
        }
        // A copy, because an actor's property cannot be passed inout across a suspension. It shares the one stream.
        var events = events
        return try await events.next(isolation: self)
    }
}
