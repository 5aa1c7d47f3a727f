import FerryCore
import FerryEngine
import FerryQueue
import Foundation

/// Attaches processes to sessions.
actor Attachments {
    private let queue: LiveQueue
    private let journal: any Journal
    private let hub: EventHub
    private let life: ServiceLife
    private let events: LiveEvents
    private let memories: SessionMemories
    private let connections: AppConnections
    private let launches: AppLaunches
    private let processes: any ProcessHost
    // SAFETY: The actor keeps alive what owns the executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

    /// How long a process launched for events waits for another such process to close the session, in seconds.
    private static let patience = 30.0
    /// How long a process started by the user waits for one launched for events before taking the session over, in
    /// seconds.
    private static let grace = 2.0
    /// How long a process waits for the connection of an exited process to close, in seconds.
    private static let deadPatience = 5.0

    init(
        _ queue: LiveQueue, journal: any Journal, hub: EventHub, life: ServiceLife, events: LiveEvents,
        memories: SessionMemories, connections: AppConnections, launches: AppLaunches, processes: any ProcessHost
    ) {
        self.queue = queue
        self.journal = journal
        self.hub = hub
        self.life = life
        self.events = events
        self.memories = memories
        self.connections = connections
        self.launches = launches
        self.processes = processes
    }

    func attach(
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
        let mark = processes.mark(of: attachment.process)
        let token = queue.change { $0.open(session, attachment, by: mark) }
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
        let clock = queue.clock
        let start = clock.now
        // A process that attaches twice lost its connection before the daemon noticed.
        while let holder = queue.apps.holder(of: session), holder.process != attachment.process {
            if holder.isBackground, !attachment.isBackgroundLaunched, clock.now - start >= .seconds(Self.grace) {
                await queue.takeInOrder(.app(.takenOver(session, from: holder)))
                continue
            }
            let patience =
                holder.isBackground
                ? Self.patience : processes.mark(of: holder.process) == nil ? Self.deadPatience : 0
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
        let now = queue.clock.wall
        let wasCalled = queue.change { $0.takeEvents(of: id, attachment, at: now) }
        if attachment.isBackgroundLaunched {
            try await journal.saveRegistration(of: id, in: queue.apps)
        } else {
            try await connections.beginForeground(attachment.application, saving: id)
        }
        queue.take(.attached(attachment, id))
        // A manager does not answer challenges: its transfers are treated as if no client were attached.
        if !attachment.isManager { try await memories.attach(id) }
        let lastTask = try await lastTask(of: id)
        let (history, order) = attachment.isManager ? try await stored(of: id) : (0, [])
        var subscription = EventSubscription()
        subscription.session = id
        subscription.progressInterval = attachment.progressInterval
        // A manager receives the events it missed. Its acknowledgments permit the daemon to discard them.
        if attachment.isManager { subscription.after = 0 }
        let followed = try await events.signals(subscription, isBrief: attachment.isManager)
        guard queue.change({ $0.follows(id, token, listener: followed.listener) }) else {
            await hub.end(followed.listener)
            throw ServiceError(.sessionInUse, "Another process has taken over the session \(id).")
        }
        let reader = SignalReader(
            .attached(.init(lastTask: lastTask, handlesEvents: wasCalled, history: history, order: order)),
            followed.signals)
        queue.schedule()
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
    private func detach(_ id: SessionID, _ token: Int) async { await queue.takeInOrder(.app(.closed(id, token))) }

    /// Handles that no process has the session open.
    func detached(_ id: SessionID) async {
        await memories.detach(id)
        guard !life.isEnding else { return }
        try? await journal.saveRegistration(of: id, in: queue.apps)
        await launches.consider(id)
    }

    /// Returns the highest task number a session ever had, or 0 if it had none.
    private func lastTask(of id: SessionID) async throws(ServiceError) -> Int {
        try await journal.read { reader throws(ServiceError) in try reader.lastTask(of: id) }
    }

    /// Returns the last event to replay to a manager, and the stored order of its transfers.
    private func stored(of id: SessionID) async throws(ServiceError) -> (history: Int64, order: [TransferID]) {
        try await journal.read { reader throws(ServiceError) in (try reader.lastEvent(of: id), try reader.order(of: id))
        }
    }
}
