import FerryCore
import FerryRules
import Foundation
import Synchronization

extension TransferRun {
    /// Fetches parts one after the other until there is no more work, or the worker is not wanted.
    ///
    /// - Returns: False, which distinguishes this task in the group from an interval of the clock.
    func work(_ worker: Int, _ first: Part, _ due: @escaping @Sendable () -> Void) async -> Bool {
        // Each worker uses its own event loop, so that they spread over the processor's cores.
        let loop =
            worker == 0
            ? connections.loop : workers?.earlyLoop(of: worker) ?? engine.takeLoop(for: attempt.place)
        var part: Part? = first
        while let next = part {
            let goesOn = await fetch(next, worker, on: loop, due)
            guard goesOn, !attempt.ending.isStopping, attempt.writes.fault == nil else { break }
            part = workers?.nextPart(of: worker, now: SegmentWorkers.now)
        }
        if let origin = workers?.leave(worker, now: SegmentWorkers.now) { engine.budget.leave(origin) }
        return false
    }

    private func close(_ sink: BodySink) -> (position: Int64, responseDigest: RunningDigest?) {
        let closed = sink.close()
        attempt.writes.digest.closed(sink, with: closed.digest)
        return (closed.position, closed.responseDigest)
    }

    // MARK: One part

    /// Fetches a part. Returns whether the worker continues with another.
    private func fetch(
        _ part: Part, _ worker: Int, on loop: Int, _ due: @escaping @Sendable () -> Void
    ) async -> Bool {
        var part = part
        if part.exchange == nil {
            guard let confirmed = workers?.confirm(part, of: worker) else { return false }
            do throws(ServiceError) {
                guard let asked = try await ask(for: confirmed, worker, on: loop) else { return false }
                part = asked
            } catch {
                guard error.code.row.subject.isOfConnection else {
                    // The response only shows that a part is not available this way. The worker that requests alone
                    // decides what it means for the file.
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

    /// Requests a part. Returns `nil` if the worker has to leave.
    private func ask(for part: Part, _ worker: Int, on loop: Int) async throws(ServiceError) -> Part? {
        var wanted = requestSituation(RequestVariant())
        wanted.segment = part.offset..<part.end
        // Validators of another origin mean nothing. The digest of the whole file verifies its bytes.
        wanted.isUnconditional = attempt.options.judgesByDigest && workers?.place(of: worker) != 0
        guard let plan = PlannedRequest(wanted), plan.asked.isRange else { return nil }
        let answer = try await answer(to: plan, worker, on: loop)
        switch answer.verdict.decision {
        case .continueAt(let offset, let until, let identity) where offset == part.offset:
            attempt.facts.identity = identity
            attempt.facts.joined = true
            if let number = workers?.proved(worker, setup: answer.setup) { attempt.sources.noteUse(of: number) }
            return Part(
                offset: offset, end: until, exchange: answer.exchange, stated: answer.statedDigest(from: offset))
        case .hostLimit:
            let asked = answer.head.retryAfter.flatMap { RetryAfter(parsing: $0, now: Date()) }?.seconds ?? 0
            note(workers?.refused(worker, by: answer.head.origin, asked: asked, now: SegmentWorkers.now))
            await answer.exchange.discard()
            return nil
        case .retryLater(let error), .fail(let error):
            workers?.note(RetryAfterResponse(answer.head), of: worker)
            await answer.exchange.close()
            throw error
        default:
            noteUnusable(worker, "its file differs, or it does not support ranges")
            await answer.exchange.close()
            return nil
        }
    }

    /// Opens the file for a response at the beginning of the part. Returns `nil` if others have taken the part
    /// meanwhile.
    private func open(_ part: Part, _ worker: Int, _ due: @escaping @Sendable () -> Void) -> BodySink? {
        guard let partial = attempt.partial, let exchange = part.exchange,
            let limit = workers?.makeWay(for: worker, at: part)
        else {
            return nil
        }
        var configuration = sinkConfiguration(
            partial, part.offset, limit, part.stated?.algorithms ?? [], checkpointDue: due)
        configuration.responseEnd = part.end
        let sink = BodySink(configuration)
        if configuration.digest != nil { attempt.writes.digest.runs(along: sink) }
        open(sink, part.stated)
        workers?.receives(worker, into: sink, from: exchange)
        return sink
    }

    /// Receives a part to its end. Returns the error that ended it early.
    private func receive(
        _ part: Part, _ exchange: Exchange, _ sink: BodySink, _ worker: Int
    ) async -> ServiceError? {
        var failure: ServiceError?
        do throws(ServiceError) {
            try await exchange.receive(into: sink)
        } catch {
            failure = error
        }
        let (position, responseDigest) = close(sink)
        let wasTold = workers?.closed(worker) == true
        let range = sink.start..<max(position, sink.start)
        var counts = true
        switch judge(part.stated, wrote: range, reachedEnd: failure == nil, responseDigest) {
        case .counts: break
        case .differs(let wrong): failure = ServiceError.contentFault(wrong)
        case .uncounted: counts = false
        }
        if !counts || failure?.code == .badResponse || failure?.code == .tooLarge {
            if let stated = part.stated { attempt.facts.pendingDigests.remove(stated) }
            await giveUp(sink, range, of: worker)
            return failure
        }
        if failure == nil { takeTrailers(of: exchange, content: range) }
        let isWhole = workers?.received(part, by: worker, in: range, isIntact: failure == nil) ?? true
        if isWhole || wasTold { return nil }
        return failure
            ?? ServiceError(.connectionLost, "The connection closed \(part.end - position) bytes before the end.")
    }

    /// Removes the ranges of an undecodable response: they are not data, and a checkpoint may have recorded them.
    private func giveUp(_ sink: BodySink, _ written: Range<Int64>, of worker: Int) async {
        attempt.writes.giveUp(sink)
        if !written.isEmpty {
            // The running digest may have read them.
            attempt.writes.digest.begin()
            attempt.facts.ranges.remove(written)
            job.progress.received.wrappingSubtract(Int64(written.count), ordering: .relaxed)
            do throws(ServiceError) { try await attempt.record() } catch {
                attempt.writes.failed(error)
                stopExchanges()
            }
            // Fetch bytes again only after the journal does not claim them.
            workers?.lose(written)
        }
        workers?.abandon(worker, from: sink.start)
    }

    // MARK: Failures

    /// Returns whether a worker continues after a failure: with the remaining part if its response had a head, and
    /// others receive too.
    private func failed(_ worker: Int, _ error: ServiceError, hadHead: Bool) -> Bool {
        let outcome = workers?.failed(
            worker, error, hadHead: hadHead, isStopping: attempt.ending.isStopping, now: SegmentWorkers.now)
        note(outcome?.refusal)
        return outcome?.goesOn == true
    }

    private func note(_ refusal: SegmentWorkers.Refusal?) {
        guard let refusal else { return }
        engine.budget.refused(refusal.origin, active: refusal.active, receiving: refusal.receiving)
    }

    /// Records that a worker got no usable part from its place.
    ///
    /// A mirror with another file is dropped. After two such failures at the first place, no further worker starts
    /// there (docs/behaviour/transfers.md#S9).
    private func noteUnusable(_ worker: Int, _ reason: String) {
        guard let index = workers?.place(of: worker), index > 0 else {
            attempt.facts.unusableParts = (attempt.facts.unusableParts ?? 0) + 1
            return
        }
        if let number = workers?.places.drop(index) { attempt.dropSource(number, reason) }
    }

    // MARK: Requests

    /// Requests a part from the URL of the first response. If that has expired, requests the original URL and follows
    /// its redirects.
    ///
    /// The original URL is requested once for all workers (docs/behaviour/transfers.md#X11).
    private func answer(to plan: PlannedRequest, _ worker: Int, on loop: Int) async throws(ServiceError) -> Answer {
        guard let index = workers?.place(of: worker), let place = workers?.places[index] else {
            throw ExchangeEnd.stopped
        }
        let answer = try await answer(to: plan, from: place.course, worker, on: loop)
        guard case .askOriginalURL = answer.verdict.decision else { return answer }
        await answer.exchange.discard()
        if workers?.places[index].courseNumber == place.courseNumber {
            if workers?.places.beginRenewal(of: index) == true {
                defer { workers?.places.endRenewal(of: index) }
                let start = try shared.course(from: attempt.sources.url(of: place.number))
                let answer = try await self.answer(to: plan, from: start, worker, on: loop)
                workers?.places.renewed(index, answer.course)
                return answer
            }
            await withCheckedContinuation { waiter in
                guard workers != nil else { return waiter.resume() }
                workers?.places.wait(for: index, waiter)
            }
        }
        guard let renewed = workers?.places[index].course else { throw ExchangeEnd.stopped }
        return try await self.answer(to: plan, from: renewed, worker, on: loop)
    }

    /// Performs one conversation about a part.
    private func answer(
        to plan: PlannedRequest, from start: RequestCourse, _ worker: Int, on loop: Int
    ) async throws(ServiceError) -> Answer {
        var conversation = Conversation(try shared.terms.get(), from: start, planned: plan.fields)
        let host = WorkerConnection(run: self, worker: worker, loop: loop)
        switch try await conversation.carry(by: host, shared, engine) {
        case .accepted(let accepted):
            var situation = situation(plan.asked, accepted, RequestVariant())
            situation.isExtraWorker = true
            workers?.observe(now: SegmentWorkers.now)
            situation.anotherWorkerReceives = workers?.anyReceives(but: worker) == true
            // Only a URL reached by a redirect can expire.
            situation.reusedFinalURL = start.chain.count > 0 && accepted.redirects == 0
            return Answer(accepted, ResumeTable.decide(situation))
        case .failed(let error, let later):
            workers?.note(later, of: worker)
            throw error
        case .waiting(_, let error): throw error
        }
    }

    /// Sends a worker's request, on its early connection if that fits the request.
    fileprivate func open(_ request: OutgoingRequest, _ worker: Int, on loop: Int) async throws(ServiceError)
        -> Exchange
    {
        try attempt.checkStopping()
        let asked = try await exchangeRequest(request, worker: loop)
        guard workers?.isWanted(worker) == true else { throw ExchangeEnd.stopped }
        let early = workers?.takeEarly(of: worker)
        let exchange: Exchange
        if let opened = early?.ask(asked) {
            exchange = opened
        } else {
            early?.close()
            exchange = try engine.open(asked)
        }
        workers?.asks(worker, on: exchange)
        return exchange
    }
}

/// The connection of an extra worker.
private struct WorkerConnection: ConversationHost {
    let run: TransferRun
    let worker: Int
    let loop: Int

    func open(
        _ request: OutgoingRequest, isolation: isolated (any Actor)?
    ) async throws(ServiceError) -> Exchange {
        try await run.open(request, worker, on: loop)
    }

    func ended(_ exchange: Exchange, _ request: OutgoingRequest, isolation: isolated (any Actor)?) async {}
}
