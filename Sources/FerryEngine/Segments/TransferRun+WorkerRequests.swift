// Ferry: FerryEngine
// The requests of extra workers.

import FerryCore
import Foundation

extension TransferRun {
    /// Asks for a part where the first answer came from, or, if that address has expired, where the original URL leads.
    ///
    /// The original URL is asked once for all workers (docs/behaviour/transfers.md#X11).
    func answer(to plan: PlannedRequest, _ worker: Int, on loop: Int) async throws(TransferError) -> Answer {
        guard let index = crew?.members[worker]?.source, let source = crew?.sources[index] else {
            throw ExchangeEnd.stopped
        }
        let answer = try await answer(to: plan, from: source.course, worker, on: loop)
        guard case .askOriginalURL = answer.verdict.decision else { return answer }
        await answer.exchange.discard()
        if crew?.sources[index].courseNumber == source.courseNumber {
            if crew?.sources[index].waiters == nil { return try await renewCourse(of: index, plan, worker, on: loop) }
            await withCheckedContinuation { waiter in
                guard crew?.sources[index].waiters != nil else { return waiter.resume() }
                crew?.sources[index].waiters?.append(waiter)
            }
        }
        guard let renewed = crew?.sources[index].course else { throw ExchangeEnd.stopped }
        return try await self.answer(to: plan, from: renewed, worker, on: loop)
    }

    private func renewCourse(
        of index: Int, _ plan: PlannedRequest, _ worker: Int, on loop: Int
    ) async throws(TransferError) -> Answer {
        crew?.sources[index].waiters = []
        defer {
            let waiters = crew?.sources[index].waiters ?? []
            crew?.sources[index].waiters = nil
            for waiter in waiters { waiter.resume() }
        }
        let number = crew?.sources[index].number ?? 0
        let answer = try await answer(
            to: plan, from: try shared.course(from: sources.url(of: number)), worker, on: loop)
        crew?.sources[index].course = answer.course
        crew?.sources[index].courseNumber += 1
        return answer
    }

    /// One conversation about a part.
    private func answer(
        to plan: PlannedRequest, from start: RequestCourse, _ worker: Int, on loop: Int
    ) async throws(TransferError) -> Answer {
        var conversation = Conversation(try shared.terms.get(), from: start, planned: plan.fields)
        let host = WorkerConnection(run: self, worker: worker, loop: loop)
        switch try await conversation.carry(by: host, shared, engine) {
        case .accepted(let accepted):
            var situation = situation(plan.asked, accepted, Turn())
            situation.isExtraWorker = true
            crew?.observe(now: Crew.now)
            situation.anotherWorkerReceives = crew?.anyReceives(but: worker) == true
            // Only an address that a redirect has led to can be one that expires.
            situation.reusedFinalURL = start.chain.count > 0 && accepted.redirects == 0
            return Answer(accepted, ResumeTable.decide(situation))
        case .failed(let error, let later):
            crew?.members[worker]?.later = later
            throw error
        case .waiting(_, let error): throw error
        }
    }

    /// Sends a request of a worker, on the connection that was opened for it if that is there.
    fileprivate func open(_ request: OutgoingRequest, _ worker: Int, on loop: Int) async throws(TransferError)
        -> Exchange
    {
        try checkStopping()
        let asked = try await exchangeRequest(request, worker: loop)
        guard crew?.members[worker] != nil, crew?.members[worker]?.order == nil else { throw ExchangeEnd.stopped }
        let exchange = if let early = askEarly(asked, worker) { early } else { try engine.open(asked) }
        crew?.members[worker]?.exchange = exchange
        return exchange
    }
}

/// The connection of a further worker.
private struct WorkerConnection: ConversationHost {
    let run: TransferRun
    let worker: Int
    let loop: Int

    func open(_ request: OutgoingRequest) async throws(TransferError) -> Exchange {
        try await run.open(request, worker, on: loop)
    }

    func ended(_ exchange: Exchange, _ request: OutgoingRequest) async {}
}
