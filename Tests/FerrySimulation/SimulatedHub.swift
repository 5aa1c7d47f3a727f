import FerryCore

@testable import FerryService

/// Tells clients what has happened, and knows what each client has taken.
struct SimulatedHub {
    /// A client of one session. It never forgets the events that it has taken.
    private struct Client {
        var listener: EventListener?
        /// Number of the last durable event that it has taken.
        var seen: Int64 = 0
        /// Its opening of the session.
        var token: Int?
        /// The events being read for the client.
        var range: EventQueue.Range?
    }

    private var order: EventOrder
    private var clients: [SessionID: Client] = [:]
    /// Number of the last event that was handed to listeners.
    private var told: Int64
    /// A broken law, or `nil`.
    private(set) var fault: String?

    init(last: Int64) {
        order = EventOrder(last: last)
        told = last
    }

    /// The hub of the next process; clients keep what they have taken.
    func afterKill(last: Int64) -> SimulatedHub {
        var hub = SimulatedHub(last: last)
        hub.clients = clients.mapValues { Client(seen: $0.seen) }
        hub.fault = fault
        return hub
    }

    /// Number of the latest durable event that listeners may know.
    var last: Int64 { order.last }

    // MARK: Telling

    mutating func publish(_ event: TransferEvent) {
        guard let number = event.number else { return }
        tell(order.add(event, number))
    }

    mutating func publish(_ run: EventRun) { tell(order.add(run)) }

    mutating func tell(_ events: [EventOrder.Delivery]) {
        for next in events {
            switch next {
            case .event(let event):
                note(first: event.number ?? 0, last: event.number ?? 0)
                for session in clients.keys { clients[session]?.listener?.offer(event) }
            case .run(let run):
                note(first: run.first, last: run.last)
                for session in clients.keys { clients[session]?.listener?.offer(run) }
            }
        }
    }

    private mutating func note(first: Int64, last: Int64) {
        if first != told + 1 { fault = fault ?? "event \(first) is told after \(told)" }
        told = max(told, last)
    }

    // MARK: Clients

    func token(of session: SessionID) -> Int? { clients[session]?.token }
    func seen(by session: SessionID) -> Int64 { clients[session]?.seen ?? 0 }
    func isReading(for session: SessionID) -> Bool { clients[session]?.range != nil }

    mutating func attach(_ session: SessionID, token: Int?, isBrief: Bool) {
        var subscription = EventSubscription()
        subscription.session = session
        subscription.after = seen(by: session)
        var client = clients[session] ?? Client()
        client.listener = EventListener(subscription, isBrief: isBrief, lastNumber: last)
        client.token = token
        client.range = nil
        clients[session] = client
    }

    /// Skips all events that a client has not taken.
    mutating func skip(_ session: SessionID) {
        var subscription = EventSubscription()
        subscription.session = session
        let listener = EventListener(subscription, lastNumber: last)
        clients[session]?.listener = listener
    }

    mutating func detach(_ session: SessionID) {
        clients[session]?.listener = nil
        clients[session]?.token = nil
        clients[session]?.range = nil
    }

    func isAttached(_ session: SessionID) -> Bool { clients[session]?.listener != nil }
    func hasMore(_ session: SessionID) -> Bool { clients[session]?.listener?.isEmpty == false }

    /// Takes the next signal out for a client; returns a range that is to be read before.
    mutating func next(for session: SessionID, _ ledger: Ledger) -> EventQueue.Range? {
        guard var listener = clients[session]?.listener, let item = listener.next() else { return nil }
        clients[session]?.listener = listener
        switch item {
        case .range(let range):
            clients[session]?.range = range
            return range
        case .signal(.event(let event)):
            if let number = event.number { take([event.id], through: number, session, ledger) }
        case .signal(.batch(let batch)): take(batch.ids, through: batch.through, session, ledger)
        case .signal: break
        }
        return nil
    }

    mutating func fill(_ session: SessionID, _ range: EventQueue.Range, with page: EventPage) {
        guard clients[session]?.range == range else { return }
        clients[session]?.range = nil
        clients[session]?.listener?.fill(range, with: page)
    }

    /// A client takes durable events: the next ones of its session, and no others.
    private mutating func take(
        _ ids: [TransferID], through last: Int64, _ session: SessionID, _ ledger: Ledger
    ) {
        let seen = seen(by: session)
        let next = ledger.events(after: seen, of: session, limit: ids.count)
        if next.map(\.id) != ids || next.last?.number != last {
            fault = fault ?? "\(session) is told \(ids) up to \(last), and has taken all up to \(seen)"
        }
        clients[session]?.seen = last
    }
}
