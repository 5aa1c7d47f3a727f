import FerryCore
import FerryRules
import FerryFoundation

/// The durable event log.
extension MemoryTransaction {
    func appendEvent(
        kind: TransferEvent.Kind, at: Date, id: TransferID, session: SessionID, snapshot: Transfer?
    ) throws(ServiceError) -> Int64 {
        log.append(kind, at: at, id, session, snapshot)
    }

    func appendEvents(
        kind: TransferEvent.Kind, at: Date, ids: [TransferID], session: SessionID
    ) throws(ServiceError) -> EventRun {
        let run = EventRun(kind: kind, session: session, at: at, first: log.last + 1, ids: ids)
        for id in ids { _ = log.append(kind, at: at, id, session, nil) }
        return run
    }

    func acknowledge(_ session: SessionID, through number: Int64) throws(ServiceError) {
        _ = log.remove(of: session) { $0.number <= number ? true : nil }
    }

    func trimEvents(of session: SessionID, _ limits: EventRetention.Limits) throws(ServiceError) -> Bool {
        let last = limits.most.flatMap { log.number(of: session, newerThanIt: max(0, $0)) } ?? -1
        let oldestOfRemoved = limits.oldestOfRemoved ?? .distantPast
        let gone = log.remove(of: session, atMost: Self.trimmedAtOnce) { event in
            event.number <= last || event.at < limits.oldest
                || event.at < oldestOfRemoved && event.kind != .removed && rows[event.id] == nil
        }
        return gone == Self.trimmedAtOnce
    }

    private static var trimmedAtOnce: Int { 5000 }

    func events(
        after number: Int64, session: SessionID?, ids: Set<TransferID>?, kinds: [TransferEvent.Kind]?, limit: Int
    ) throws(ServiceError) -> [TransferEvent] {
        let found = log.events(after: number, of: session, limit: limit) { event in
            ids?.contains(event.id) != false && kinds?.contains(event.kind) != false
        }
        return found.map { event in
            TransferEvent(
                number: event.number, kind: event.kind, at: event.at, id: event.id, session: event.session,
                transfer: event.snapshot ?? rows[event.id].map { Transfer($0.record, live: .waiting(.slot)) })
        }
    }

    func eventHeads(after number: Int64, session: SessionID, limit: Int) throws(ServiceError) -> [EventHead] {
        log.events(after: number, of: session, limit: limit).map { event in
            EventHead(number: event.number, id: event.id, kind: event.kind)
        }
    }

    var lastEventNumber: Int64 { log.last }

    func lastEvent(of session: SessionID) throws(ServiceError) -> Int64 { log.last(of: session) }

    func sessionsWithEvents() throws(ServiceError) -> [SessionID] { log.sessions }
}
