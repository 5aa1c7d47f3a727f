// Ferry: FerryEngine
// Connections that are open before a request is known.

import FerryCore
import NIOCore

extension TransferRun {
    /// What opens the connections that the user asked for, once the first request is out; nil if none are to be opened.
    ///
    /// A server that is down, or a name that cannot be found, is met by that one request alone.
    func opening(beside asked: ExchangeRequest, _ turn: Turn) -> (@Sendable () -> Void)? {
        guard let wanted = wishes.connections, wanted > 1 else { return nil }
        let isSharable =
            asked.method == "GET" && asked.body == nil && asked.advisor == nil && asked.key.proxy == nil
            && !turn.isFresh && raw == nil && !facts.rangesOff && job.existing == nil && job.request.mirrors.isEmpty
        let length = facts.identity?.completeLength ?? job.request.expectedSize
        let opening = EarlyOpening(
            wanted: wanted,
            missing: length.map { $0 - (turn.restart == nil ? facts.ranges.byteCount : 0) },
            isSharable: isSharable, wasInVain: engine.budget.earlyWereInVain(asked.url.origin))
        guard opening.count > 0 else { return nil }
        let (early, url, key, loop) = (early, asked.url, asked.key, engine.loops[connections.loop])
        // Not in the middle of the client's own write.
        return { loop.execute { early.open(opening.count, to: url, key, wanted: wanted) } }
    }

    /// Closes the connections that were opened early and are not needed.
    func dropEarlyConnections() {
        if !end.isStopping { noteEarlyConnections(areUsed: false) }
        early.keep(0)
    }

    /// Remembers whether those that are open early are needed, for the next transfer from there.
    func noteEarlyConnections(areUsed: Bool) {
        guard let origin = early.origin else { return }
        engine.budget.noteEarly(origin, inVain: !areUsed)
    }

    /// Asks on the connection that was opened for a worker, if it is there for that request.
    func askEarly(_ asked: ExchangeRequest, _ worker: Int) -> Exchange? {
        guard let connection = crew?.members[worker]?.early else { return nil }
        crew?.members[worker]?.early = nil
        if let exchange = connection.ask(asked) { return exchange }
        connection.close()
        return nil
    }

    /// Has the connections open that the next step would need while it is decided, and no others.
    func prepareConnections(_ crew: Crew, wanted: Int, now: Double) {
        let url = crew.sources[0].course.url
        var spare = crew.plan.hasWork(setup: crew.setup) ? wanted - crew.members.count : 0
        if spare == 0, wishes.connections == nil, crew.sources.count == 1, let key = try? directKey(for: url) {
            let prospect = crew.growth.prospect(
                missing: crew.plan.missing, setup: crew.setup, allowed: allowed(crew), now: now)
            spare = prospect - crew.members.count
            early.open(spare, to: url, key, wanted: nil)
        }
        early.keep(spare)
    }
    /// What connections depend on that lead to a URL itself; nil where a proxy is between.
    private func directKey(for url: HTTPURL) throws(TransferError) -> ClientPool.Key? {
        guard try shared.memory.proxy(for: url, environment: shared.terms.get().environment) == nil else { return nil }
        return try workerKey(for: url, through: nil)
    }
}
