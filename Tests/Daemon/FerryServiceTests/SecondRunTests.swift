import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Testing

@testable import FerryQueue
@testable import FerryService
@testable import FerryStore

@Suite(.timeLimit(.minutes(2))) struct `A transfer that has succeeded` {
    private static let body = SeededBody(seed: 31, size: 400_000)

    /// The alarm of a retry rings while a resume is being committed. If the transfer were queued while it runs, its
    /// record could be read ahead for the next slot. After its success it would run again from that record.
    @Test func `does not run again when a slow resume met its retry`() async throws {
        let script = OriginScript(
            Self.body, .on(.path("/twice").and(.pathRequests(1...1)), .status(500)),
            .on(.path("/twice").and(.pathRequests(2...2)), .hold("twice", at: .body(100_000))),
            .on(.path("/first"), .hold("first", at: .body(100_000))))
        try await withStoredService(script, { $0.delayScale = 1000 }) { bed, local in
            try await bed.changeSettings { $0.activeTransfers = 1 }
            let first = try await bed.add("/first") { $0.timing.paused = true }.id
            let twice = try await bed.add("/twice").id
            try await bed.wait(for: twice, waiting: .retry)
            try await duringCommit(local) { end in
                let journal = local.journal
                let revision = journal.revision
                async let resumed = bed.act(.resume, twice)
                try await eventually("a resume that waits for its commit") { journal.revision != revision }
                // As its alarm would.
                await local.queue.tryAgain()
                end()
                _ = try await resumed
            }
            await bed.origin.waitForHold("twice")
            // If the transfer is queued behind this one, its record is read ahead.
            try await bed.act(.resume, first)
            try await bed.changeSettings { $0.activeTransfers = 2 }
            await bed.origin.waitForHold("first")
            bed.origin.release("twice")
            try await bed.wait(for: twice, .succeeded)
            // It gets a slot after every older transfer.
            let last = try await bed.add("/last").id
            try await bed.wait(for: last, .succeeded)
            #expect(bed.asked.filter { $0 == "/twice" }.count == 2)
            #expect(try await bed.service.transfer(twice).state == .succeeded)
            bed.origin.release("first")
            try await bed.wait(for: first, .succeeded)
        }
    }

    /// An outcome based on an older record must not overwrite the first outcome or be reported as a second one.
    @Test func `keeps its end and its facts`() async throws {
        try await withStoredService(OriginScript(Self.body)) { bed, local in
            let id = try await bed.add { $0.timing.paused = true }.id
            let before = try await local.existing(id)
            try await bed.act(.resume, id)
            let done = try await bed.wait(for: id, .succeeded)
            let last = try await bed.service.status().lastEvent
            #expect(try await !local.parts.ends.finish(before, .failed(ServiceError(.deadlineExceeded, "Late."))))
            #expect(try await !local.journal.store(before))
            #expect(try await bed.service.transfer(id) == done)
            #expect(try await bed.service.status().lastEvent == last)
        }
    }
}

@Suite struct `Records that were read ahead` {
    private static let records: [TransferID: TransferRecord] = Dictionary(
        uniqueKeysWithValues: (UInt64(1)...3).map { number in
            let id = TransferID(rawValue: number)
            let request = TransferRequest(url: "http://127.0.0.1/\(number)", folder: "/f")
            return (id, TransferRecord(id: id, createdAt: Date(), request: request, credentials: nil))
        })

    private static func id(_ number: UInt64) -> TransferID { TransferID(rawValue: number) }

    @Test func `are taken once, while the revision stays`() {
        var ahead = RecordsAhead()
        ahead.beginReading(at: 4)
        ahead.endReading(Self.records)
        #expect(ahead.take(Self.id(1), revision: 4)?.id == Self.id(1))
        #expect(ahead.take(Self.id(1), revision: 4) == nil)
        #expect(ahead.take(Self.id(2), revision: 5) == nil)
        #expect(ahead.take(Self.id(2), revision: 4) == nil)
    }

    @Test func `are not taken of transfers that have ended, whether they were read before that or meanwhile`() {
        var ahead = RecordsAhead()
        ahead.beginReading(at: 4)
        ahead.endReading(Self.records)
        ahead.forget(Self.id(1))
        #expect(ahead.take(Self.id(1), revision: 4) == nil)
        ahead.beginReading(at: 4)
        ahead.forget(Self.id(2))
        ahead.endReading(Self.records)
        #expect(ahead.take(Self.id(2), revision: 4) == nil)
        #expect(ahead.take(Self.id(3), revision: 4) != nil)
    }

    @Test func `stay as they were when a reading fails`() {
        var ahead = RecordsAhead()
        ahead.beginReading(at: 4)
        ahead.endReading(Self.records)
        ahead.beginReading(at: 4)
        ahead.abandonReading()
        #expect(ahead.take(Self.id(3), revision: 4) != nil)
    }
}

extension LiveQueue {
    /// Wakes the transfers that wait for a retry.
    fileprivate func tryAgain() {
        var later = Moment(SystemClock())
        later.clock += .seconds(86_400)
        perform(queue.take(.alarm, at: later))
    }
}
