import FerryCore
import FerryEngine
import FerryQueue
import FerryRules

/// The stored answers and cookies of each session's client, and the answers that transfers wait for.
actor SessionMemories {
    private let queue: LiveQueue
    private let journal: any Journal
    private let configuration: ServiceConfiguration
    /// Loaded on demand.
    private var memories: [SessionID: SessionMemory] = [:]
    // SAFETY: The actor keeps alive what owns the executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

    init(_ queue: LiveQueue, journal: any Journal, _ configuration: ServiceConfiguration) {
        self.queue = queue
        self.journal = journal
        self.configuration = configuration
    }

    /// Returns the session's stored answers and cookies.
    private func memory(of id: SessionID) async throws(ServiceError) -> SessionMemory {
        if let memory = memories[id] { return memory }
        let cookies = try await journal.read { reader throws(ServiceError) in try reader.cookies(of: id) }
        // Check again: another call may have created the memory while the cookies were read.
        if let memory = memories[id] { return memory }
        let memory = SessionMemory(cookies: cookies, clock: queue.clock)
        memories[id] = memory
        return memory
    }

    /// Records that a process of the session's client is attached to answer challenges.
    func attach(_ id: SessionID) async throws(ServiceError) { try await memory(of: id).isAttached = true }

    /// Records that no process is attached to a session.
    func detach(_ id: SessionID) { memories[id]?.isAttached = false }

    /// Discards state of finished or removed transfers.
    func forget(_ transfers: [(TransferID, SessionID)]) {
        for (id, session) in transfers { memories[session]?.forget(id) }
    }

    /// Returns a challenge with the number of all refusals of the transfer, including earlier attempts.
    func counting(_ challenge: PendingChallenge, of id: TransferID, in session: SessionID) -> PendingChallenge {
        memories[session]?.counting(challenge, of: id) ?? challenge
    }

    /// Returns the advisor for a transfer's requests.
    func advisor(for record: TransferRecord) async throws(ServiceError) -> (any ExchangeAdvisor)? {
        if let choose = configuration.advisor, let advisor = choose(Transfer(record, live: .waiting(.slot))) {
            return advisor
        }
        // No client can answer later for an upload of the command line.
        // No client can answer later for an upload of the command line. A transfer whose requests ask a client has one
        // connection, so files that the daemon places have no advisor.
        let request = record.request
        guard request.file.spooled, request.direction == .download || request.note != nil else { return nil }
        let memory = try await memory(of: request.session)
        let usesCookies = request.login.usesSessionCookies
        return SessionAdvisor(id: record.id, memory: memory, usesCookies: usesCookies) { [weak self] cookies in
            await self?.save(cookies, of: request.session)
        }
    }

    private func save(_ cookies: TransferCookies, of id: SessionID) async {
        // Nobody waits for it. `WatchedJournal` notes a failure of the journal.
        _ = try? await journal.commit { transaction throws(ServiceError) in
            try transaction.saveCookies(cookies, of: id)
        }
    }

    // MARK: Answers

    /// Stores a client's answer to the challenge its transfer waits with. The transfer is retried at once.
    ///
    /// - Returns: Whether the answer ends the transfer.
    func take(_ change: TransferChange, for record: TransferRecord) async throws(ServiceError) -> Bool {
        guard record.outcome == nil, let challenge = record.facts.challenge else { return false }
        let memory = try await memory(of: record.request.session)
        switch (challenge, change.answer, change.trustAnswer) {
        case (.authentication, .cancel, _), (.trust, _, .cancel): return true
        case (.authentication(let challenge), .some(let answer), _) where answer != .wait:
            memory.store(answer, to: challenge)
        case (.trust(let challenge), _, .some(let answer)) where answer != .wait:
            memory.store(answer, to: challenge)
        default: return false
        }
        var record = record
        while record.outcome == nil, record.facts.challenge != nil, !queue.running.contains(record.id) {
            let asked = record
            await queue.holdForCommit([asked.id])
            defer { queue.take(.release([asked.id], .commit)) }
            let isStored = try await journal.commit { transaction throws(ServiceError) in
                guard var current = try transaction.current(asked) else { return false }
                current.facts.challenge = nil
                current.retry = nil
                return try transaction.update(current)
            }
            if isStored {
                if record.isEligible { queue.enqueue(record) }
                break
            }
            record = try await journal.existing(record.id)
        }
        // The answer may also fit other transfers of the session.
        queue.take(.answered(record.request.session))
        return false
    }
}
