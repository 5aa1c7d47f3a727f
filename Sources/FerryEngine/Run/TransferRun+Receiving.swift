import FerryCore
import Foundation
import NIOCore
import Synchronization

extension TransferRun {
    /// Files up to this size have no checkpoint: fetching one again is cheaper (docs/behaviour/transfers.md#D6).
    private static let checkpointedSize: Int64 = 1 << 20

    /// Receives a body; however it ends, what counts of it is durable in the file and in `facts` when this returns.
    func receive(
        _ answer: Answer, from start: Int64, until end: Int64?, completeLength: Int64?,
        coding: ContentDecoder.Coding? = nil
    ) async throws(ServiceError) {
        guard let partial else { throw ServiceError(.internal, "A body has no file.") }
        var failure: ServiceError?
        var sink: BodySink?
        let stated = coding == nil ? answer.statedDigest(from: start) : nil
        let codedDigests = coding == nil ? [] : answer.codedDigests
        await withCheckpoints(partial, of: completeLength) { due in
            var configuration = sinkConfiguration(
                partial, start, end, stated?.algorithms ?? Set(codedDigests.map(\.algorithm)), checkpointDue: due)
            configuration.coding = coding
            let opened = BodySink(configuration)
            sink = opened
            open(opened, stated)
            do throws(ServiceError) {
                try await answer.exchange.receive(into: opened)
                failure = opened.codingFault
            } catch {
                failure = error
            }
        }
        guard let sink else { return }
        if coding != nil {
            let decoded = sink.position - start
            answer.exchange.recorder?.change { $0.decodedBodyBytes = decoded }
        }
        writes.end()
        try await settle(sink, partial, until: end, failure, stated, codedDigests)
    }

    /// Stores a body that was gathered in memory, as far as it came.
    func store(
        _ bytes: ByteBuffer, _ failure: ServiceError?, until end: Int64?, _ stated: StatedDigest?
    ) async throws(ServiceError) {
        guard let partial else { throw ServiceError(.internal, "A body has no file.") }
        job.progress.received.store(0, ordering: .relaxed)
        let sink = BodySink(sinkConfiguration(partial, 0, end, stated?.algorithms ?? []) {})
        if let stated { facts.pendingDigests.begin(stated) }
        let written = await disk.result { _ throws(DiskError) in
            Result { () throws(ServiceError) in _ = try sink.append(bytes) }
        }
        var fault: ServiceError?
        switch written {
        case .success(.success): break
        case .success(.failure(let error)): fault = error
        case .failure(let error): fault = error.transferError
        }
        try await settle(sink, partial, until: end, fault ?? failure, stated, [])
    }

    /// Begins to write a response. The digest that it states is stored with the first of its ranges.
    func open(_ sink: BodySink, _ stated: StatedDigest?) {
        writes.open(sink)
        if let stated { facts.pendingDigests.begin(stated) }
    }

