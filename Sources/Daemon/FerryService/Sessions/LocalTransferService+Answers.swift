import FerryCore
import FerryEngine
import FerryQueue
import FerryRules

/// Answering transfers' challenges.
extension LocalTransferService {
    /// Returns the session's stored answers and cookies.
    func memory(of id: SessionID) async throws(ServiceError) -> SessionMemory {
        if let memory = runtime.memories[id] { return memory }
        let cookies = try await journal.read { reader throws(ServiceError) in try reader.cookies(of: id) }
        // Check again: another call may have created the memory while the cookies were read.
        return runtime.memory(of: id, cookies: cookies, clock: clock)
    }

    /// Records whether a process of the session's client is attached to answer challenges.
    func setAttached(_ isAttached: Bool, to id: SessionID) async throws(ServiceError) {
        try await memory(of: id).isAttached = isAttached
    }

    /// Returns the highest task number a session ever had, or 0 if it had none.
    func lastTask(of id: SessionID) async throws(ServiceError) -> Int {
        try await journal.read { reader throws(ServiceError) in try reader.lastTask(of: id) }
    }

    /// Returns the advisor for a transfer's requests.
    func advisor(for record: TransferRecord) async throws(ServiceError) -> (any ExchangeAdvisor)? {
        if let choose = configuration.advisor, let advisor = choose(Transfer(record, live: .waiting(.slot))) {
            return advisor
        }
        // No client can answer later for an upload of the command line.
        guard record.request.file.spooled, record.request.direction == .download || record.request.note != nil else {
            return nil
        }
        let session = record.request.session
        return SessionAdvisor(id: record.id, memory: try await memory(of: session)) { [weak self] cookies in
            await self?.save(cookies, of: session)
        }
    }

    private func save(_ cookies: TransferCookies, of id: SessionID) async {
        do throws(ServiceError) {
            try await journal.commit { transaction throws(ServiceError) in
                try transaction.saveCookies(cookies, of: id)
            }
        } catch {
            noteFailure(error)
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
        while record.outcome == nil, record.facts.challenge != nil, !running.contains(record.id) {
            let asked = record
            await holdForCommit([asked.id])
            defer { take(.release([asked.id], .commit)) }
            let isStored = try await journal.commit { transaction throws(ServiceError) in
                guard var current = try transaction.current(asked) else { return false }
                current.facts.challenge = nil
                current.retry = nil
                return try transaction.update(current)
            }
            if isStored {
                if record.isEligible { enqueue(record) }
                break
            }
            record = try await existing(record.id)
        }
        // The answer may also fit other transfers of the session.
        take(.answered(record.request.session))
        return false
    }
}
