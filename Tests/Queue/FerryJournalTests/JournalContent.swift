import FerryCore
import FerryQueue
import FerryRules
import Foundation
import JournalKit

/// The results of all queries of a journal.
struct JournalContent: Equatable {
    let records: [TransferRecord]
    let counts: [JournalPhase: Int]
    let tagged: [TransferID]
    let lines: Set<[TransferID]>
    let due: [DueTransfer]
    let holders: [TransferID?]
    let placed: TransferID?
    let cleanups: [TransferID]
    let lastID: TransferID?
    let events: [TransferEvent]
    let lastEvent: Int64
    let sessions: [String]
    let order: [TransferID]
    let hasSettings: Bool
    let applications: [String]

    init(_ reader: any JournalReader) throws(ServiceError) {
        var filter = JournalFilter()
        records = try reader.page(filter)
        counts = try reader.counts()
        filter.tag = "a"
        tagged = try reader.page(filter).map(\.id)
        var lines: Set<[TransferID]> = []
        for line in try reader.lines().lines {
            lines.insert(try reader.ids(in: line, after: nil, through: Sample.id(1000), limit: 100))
        }
        self.lines = lines
        due = try reader.due(through: .distantFuture, limit: 100)
        var holders: [TransferID?] = []
        for path in ["/d/a", "/d/b", "/d/c", "/f/taken"] { holders.append(try reader.destinationHolder(path)) }
        self.holders = holders
        placed = try reader.lastPlaced(at: "/home/u/Downloads/n")?.id
        cleanups = try reader.unfinishedCleanups().map(\.id)
        lastID = try reader.lastTransferID
        events = try reader.events(after: 0, limit: 100)
        lastEvent = try reader.lastEventNumber
        sessions = try reader.sessions().map(\.id.name)
        order = try reader.order(of: .cli)
        hasSettings = try reader.settings() != nil
        applications = try reader.applications().keys.sorted()
    }

    static func found(in journal: any Journal) async throws -> JournalContent {
        try await journal.read { reader throws(ServiceError) in try JournalContent(reader) }
    }
}
