// Ferry: FerryEngine
// Several connections for one file.

import FerryCore
import Foundation
import Synchronization

extension TransferRun {
    /// How often the workers are looked at, in seconds,
    private static let lookInterval = 0.1
    /// and while a round trip decides about their number.
    private static let openingInterval = 0.025

    /// Whether several workers may share what a response is a part of; all but what depends on time.
    ///
    /// See docs/behaviour/transfers.md#S2.
    func mayShare(_ answer: Answer, length: Int64?, from start: Int64) -> Bool {
        guard let length, wishes.connections != 1, length - start >= SegmentRule.worthSharing, raw == nil,
            job.advisor == nil, job.request.body == nil, answer.course.method == "GET", !facts.rangesOff,
            answer.head.contentEncodings.isEmpty,
            answer.head.value("Accept-Ranges")?.lowercased() != "none"
        else { return false }
        let disk = DiskState(identity: facts.identity, hasExpectedDigest: wishes.judgesByDigest)
        return disk == .strong || disk == .digest
    }

    /// Receives a body, and with more requests what else is missing of the file.
    ///
    /// However it ends, what counts is durable in the file and in `facts` when this returns. It returns without an error
    /// also when something is missing that has to be asked for in another way.
    func receiveTogether(
        _ answer: Answer, from start: Int64, until end: Int64, length: Int64
    ) async throws(TransferError) {
        guard let partial else { throw TransferError(.internal, "A body has no file.") }
        var missing = ByteRangeSet(0..<length)
        for range in facts.ranges.ranges { missing.remove(range) }
        var crew = Crew(
            length: length, missing: missing, sources: try places(from: answer.course), setup: answer.setup,
            now: Crew.now)
        crew.plan.begin(0, with: start..<end, now: Crew.now)
        writes.digest.share(missing: crew.plan.missing)
        noteEarlyConnections(areUsed: true)
        crew.members[0] = Crew.Member(
            origin: answer.course.url.origin, exchange: answer.exchange, isExtra: false)
        self.crew = crew
        await withCheckpoints(partial, of: length) { due in
            await withTaskGroup(of: Bool.self) { group in
                let first = Part(
                    offset: start, end: end, exchange: answer.exchange, digests: DigestFields(answer.head).content)
                group.addTask { await self.work(0, first, due) }
                self.look(adding: &group, due)
                self.pause(adding: &group)
                while let isLook = await group.next() {
                    guard self.crew?.members.isEmpty == false else {
                        group.cancelAll()
                        continue
                    }
                    guard isLook else { continue }
                    self.look(adding: &group, due)
                    self.pause(adding: &group)
                }
            }
        }
        let failure = self.crew?.failure
        sources.note(self.crew?.sources ?? [])
        self.crew = nil
        early.keep(0)
        job.progress.show([])
        await writes.digest.endSharing()?.value
        try await settleTogether(partial, failure)
    }

    /// Adds one turn of the clock; it is none once the workers are gone.
    private func pause(adding group: inout TaskGroup<Bool>) {
        let isOpening = wishes.connections == nil && crew?.growth.isOpening == true
        let isShort = isOpening || writes.digest.waitsForBytes
        group.addTask {
            do {
                try await Task.sleep(for: .seconds(isShort ? Self.openingInterval : Self.lookInterval))
                return true
            } catch {
                return false
            }
        }
    }

