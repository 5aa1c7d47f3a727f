// Ferry: FerryEngine
// One of several workers on a file.

import FerryCore
import Foundation
import Synchronization

extension TransferRun {
    /// Fetches one part after the other until there is no more work, or the worker is not wanted; false, for whoever waits.
    func work(_ worker: Int, _ first: Part, _ due: @escaping @Sendable () -> Void) async -> Bool {
        // Each connection has an event loop in its turn, so that they share the processor's cores.
        let loop =
            worker == 0
            ? connections.loop : crew?.members[worker]?.early?.key.loop ?? engine.takeLoop(for: connections.place)
        var part: Part? = first
        while let next = part {
            part = nil
            let goesOn = await fetch(next, worker, on: loop, due)
            guard goesOn, !end.isStopping, writes.fault == nil, let order = crew?.members[worker] else { break }
            if order.order == .leave { break }
            if crew?.failure == nil { part = takeWork(worker) }
        }
        leave(worker)
        return false
    }

    private func leave(_ worker: Int) {
        crew?.observe(now: Crew.now)
        guard let member = crew?.members.removeValue(forKey: worker) else { return }
        member.early?.close()
        if let position = crew?.plan.segments[worker]?.position { crew?.plan.leave(worker, at: position) }
        if member.isExtra { engine.budget.leave(member.origin) }
    }

    /// The next work for a worker; whoever has it so far is told.
    func takeWork(_ worker: Int) -> Part? {
        crew?.members[worker]?.order = nil
        let now = Crew.now
        crew?.observe(now: now)
        guard let setup = crew?.setup, let member = crew?.members[worker],
            let work = crew?.plan.assign(
                worker, setup: setup, speed: member.speed, isWarm: member.isWarm, now: now)
        else { return nil }
        crew?.members[worker]?.isWarm = false
        if crew?.members[worker]?.hasReconnected == true { crew?.plan.reconnected(worker) }
        if let victim = work.replaced {
            crew?.members[victim]?.order = .leave
            if let sink = crew?.members[victim]?.sink {
                // What it is writing at this moment may still come; should that fail, it is asked for at the end.
                crew?.plan.advance(worker, to: sink.shut(), now: now)
            }
            crew?.members[victim]?.exchange?.finish()
        }
        guard let segment = crew?.plan.segments[worker] else { return nil }
        return Part(offset: segment.start, end: segment.end)
    }

    private func close(_ sink: BodySink) -> (position: Int64, responseDigest: RunningDigest?) {
        let closed = sink.close()
        writes.digest.closed(sink, with: closed.digest)
        return (closed.position, closed.responseDigest)
    }

    // MARK: One part

    /// Fetches a part; whether the worker is to go on with another.
    private func fetch(
        _ part: Part, _ worker: Int, on loop: Int, _ due: @escaping @Sendable () -> Void
    ) async -> Bool {
        var part = part
        if part.exchange == nil {
            // Its end may have been given to somebody else since it was handed out.
            guard let end = crew?.plan.segments[worker]?.end, end > part.offset else { return false }
            part.end = end
            crew?.plan.lowered(worker, to: end)
            do throws(TransferError) {
                guard let asked = try await ask(for: part, worker, on: loop) else { return false }
                part = asked
            } catch {
                guard error.code.row.subject.isOfConnection else {
                    // An answer that says no more than that this is not the way; whoever asks alone draws the consequences.
                    noteUnusable(worker, error.message)
                    return false
                }
                return failed(worker, error, hadHead: false)
            }
        }
        guard let exchange = part.exchange else { return false }
        guard let sink = open(part, worker, due) else {
            await exchange.close()
            return true
        }
        let failure = await receive(part, exchange, sink, worker)
        return failure.map { failed(worker, $0, hadHead: true) } ?? true
    }

    /// Asks for a part; nil if the worker has to leave.
    private func ask(for part: Part, _ worker: Int, on loop: Int) async throws(TransferError) -> Part? {
        var wanted = requestSituation(Turn())
        wanted.segment = part.offset..<part.end
        // Validators of another origin mean nothing; the digest of the whole judges its bytes.
        wanted.isUnconditional = wishes.judgesByDigest && crew?.members[worker]?.source != 0
        guard let plan = PlannedRequest(wanted), plan.asked.isRange else { return nil }
        let answer = try await answer(to: plan, worker, on: loop)
        switch answer.verdict.decision {
        case .continueAt(let offset, let until, let identity) where offset == part.offset:
            facts.identity = identity
            facts.joined = true
            let setup = min(crew?.setup ?? answer.setup, answer.setup)
            crew?.setup = setup
            noteMirror(worker)
            return Part(
                offset: offset, end: until, exchange: answer.exchange, digests: DigestFields(answer.head).content)
        case .hostLimit:
            noteRefusal(worker, by: answer.head.origin, LaterAnswer(answer.head))
            await answer.exchange.discard()
            return nil
        case .retryLater(let error), .fail(let error):
            crew?.members[worker]?.later = LaterAnswer(answer.head)
            await answer.exchange.close()
            throw error
        default:
            noteUnusable(worker, "its file is another one, or it has no ranges")
            await answer.exchange.close()
            return nil
        }
    }

    private func noteMirror(_ worker: Int) {
        guard let index = crew?.members[worker]?.source, let number = crew?.sources[index].number else { return }
        crew?.sources[index].isProven = true
        sources.noteUse(of: number)
    }