    /// Makes checkpoints while something is received, and ends it when that is too slow.
    func withCheckpoints(
        _ partial: PartialFile, of completeLength: Int64?, _ body: (@escaping @Sendable () -> Void) async -> Void
    ) async {
        let due = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let interval = TimeAmount.nanoseconds(Int64(engine.configuration.checkpointInterval * 1e9))
        let clock = engine.loops[connections.loop].scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            due.continuation.yield()
        }
        let checkpoints = Task(name: "checkpoints of \(job.id)") {
            var pace = Pace(request: self.job.request)
            var earliest = NIODeadline.now()
            for await _ in due.stream {
                let received = self.job.progress.received.load(ordering: .relaxed)
                if let error = pace.judge(position: received, now: NIODeadline.now().uptimeNanoseconds) {
                    self.stopExchanges(with: error)
                }
                if let fault = self.budgetFault { self.stop(with: fault) }
                if (completeLength ?? .max) <= Self.checkpointedSize || NIODeadline.now() < earliest { continue }
                let began = NIODeadline.now()
                await self.checkpoint(partial)
                // At most half of the time goes to checkpoints.
                earliest = .now() + (.now() - began)
            }
        }
        await body { due.continuation.yield() }
        clock.cancel()
        due.continuation.finish()
        await checkpoints.value
    }

    /// Ends everything that is under way, with an error of our own.
    func stopExchanges(with error: ServiceError = ExchangeEnd.stopped) {
        connections.exchange?.stop(with: error)
        for exchange in workers?.exchanges ?? [] { exchange.stop(with: error) }
    }

    func sinkConfiguration(
        _ partial: PartialFile, _ start: Int64, _ end: Int64?, _ responseDigest: Set<DigestAlgorithm>,
        checkpointDue: @escaping @Sendable () -> Void
    ) -> BodySink.Configuration {
        let maximum = job.request.maxSize
        let limit = end ?? maximum ?? Int64.max
        let tooLarge = ServiceError(
            .tooLarge, "The file is larger than the \(maximum ?? 0) bytes that are allowed.")
        return BodySink.Configuration(
            file: partial, disk: engine.configuration.disk, progress: job.progress, gate: job.gate, start: start,
            limit: limit, responseEnd: end, errorBeyondLimit: end == nil && maximum != nil ? tooLarge : nil,
            digest: writes.digest.running(from: start),
            responseDigest: responseDigest.isEmpty ? nil : RunningDigest(responseDigest),
            checkpointDue: checkpointDue)
    }

    /// Makes what has been written durable, then records it; never the other way (docs/behaviour/transfers.md#D2).
    private func checkpoint(_ partial: PartialFile) async {
        // A sync after one that failed says nothing about the pages that the first one lost.
        guard writes.fault == nil else { return }
        let written = zip(writes.sinks, writes.ranges).map { (sink: $0, range: $1) }
        guard written.contains(where: { !facts.ranges.contains($0.range) }) else { return }
        reached(.bytesWritten)
        do throws(ServiceError) {
            try await onDisk { _ throws(DiskError) in try partial.sync() }
            reached(.bytesSynced)
            // What turned out to be no data meanwhile has left the list.
            for part in written where writes.contains(part.sink) { facts.ranges.insert(part.range) }
            try await record()
            reached(.rangesCommitted)
        } catch {
            writes.failed(error)
            stopExchanges()
        }
    }

    /// Closes the sink and decides what its bytes count for.
    private func settle(
        _ sink: BodySink, _ partial: PartialFile, until end: Int64?, _ failure: ServiceError?,
        _ stated: StatedDigest?, _ codedDigests: [Checksum]
    ) async throws(ServiceError) {
        let closed = sink.close()
        writes.digest.resume(closed.digest)
        var failure = failure
        let written = sink.start..<max(closed.position, sink.start)
        var counts = true
        let verdict = judge(stated, wrote: written, reachedEnd: failure == nil, closed.responseDigest)
        if failure == nil, let end, closed.position < end {
            failure = ServiceError(
                .connectionLost, "The connection ended \(end - closed.position) bytes before the end.")
        }
        switch verdict {
        case .counts: break
        case .differs(let wrong): failure = Self.contentFault(wrong)
        case .uncounted: counts = false
        }
        if failure == nil, let computed = closed.responseDigest?.finalize(),
            let wrong = codedDigests.first(where: { !computed.contains($0) })
        {
            failure = Self.contentFault(wrong)
        }
        if let failure, !counts || failure.code == .badResponse || failure.code == .tooLarge {
            // What an unreadable response wrote is not data.
            if let stated { facts.pendingDigests.remove(stated) }
            facts.ranges.remove(sink.start..<max(closed.position, sink.start + 1))
            writes.digest.begin()
            try await record()
            throw writes.fault ?? failure
        }
        if let fault = writes.fault {
            writes.digest.begin()
            throw fault
        }
        guard closed.position > sink.start else {
            if let failure { throw failure }
            return
        }
        reached(.bytesWritten)
        try await makeDurable(partial, isLast: failure != nil)
        reached(.bytesSynced)
        facts.ranges.insert(sink.start..<closed.position)
        guard let failure else { return }
        try await record()
        reached(.rangesCommitted)
        throw failure
    }

    /// Makes what was written durable; at the end of an attempt so that later changes of the file are noticed.
    func makeDurable(_ partial: PartialFile, isLast: Bool) async throws(ServiceError) {
        let seals = isLast && facts.partial?.tellsChanges == true
        facts.stamp = try await onDisk { _ throws(DiskError) -> FileStamp? in
            if seals { return try partial.seal() }
            try partial.sync()
            return nil
        }
    }

    /// Compares a response that has ended with the digest that it stated.
    func judge(
        _ stated: StatedDigest?, wrote: Range<Int64>, reachedEnd: Bool, _ digest: RunningDigest?
    ) -> PendingDigests.Verdict {
        guard let stated else { return .counts }
        return facts.pendingDigests.end(
            stated, wrote: wrote, reachedEnd: reachedEnd, computed: digest?.finalize() ?? [])
    }

    /// The fault of content that does not have a digest that the server stated of it.
    static func contentFault(_ wrong: Checksum) -> ServiceError {
        ServiceError(
            .badResponse, "What arrived does not have the \(wrong.algorithm.rawValue) digest that the server stated.")
    }

    // MARK: What it costs

    /// Takes note of what has come so far, and of what of it is new and on disk.
    ///
    /// Called where the facts speak of durable bytes alone: before each commit, and when the attempt ends.
    func noteCost() {
        let spent = job.progress.spent.load(ordering: .relaxed)
        cost.spent += spent - facts.bytesSpent
        // Facts that nothing changes stay shared with the job and the queue, which hold the same box.
        if facts.bytesSpent != spent { facts.bytesSpent = spent }
        if facts.ranges.byteCount > facts.frontier { cost.gained += facts.advance() }
        cost.frontier = max(cost.frontier, facts.frontier)
        AttemptUpload.count(facts.upload, of: job, in: &cost)
        cost.starts = (facts.startedOver ?? 0) - (job.facts.startedOver ?? 0)
    }

    /// The failure of an attempt that has used up what the transfer may receive in vain; nil while it has not.
    ///
    /// Bytes that are written and not durable count as new.
    var budgetFault: ServiceError? {
        var cost = cost
        cost.spent += job.progress.spent.load(ordering: .relaxed) - facts.bytesSpent
        cost.gained += max(0, job.progress.received.load(ordering: .relaxed) - facts.frontier)
        return job.budget.adding(cost).fault(expectedSize: job.request.expectedSize, url: job.request.url)
    }

    /// The failure of an attempt whose answers do not lead to the file.
    func endless(_ fact: String) -> ServiceError {
        let url = (try? sources.original.get())?.redacted ?? ""
        return ServiceError(
            .badResponse, "The file cannot be fetched from \(url) in one go: \(fact).", details: ErrorDetails(url: url))
    }
}
