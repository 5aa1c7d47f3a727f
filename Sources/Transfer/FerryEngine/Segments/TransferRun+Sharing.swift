import FerryCore
import FerryDisk
import FerryRules
import Foundation
import NIOCore
import Synchronization

extension TransferRun {
    /// Interval between checks of the workers, in seconds.
    private static let updateInterval = 0.1
    /// Interval while the number of workers is decided within a round trip, or the digest waits for bytes, in seconds.
    private static let openingInterval = 0.025

    /// Returns whether several workers may share the response's file, except for conditions that depend on time.
    ///
    /// See docs/behaviour/transfers.md#S2.
    func mayShare(_ answer: Answer, length: Int64?, from start: Int64) -> Bool {
        guard let length, attempt.options.connections != 1, length - start >= SegmentRule.worthSharing, job.raw == nil,
            job.advisor == nil, answer.course.method == "GET", !attempt.facts.rangesOff,
            answer.head.contentEncodings.isEmpty,
            answer.head.value("Accept-Ranges")?.lowercased() != "none"
        else { return false }
        let disk = DiskState(identity: attempt.facts.identity, hasExpectedDigest: attempt.options.judgesByDigest)
        return disk == .strong || disk == .digest
    }

    /// Receives a body, and the other missing bytes of the file with further requests.
    ///
    /// On return, with or without an error, the bytes that count are durable in the file and recorded in `facts`. It
    /// also returns without an error if missing bytes must be requested in another way.
    func receiveTogether(
        _ answer: Answer, from start: Int64, until end: Int64, length: Int64
    ) async throws(ServiceError) {
        guard let partial = attempt.partial else { throw ServiceError(.internal, "A body has no file.") }
        var missing = ByteRangeSet(0..<length)
        for range in attempt.facts.ranges.ranges { missing.remove(range) }
        workers = SegmentWorkers(
            missing: missing, places: try places(from: answer.course), first: answer.exchange, receives: start..<end,
            setup: answer.setup, now: SegmentWorkers.now)
        attempt.writes.digest.share(missing: workers?.missing ?? 0)
        noteEarlyConnections(areUsed: true)
        await withCheckpoints(partial, of: length) { due in
            await withTaskGroup(of: Bool.self) { group in
                let first = Part(
                    offset: start, end: end, exchange: answer.exchange, stated: answer.statedDigest(from: start))
                group.addTask { await self.work(0, first, due) }
                self.update(adding: &group, due)
                self.pause(adding: &group)
                while let isLook = await group.next() {
                    guard self.workers?.isEmpty == false else {
                        group.cancelAll()
                        continue
                    }
                    guard isLook else { continue }
                    self.update(adding: &group, due)
                    self.pause(adding: &group)
                }
            }
        }
        let failure = workers?.failure
        if let failure { attempt.ending.later = failure.later }
        attempt.sources.note(workers?.places.all ?? [])
        workers = nil
        early.keep(0)
        job.progress.show([])
        await attempt.writes.digest.endSharing()?.value
        try await settleTogether(partial, failure?.error)
    }

    /// Adds one interval of the clock, unless the workers are gone.
    private func pause(adding group: inout TaskGroup<Bool>) {
        let isOpening = attempt.options.connections == nil && workers?.isOpening == true
        let isShort = isOpening || attempt.writes.digest.waitsForBytes
        group.addTask {
            do {
                try await Task.sleep(for: .seconds(isShort ? Self.openingInterval : Self.updateInterval))
                return true
            } catch {
                return false
            }
        }
    }

    /// Checks each worker's progress, stops unneeded workers, and starts missing ones.
    private func update(adding group: inout TaskGroup<Bool>, _ due: @escaping @Sendable () -> Void) {
        let now = SegmentWorkers.now
        guard !attempt.ending.isStopping, attempt.writes.fault == nil, let home = workers?.home else { return }
        workers?.update(now: now)
        let given = attempt.options.connections
        let received = job.progress.received.load(ordering: .relaxed)
        let wanted =
            workers?.wanted(
                given: given, allowed: engine.budget.allowance(home.origin), isPaced: !job.gate.isOpen,
                received: received, now: now) ?? 1
        early.giveWay(wanted: given)
        workers?.retire(over: wanted, excess: engine.budget.excess(home.origin, wanted: given))
        while workers?.lacksWorkers(to: wanted, now: now) == true, let claim = claimPlace(now: now) {
            guard let (worker, part) = workers?.hire(at: claim.index, claim.connection, now: now) else {
                claim.connection?.close()
                engine.budget.leave(claim.origin)
                break
            }
            group.addTask { await self.work(worker, part, due) }
        }
        prepareConnections(to: home, wanted: wanted, now: now)
        advanceDigest()
        job.progress.show(workers?.shown ?? [])
    }

    // MARK: Places

    /// Returns the places for extra workers: the one that sent the first response, and the other URLs that have not
    /// failed.
    private func places(from course: RequestCourse) throws(ServiceError) -> [WorkerPlace] {
        let present = attempt.sources.current
        var places = [
            WorkerPlace(number: present, course: course, rank: attempt.sources.rank(of: present), isProven: true)
        ]
        for number in attempt.sources.others {
            let other = try shared.course(from: attempt.sources.url(of: number))
            places.append(
                WorkerPlace(number: number, course: other, rank: attempt.sources.rank(of: number), isProven: false))
        }
        return places
    }