    /// Lets a response into the file from where the part begins; nil if others have it meanwhile.
    private func open(_ part: Part, _ worker: Int, _ due: @escaping @Sendable () -> Void) -> BodySink? {
        guard let partial, let crew, crew.members[worker]?.order != .leave else { return nil }
        guard !crew.plan.isOvertaken(worker) else {
            self.crew?.plan.leave(worker, at: part.offset)
            return nil
        }
        for victim in crew.plan.victims(of: worker) {
            if let sink = crew.members[victim]?.sink, !sink.lower(to: part.offset) {
                // Too late: whoever has the part is past its beginning, and keeps it.
                self.crew?.plan.leave(worker, at: part.offset)
                return nil
            }
            self.crew?.plan.lowered(victim, to: part.offset)
        }
        guard let segment = self.crew?.plan.segments[worker] else { return nil }
        var configuration = sinkConfiguration(
            partial, part.offset, min(part.end, segment.limit), part.digests, checkpointDue: due)
        configuration.responseEnd = part.end
        let sink = BodySink(configuration)
        if configuration.digest != nil { writes.digest.runs(along: sink) }
        writes.open(sink)
        self.crew?.members[worker]?.sink = sink
        self.crew?.members[worker]?.exchange = part.exchange
        return sink
    }

    /// Receives a part to its end; what ended it too early.
    private func receive(
        _ part: Part, _ exchange: Exchange, _ sink: BodySink, _ worker: Int
    ) async -> TransferError? {
        var failure: TransferError?
        do throws(TransferError) {
            try await exchange.receive(into: sink)
        } catch {
            failure = error
        }
        let (position, responseDigest) = close(sink)
        let wasTold = crew?.members[worker]?.order != nil
        crew?.members[worker]?.sink = nil
        crew?.members[worker]?.exchange = nil
        // What was stated of all of the content says nothing about the part of it that was wanted.
        if failure == nil, position == part.end { failure = Self.contentFault(part.digests, responseDigest) }
        if let failure, failure.code == .badResponse || failure.code == .tooLarge {
            await giveUp(sink, until: position, of: worker)
            return failure
        }
        if position - sink.start >= FailureLedger.progress { crew?.failures = 0 }
        crew?.members[worker]?.isWarm = failure == nil && position == part.end
        let isPlanned = crew?.plan.segments[worker]?.start == sink.start
        let isWhole = crew?.plan.segments[worker].map { position >= min($0.end, part.end) } ?? true
        if isPlanned { crew?.plan.leave(worker, at: position) }
        if crew?.members[worker]?.order == .reconnect { crew?.members[worker]?.hasReconnected = true }
        if isWhole || wasTold { return nil }
        return failure
            ?? TransferError(.connectionLost, "The connection ended \(part.end - position) bytes before the end.")
    }

    /// Takes out what an unreadable response wrote: it is not data, and a checkpoint may have recorded it as such.
    private func giveUp(_ sink: BodySink, until position: Int64, of worker: Int) async {
        writes.giveUp(sink)
        let written = sink.start..<max(position, sink.start)
        if !written.isEmpty {
            // A digest that is being taken may have read them.
            writes.digest.begin()
            facts.ranges.remove(written)
            job.progress.received.wrappingSubtract(Int64(written.count), ordering: .relaxed)
            do throws(TransferError) { try await record() } catch {
                writes.failed(error)
                stopExchanges()
            }
            // Only what the journal does not claim is fetched again.
            crew?.plan.lose(written)
        }
        crew?.plan.leave(worker, at: sink.start)
    }

    // MARK: Failures

    /// Whether a worker goes on after a failure: with the rest of its part if that came along, and others receive too.
    private func failed(_ worker: Int, _ error: TransferError, hadHead: Bool) -> Bool {
        if crew?.members[worker]?.order == .reconnect { return true }
        guard crew?.members[worker]?.order == nil, !end.isStopping else { return false }
        if let index = crew?.members[worker]?.source, index > 0 {
            crew?.sources[index].rank.failed(now: Crew.now)
            return false
        }
        let failures = (crew?.failures ?? 0) + 1
        crew?.failures = failures
        let isAlone = crew?.anyReceives(but: worker) != true
        if isAlone, crew?.members.count == 1 {
            crew?.failure = error
            end.later = crew?.members[worker]?.later
            return false
        }
        if !hadHead, error.code == .connectFailed || error.code == .connectionLost, !isAlone {
            noteRefusal(worker, by: nil, nil)
        }
        // One after the other, and ever more rarely.
        crew?.restUntil = Crew.now + Double(1 << min(failures, 6)) / 2
        return hadHead && !isAlone && failures < 3
    }

    /// A host refused one more connection.
    ///
    /// - Parameter refuser: the origin that answered, where a redirect may have led to another host; nil if none did.
    private func noteRefusal(_ worker: Int, by refuser: Origin?, _ later: LaterAnswer?) {
        guard let crew, let member = crew.members[worker] else { return }
        let receiving = crew.members.values.count { $0.sink != nil }
        engine.budget.refused(refuser ?? member.origin, active: crew.members.count, receiving: receiving)
        let asked = later.flatMap { RetryAfter(parsing: $0.value, now: Date()) }?.seconds ?? 0
        var rest = max(1, min(asked, HeldOrigins.longest))
        if let refuser, refuser != member.origin {
            // The connections that are counted here do not tell how many lead there.
            let failures = crew.failures + 1
            self.crew?.failures = failures
            rest = max(rest, Double(1 << min(failures, 6)))
        }
        if member.source > 0 {
            // What a mirror wants is no reason to spare the others.
            self.crew?.sources[member.source].rank.rest(for: rest, now: Crew.now)
        } else {
            self.crew?.restUntil = max(crew.restUntil, Crew.now + rest)
        }
    }
}
