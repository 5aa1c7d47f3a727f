// Ferry: FerryEngine
// Bytes into the partial file, and checkpoints behind them.

import FerryCore
import Foundation
import NIOCore

extension TransferRun {
    /// Files up to this size have no checkpoint: fetching one again is cheaper (spec D6).
    private static let checkpointedSize: Int64 = 1 << 20

    /// Receives a body; however it ends, what counts of it is durable in the file and in `facts` when this returns.
    func receive(
        _ answer: Answer, from start: Int64, until end: Int64?, completeLength: Int64?, digestsContent: [Checksum],
        coding: ContentDecoder.Coding? = nil
    ) async throws(TransferError) {
        guard let partial else { throw TransferError(.internal, "A body has no file.") }
        let due = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        var configuration = sinkConfiguration(partial, start, end, digestsContent) { due.continuation.yield() }
        configuration.coding = coding
        let sink = BodySink(configuration)
        let clock = engine.loops[loop].scheduleRepeatedTask(
            initialDelay: .nanoseconds(Int64(engine.configuration.checkpointInterval * 1e9)),
            delay: .nanoseconds(Int64(engine.configuration.checkpointInterval * 1e9))
        ) { _ in due.continuation.yield() }
        let checkpoints = Task(name: "checkpoints of \(job.id)") {
            var pace = Pace(request: self.job.request)
            var earliest = NIODeadline.now()
            for await _ in due.stream {
                if let error = pace.judge(position: sink.position, now: NIODeadline.now().uptimeNanoseconds) {
                    self.stop(answer.exchange, with: error)
                }
                if (completeLength ?? .max) <= Self.checkpointedSize || NIODeadline.now() < earliest { continue }
                let began = NIODeadline.now()
                await self.checkpoint(sink, partial)
                // At most half of the time goes to checkpoints.
                earliest = .now() + (.now() - began)
            }
        }
        var failure: TransferError?
        do throws(TransferError) {
            try await answer.exchange.receive(into: sink)
            failure = sink.codingFault
        } catch {
            failure = error
        }
        if coding != nil {
            let decoded = sink.position - start
            answer.exchange.recorder?.change { $0.decodedBodyBytes = decoded }
        }
        clock.cancel()
        due.continuation.finish()
        await checkpoints.value
        try await settle(sink, partial, until: end, failure, digestsContent)
    }

    private func sinkConfiguration(
        _ partial: PartialFile, _ start: Int64, _ end: Int64?, _ digestsContent: [Checksum],
        checkpointDue: @escaping @Sendable () -> Void
    ) -> BodySink.Configuration {
        let maximum = job.request.maxSize
        let limit = end ?? maximum ?? Int64.max
        let tooLarge = TransferError(
            .tooLarge, "The file is larger than the \(maximum ?? 0) bytes that are allowed.")
        let runsAlong = digest?.count == start
        return BodySink.Configuration(
            file: partial, disk: engine.configuration.disk, progress: job.progress, gate: job.gate, start: start,
            limit: limit, errorBeyondLimit: end == nil && maximum != nil ? tooLarge : nil,
            digest: runsAlong ? digest : nil,
            responseDigest: digestsContent.isEmpty ? nil : RunningDigest(Set(digestsContent.map(\.algorithm))),
            checkpointDue: checkpointDue)
    }

    private func stop(_ exchange: Exchange, with error: TransferError) { exchange.stop(with: error) }

    /// Makes what has been written durable, then records it; never the other way (spec D2).
    private func checkpoint(_ sink: BodySink, _ partial: PartialFile) async {
        // A sync after one that failed says nothing about the pages that the first one lost.
        guard checkpointError == nil else { return }
        let position = sink.position
        guard position > (facts.ranges.ranges.last { $0.lowerBound <= sink.start }?.upperBound ?? sink.start) else {
            return
        }
        reached(.bytesWritten)
        do throws(TransferError) {
            try await onDisk { _ throws(DiskError) in try partial.sync() }
            reached(.bytesSynced)
            facts.ranges.insert(sink.start..<position)
            try await record()
            reached(.rangesCommitted)
        } catch {
            // Nothing after the last recorded range counts any more: Linux reports a failed write-back once (spec D5).
            checkpointError = error
            exchange?.stop()
        }
    }

    /// Closes the sink and decides what its bytes count for.
    private func settle(
        _ sink: BodySink, _ partial: PartialFile, until end: Int64?, _ failure: TransferError?,
        _ digestsContent: [Checksum]
    ) async throws(TransferError) {
        let closed = sink.close()
        digest = closed.digest
        if let checkpointError {
            countStored(sink, until: closed.position)
            digest = nil
            throw checkpointError
        }
        var failure = failure
        if failure == nil, let end, closed.position < end {
            failure = TransferError(
                .connectionLost, "The connection ended \(end - closed.position) bytes before the end.")
        }
        if failure == nil, let wrong = Self.mismatch(digestsContent, closed.responseDigest) {
            failure = TransferError(
                .badResponse,
                "What arrived does not have the \(wrong.algorithm.rawValue) digest that the server stated.")
        }
        if let failure, failure.code == .badResponse || failure.code == .tooLarge {
            // What an unreadable response wrote is not data.
            facts.ranges.remove(sink.start..<max(closed.position, sink.start + 1))
            digest = nil
            try await record()
            throw failure
        }
        guard closed.position > sink.start else {
            if let failure { throw failure }
            return
        }
        reached(.bytesWritten)
        try await onDisk { _ throws(DiskError) in try partial.sync() }
        reached(.bytesSynced)
        facts.ranges.insert(sink.start..<closed.position)
        countStored(sink, until: closed.position)
        guard let failure else { return }
        try await record()
        reached(.rangesCommitted)
        throw failure
    }

    /// Counts what an exchange made durable; what was taken out again, or lost, is no progress.
    private func countStored(_ sink: BodySink, until end: Int64) {
        storedBytes += max(0, min(facts.ranges.contiguousEnd(from: sink.start), end) - sink.start)
    }

    private static func mismatch(_ expected: [Checksum], _ digest: RunningDigest?) -> Checksum? {
        guard let computed = digest?.finalize() else { return nil }
        return expected.first { !computed.contains($0) }
    }
}