    /// Chooses the place of a new worker and takes a connection for it, an open one if possible. `nil` if none is
    /// available.
    private func claimPlace(now: Double) -> (index: Int, origin: Origin, connection: EarlyConnection?)? {
        guard let workers else { return nil }
        for index in workers.order(asksHome: attempt.facts.unusableParts ?? 0 < SegmentRule.refusals, now: now) {
            let origin = workers.places[index].course.url.origin
            if let connection = early.take(origin) { return (index, origin, connection) }
            if engine.budget.claim(origin, wanted: attempt.options.connections) { return (index, origin, nil) }
        }
        return nil
    }

    // MARK: Early connections

    /// Returns a closure that opens the user's number of connections once the first request is sent, or `nil` to open
    /// none.
    ///
    /// A server that is down or a name that does not exist gets only that one request.
    func opening(beside asked: ExchangeRequest, _ variant: RequestVariant) -> (@Sendable () -> Void)? {
        guard let wanted = attempt.options.connections, wanted > 1 else { return nil }
        let isSharable =
            asked.method == "GET" && asked.body == nil && asked.advisor == nil && asked.key.proxy == nil
            && !variant.isFresh && job.raw == nil && !attempt.facts.rangesOff && attempt.existing == nil
            && job.request.mirrors.isEmpty
        let length = attempt.facts.identity?.completeLength ?? job.request.response.expectedSize
        let opening = EarlyOpening(
            wanted: wanted,
            missing: length.map { $0 - (variant.restart == nil ? attempt.facts.ranges.byteCount : 0) },
            isSharable: isSharable, wasUnused: engine.budget.earlyWereUnused(asked.url.origin))
        guard opening.count > 0 else { return nil }
        let (early, url, key, loop) = (early, asked.url, asked.key, engine.loops[connections.loop])
        // Not during the client's own write.
        return { loop.execute { early.open(opening.count, to: url, key, wanted: wanted) } }
    }

    /// Closes the early connections that are not needed.
    func dropEarlyConnections() {
        if !attempt.ending.isStopping { noteEarlyConnections(areUsed: false) }
        early.keep(0)
    }

    /// Records whether the early connections are needed, for the next transfer from their origin.
    func noteEarlyConnections(areUsed: Bool) {
        guard let origin = early.origin else { return }
        engine.budget.noteEarly(origin, areUnused: !areUsed)
    }

    /// Keeps open exactly the connections that the next growth step would need, while it is being decided.
    private func prepareConnections(to home: HTTPURL, wanted: Int, now: Double) {
        guard let workers else { return }
        var spare = workers.spare(wanted: wanted)
        if spare == 0, attempt.options.connections == nil, workers.places.count == 1,
            let key = try? directKey(for: home)
        {
            spare = workers.prospect(allowed: engine.budget.allowance(home.origin), now: now)
            early.open(spare, to: home, key, wanted: nil)
        }
        early.keep(spare)
    }

    /// Returns the properties of direct connections to a URL, or `nil` if a proxy is used.
    private func directKey(for url: HTTPURL) throws(ServiceError) -> ConnectionKey? {
        guard try shared.memory.proxy(for: url, environment: shared.terms.get().environment) == nil else { return nil }
        return try workerKey(for: url, through: nil)
    }

    /// Extends the digest over the contiguous written bytes, so that nothing remains to be read when the last byte
    /// arrives.
    func advanceDigest() {
        guard let partial = attempt.partial,
            let (begun, end) = attempt.writes.digest.next(after: attempt.writes.all(beside: attempt.facts.ranges))
        else {
            return
        }
        attempt.writes.digest.follow(
            with: Task(name: "digest of \(job.id)") {
                let read = await attempt.disk.bulk.result { system throws(DiskError) in
                    try FileDigest.extend(begun, of: partial.file, to: end, disk: system)
                }
                if attempt.writes.digest.followed(to: end, try? read.get()) { advanceDigest() }
            })
    }

    // MARK: The end

    /// Makes the workers' bytes durable, and throws the error that ended the last worker.
    private func settleTogether(_ partial: PartialFile, _ failure: ServiceError?) async throws(ServiceError) {
        defer { attempt.writes.end() }
        if let fault = attempt.writes.fault {
            attempt.writes.digest.begin()
            throw fault
        }
        if attempt.writes.ranges.contains(where: { !attempt.facts.ranges.contains($0) }) {
            attempt.reached(.bytesWritten)
            // The sync does not cover bytes that a write in progress adds after this.
            let written = attempt.writes.ranges
            try await makeDurable(partial, isLast: attempt.ending.isStopping || failure != nil)
            attempt.reached(.bytesSynced)
            for range in written { attempt.facts.ranges.insert(range) }
        }
        guard let failure = attempt.ending.isStopping ? ExchangeEnd.stopped : failure else { return }
        try await attempt.record()
        attempt.reached(.rangesCommitted)
        throw failure
    }
}
