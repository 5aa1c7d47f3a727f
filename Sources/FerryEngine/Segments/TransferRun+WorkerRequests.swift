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
        let course = try Course(job, original: originalURL.get(), source: number) { cookies.header(for: $0) }
        let answer = try await answer(to: plan, from: course, worker, on: loop)
        crew?.sources[index].course = answer.course
        crew?.sources[index].courseNumber += 1
        return answer
    }

    /// One way from a URL to an answer that is no redirect.
    private func answer(
        to plan: PlannedRequest, from start: Course, _ worker: Int, on loop: Int
    ) async throws(TransferError) -> Answer {
        var course = start
        // Only an address that a redirect has led to can be one that expires.
        let isReused = start.chain.count > 0
        var steps = 0
        var renewals = 0
        while true {
            try checkStopping()
            let version = authenticators[course.url.origin]?.version
            let asked = try await exchangeRequest(plan, course, worker: loop)
            guard crew?.members[worker] != nil, crew?.members[worker]?.order == nil else { throw ExchangeEnd.stopped }
            let early = askEarly(asked, worker)
            let exchange = if let early { early } else { try engine.open(asked) }
            crew?.members[worker]?.exchange = exchange
            let askedAt = Crew.now
            let head: ResponseHead
            do throws(TransferError) {
                head = try await exchange.head()
            } catch {
                // The connection was gone before the request; one that goes after it may be a refusal.
                if early?.wasAsked == false, error.code == .connectionLost || error.code == .connectFailed { continue }
                guard error == ClientFailure.staleConnection, !course.hasReplacedConnection else { throw error }
                course.hasReplacedConnection = true
                continue
            }
            let setup = exchange.roundTrip ?? Crew.now - askedAt
            try await takeCookies(head, course.url)
            if job.advisor == nil {
                if head.status == 401, renewals < 3, authenticators[course.url.origin]?.version != version {
                    // Another worker has answered the same challenge meanwhile.
                    renewals += 1
                    await exchange.discard()
                    continue
                }
                if try await answersChallenge(head, exchange, &course) { continue }
            }
            var situation = situation(plan.asked, head, Turn(), course)
            situation.isExtraWorker = true
            crew?.observe(now: Crew.now)
            situation.anotherWorkerReceives = crew?.anyReceives(but: worker) == true
            situation.reusedFinalURL = isReused && steps == 0
            var verdict = ResumeTable.decide(situation)
            if case .follow(let location) = verdict.decision {
                steps += 1
                if try await follows(location, head, exchange, &course) { continue }
                situation.locationIsGood = false
                verdict = ResumeTable.decide(situation)
            }
            return Answer(
                exchange: exchange, head: head, url: course.url, chain: course.chain, verdict: verdict,
                method: course.method, course: course, setup: setup)
        }
    }
}
