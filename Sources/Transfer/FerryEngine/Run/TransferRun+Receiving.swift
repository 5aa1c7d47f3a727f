import FerryCore
import FerryDisk
import FerryRules
import Foundation
import NIOCore
import Synchronization

extension TransferRun {
    /// Files up to this size have no checkpoints: fetching one again is cheaper (docs/behaviour/transfers.md#D6).
    private static let checkpointedSize: Int64 = 1 << 20

    /// Receives a body. On return, with or without an error, the bytes that count are durable in the file and recorded
    /// in `facts`.
    func receive(
        _ answer: Answer, from start: Int64, until end: Int64?, completeLength: Int64?,
        coding: ContentDecoder.Coding? = nil
    ) async throws(ServiceError) {
        guard let partial = attempt.partial else { throw ServiceError(.internal, "A body has no file.") }
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
        attempt.writes.end()
        try await settle(sink, partial, until: end, failure, stated, codedDigests)
        if coding == nil { takeTrailers(of: answer, content: sink.start..<sink.position) }
    }

    /// Stores the received part of a body collected in memory.
    func store(
        _ bytes: ByteBuffer, _ failure: ServiceError?, until end: Int64?, _ stated: StatedDigest?
    ) async throws(ServiceError) {
        guard let partial = attempt.partial else { throw ServiceError(.internal, "A body has no file.") }
        job.progress.received.store(0, ordering: .relaxed)
        let sink = BodySink(sinkConfiguration(partial, 0, end, stated?.algorithms ?? []) {})
        if let stated { attempt.facts.pendingDigests.begin(stated) }
        let written = await attempt.disk.result { _ throws(DiskError) in
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

    /// Starts writing a response. Its stated digest is stored with the first of its ranges.
    func open(_ sink: BodySink, _ stated: StatedDigest?) {
        attempt.writes.open(sink)
        if let stated { attempt.facts.pendingDigests.begin(stated) }
    }

    /// Makes checkpoints during an operation, and ends the exchange if it is too slow.
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
                if let fault = self.attempt.budgetFault { self.stop(with: fault) }
                if (completeLength ?? .max) <= Self.checkpointedSize || NIODeadline.now() < earliest { continue }
                let began = NIODeadline.now()
                await self.checkpoint(partial)
                // Checkpoints take at most half of the time.
                earliest = .now() + (.now() - began)
            }
        }
        await body { due.continuation.yield() }
        clock.cancel()
        due.continuation.finish()
        await checkpoints.value
    }

    /// Ends all exchanges in progress with an error of the engine's own.
    func stopExchanges(with error: ServiceError = ExchangeEnd.stopped) {
        connections.exchange?.stop(with: error)
        for exchange in workers?.exchanges ?? [] { exchange.stop(with: error) }
    }

    func sinkConfiguration(
        _ partial: PartialFile, _ start: Int64, _ end: Int64?, _ responseDigest: Set<DigestAlgorithm>,
        checkpointDue: @escaping @Sendable () -> Void
    ) -> BodySink.Configuration {
        let maximum = job.request.response.maxSize
        let limit = end ?? maximum ?? Int64.max
        let tooLarge = ServiceError(
            .tooLarge, "The file is larger than the \(maximum ?? 0) bytes that are allowed.")
        return BodySink.Configuration(
            file: partial, disk: engine.configuration.disk, progress: job.progress, gate: job.gate, start: start,
            limit: limit, responseEnd: end, errorBeyondLimit: end == nil && maximum != nil ? tooLarge : nil,
            digest: attempt.writes.digest.running(from: start),
            responseDigest: responseDigest.isEmpty ? nil : RunningDigest(responseDigest),
            checkpointDue: checkpointDue)
    }

    /// Makes the written bytes durable and then records them, never in the other order
    /// (docs/behaviour/transfers.md#D2).
    private func checkpoint(_ partial: PartialFile) async {
        // A sync after a failed one says nothing about the pages lost by the first.
        guard attempt.writes.fault == nil else { return }
        let written = zip(attempt.writes.sinks, attempt.writes.ranges).map { (sink: $0, range: $1) }
        guard written.contains(where: { !attempt.facts.ranges.contains($0.range) }) else { return }
        attempt.reached(.bytesWritten)
        do throws(ServiceError) {
            try await attempt.onDisk { _ throws(DiskError) in try partial.sync() }
            attempt.reached(.bytesSynced)
            // Ranges that were discarded meanwhile are not in the list.
            for part in written where attempt.writes.contains(part.sink) { attempt.facts.ranges.insert(part.range) }
            try await attempt.record()
            attempt.reached(.rangesCommitted)
        } catch {
            attempt.writes.failed(error)
            stopExchanges()
        }
    }

    /// Closes the sink and decides which of its bytes count.
    private func settle(
        _ sink: BodySink, _ partial: PartialFile, until end: Int64?, _ failure: ServiceError?,
        _ stated: StatedDigest?, _ codedDigests: [Checksum]
    ) async throws(ServiceError) {
        let closed = sink.close()
        attempt.writes.digest.resume(closed.digest)
        var failure = failure
        let written = sink.start..<max(closed.position, sink.start)
        var counts = true
        let verdict = judge(stated, wrote: written, reachedEnd: failure == nil, closed.responseDigest)
        if failure == nil, let end, closed.position < end {
            failure = ServiceError(
                .connectionLost, "The connection closed \(end - closed.position) bytes before the end.")
        }
        switch verdict {
        case .counts: break
        case .differs(let wrong): failure = ServiceError.contentFault(wrong)
        case .uncounted: counts = false
        }
        if failure == nil, let computed = closed.responseDigest?.finalize(),
            let wrong = codedDigests.first(where: { !computed.contains($0) })
        {
            failure = ServiceError.contentFault(wrong)
        }
        if let failure, !counts || failure.code == .badResponse || failure.code == .tooLarge {
            // Bytes of an undecodable response are not data.
            if let stated { attempt.facts.pendingDigests.remove(stated) }
            attempt.facts.ranges.remove(sink.start..<max(closed.position, sink.start + 1))
            attempt.writes.digest.begin()
            try await attempt.record()
            throw attempt.writes.fault ?? failure
        }
        if let fault = attempt.writes.fault {
            attempt.writes.digest.begin()
            throw fault
        }
        guard closed.position > sink.start else {
            if let failure { throw failure }
            return
        }
        attempt.reached(.bytesWritten)
        try await makeDurable(partial, isLast: failure != nil)
        attempt.reached(.bytesSynced)
        attempt.facts.ranges.insert(sink.start..<closed.position)
        guard let failure else { return }
        try await attempt.record()
        attempt.reached(.rangesCommitted)
        throw failure
    }

    /// Makes the written bytes durable. At the end of an attempt it also seals the file, so that later changes are
    /// noticed.
    func makeDurable(_ partial: PartialFile, isLast: Bool) async throws(ServiceError) {
        let seals = isLast && attempt.facts.partial?.hasReliableTime == true
        attempt.facts.stamp = try await attempt.onDisk { _ throws(DiskError) -> FileStamp? in
            if seals { return try partial.seal() }
            try partial.sync()
            return nil
        }
    }

    /// Compares a finished response with its stated digest.
    func judge(
        _ stated: StatedDigest?, wrote: Range<Int64>, reachedEnd: Bool, _ digest: RunningDigest?
    ) -> PendingDigests.Verdict {
        guard let stated else { return .counts }
        return attempt.facts.pendingDigests.end(
            stated, wrote: wrote, reachedEnd: reachedEnd, computed: digest?.finalize() ?? [])
    }

    /// Takes over the digests in the trailers of a complete response, which are compared with the complete file
    /// (docs/behaviour/transfers.md#I3).
    ///
    /// - Parameters:
    ///   - content: The range of the file that is the content of the response.
    ///   - isPartAlone: Whether the file is only a part of the server's, which the digests of the whole do not describe.
    func takeTrailers(of exchange: Exchange, content: Range<Int64>, isPartAlone: Bool = false) {
        guard !content.isEmpty else { return }
        let stated = DigestFields(exchange.trailers)
        if let digest = StatedDigest(from: content.lowerBound, length: Int64(content.count), stated.content) {
            attempt.facts.pendingDigests.begin(digest)
        }
        if !isPartAlone { attempt.facts.identity?.add(stated.representation) }
    }

    func takeTrailers(of answer: Answer, content: Range<Int64>) {
        takeTrailers(of: answer.exchange, content: content, isPartAlone: job.raw != nil && answer.head.status == 206)
    }

    /// Returns the error of an attempt with responses that never lead to the file.
    func endless(_ fact: String) -> ServiceError {
        let url = (try? attempt.sources.original.get())?.redacted ?? ""
        return ServiceError(
            .badResponse, "The file cannot be fetched from \(url) in one attempt: \(fact).",
            details: ErrorDetails(url: url))
    }
}