    /// Looks at the workers: how far each is, who should stop, and who is missing.
    private func look(adding group: inout TaskGroup<Bool>, _ due: @escaping @Sendable () -> Void) {
        let now = Crew.now
        guard !end.isStopping, writes.fault == nil, var crew else { return }
        crew.observe(now: now)
        for member in crew.members.values where member.sink?.isAtLimit == true { member.exchange?.finish() }
        for (worker, trouble) in crew.plan.troubles(setup: crew.setup, now: now)
        where crew.members[worker]?.order == nil {
            crew.members[worker]?.order = trouble == .silent ? .leave : .reconnect
            crew.members[worker]?.exchange?.finish()
        }
        let wanted = wantedWorkers(&crew, now: now)
        early.giveWay(wanted: wishes.connections)
        retire(&crew, over: wanted)
        for _ in 0..<max(0, wanted - crew.members.count) where now >= crew.restUntil {
            guard crew.plan.hasWork(setup: crew.setup), let (source, connection) = claimSource(crew, now: now) else {
                break
            }
            let worker = crew.takeNumber()
            let origin = crew.sources[source].course.url.origin
            crew.members[worker] = Crew.Member(source: source, origin: origin, early: connection)
            // What each will fetch is decided one after the other, before any of them asks.
            self.crew = crew
            let part = takeWork(worker)
            guard let changed = self.crew else { return }
            crew = changed
            guard let part else {
                crew.members[worker] = nil
                connection?.close()
                engine.budget.leave(origin)
                break
            }
            group.addTask { await self.work(worker, part, due) }
        }
        prepareConnections(crew, wanted: wanted, now: now)
        self.crew = crew
        advanceDigest()
        job.progress.show(
            crew.plan.segments.sorted { $0.value.start < $1.value.start }.map {
                TransferSegment(start: $0.value.start, end: $0.value.end, position: $0.value.position)
            })
    }

    /// How many connections may be asked for where the first answer came from.
    func allowed(_ crew: Crew) -> Int {
        // Every source has an allowance of its own.
        crew.sources.count > 1 ? Int.max : engine.budget.allowance(crew.sources[0].course.url.origin)
    }

    /// How many workers there should be at this moment.
    private func wantedWorkers(_ crew: inout Crew, now: Double) -> Int {
        let allowed = allowed(crew)
        // Others come only beside somebody who receives something: a server that is down is met by one at a time.
        guard crew.members.values.contains(where: { $0.sink != nil || !$0.isExtra }) else { return crew.members.count }
        // Those that a host serves go on when it refuses one more.
        if let given = wishes.connections { return min(given, max(allowed, crew.members.count)) }
        guard job.gate.isOpen else { return 1 }
        let receiving = crew.members.keys.count { crew.plan.segments[$0]?.firstBytes != nil }
        if receiving < crew.growth.target { crew.fullSince = nil } else { crew.fullSince = crew.fullSince ?? now }
        crew.growth.look(
            received: job.progress.received.load(ordering: .relaxed), missing: crew.plan.missing,
            receiving: receiving, fullSince: crew.fullSince, setup: crew.setup, allowed: allowed, now: now)
        return crew.growth.target
    }

    /// Lets the newest workers go that are too many; their rest is for the others.
    private func retire(_ crew: inout Crew, over wanted: Int) {
        let active = crew.members.filter { $0.value.order == nil }
        let excess = engine.budget.excess(crew.sources[0].course.url.origin, wanted: wishes.connections)
        let extras = active.filter(\.value.isExtra).keys.sorted(by: >)
        for worker in extras.prefix(SegmentRule.tooMany(active: active.count, wanted: wanted, excess: excess)) {
            crew.members[worker]?.order = .leave
            crew.members[worker]?.exchange?.finish()
        }
    }

    /// Makes durable what the workers wrote, and says what ended the last of them.
    private func settleTogether(_ partial: PartialFile, _ failure: TransferError?) async throws(TransferError) {
        defer { writes.end() }
        if let fault = writes.fault {
            writes.digest.begin()
            throw fault
        }
        if writes.ranges.contains(where: { !facts.ranges.contains($0) }) {
            reached(.bytesWritten)
            // What a write that is still under way adds after this is not covered by the sync.
            let written = writes.ranges
            try await makeDurable(partial, isLast: end.isStopping || failure != nil)
            reached(.bytesSynced)
            for range in written { facts.ranges.insert(range) }
        }
        guard let failure = end.isStopping ? ExchangeEnd.stopped : failure else { return }
        try await record()
        reached(.rangesCommitted)
        throw failure
    }
}
