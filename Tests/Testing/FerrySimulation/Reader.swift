import FerryCore
import Foundation

@testable import FerryQueue
@testable import FerryService

/// A client that reads the events of a session, and what it has read.
final class Reader: @unchecked Sendable {  // SAFETY: Used on the scheduler's thread only.
    let session: Int
    /// Number of the last durable event that it has read, or `nil` if it may begin anywhere.
    var last: Int64?
    /// The app's process, or `nil` for a listener without one.
    let process: Int32?
    let isSlow: Bool
    var task: Task<Void, Never>?

    init(session: Int, after last: Int64?, process: Int32?, isSlow: Bool) {
        self.session = session
        self.last = last
        self.process = process
        self.isSlow = isSlow
    }
}

/// Clients that read events.
extension World {
    /// Follows a session's events from the last one that its client has.
    func listen(_ session: Int, isSlow: Bool) -> Bool {
        guard let service, readers[session] == nil else { return false }
        let reader = Reader(session: session, after: inboxes[session].seen, process: nil, isSlow: isSlow)
        var subscription = EventSubscription()
        subscription.session = Self.sessions[session]
        subscription.after = inboxes[session].seen
        let asked = subscription
        read(reader) {
            for try await event in try await service.events(asked) {
                if let number = event.number { self.took([event.id], through: number, reader) }
                await self.linger(reader)
            }
        }
        return true
    }

    /// Attaches a process to a session.
    ///
    /// - Parameter launched: The process, if the service has launched it.
    func attach(_ session: Int, isSlow: Bool, launched: Int32? = nil) -> Bool {
        guard session > 0, let service, readers[session] == nil, !isEnding else { return false }
        let process = launched ?? machine.startApp()
        let parts = Self.sessions[session].description.split { $0 == "/" || $0 == ":" }
        let attachment = SessionAttachment(
            application: String(parts[0]), identifier: String(parts[1]), process: process,
            isBackgroundLaunched: launched != nil, sendsLaunchEvents: true, connectionsPerHost: nil,
            isManager: session == 2)
        let id = Self.sessions[session]
        // A manager gets the events again that it has not acknowledged. Others get later ones.
        let reader = Reader(
            session: session, after: session == 2 ? nil : .max, process: process, isSlow: isSlow)
        read(reader) {
            for try await signal in try await service.attach(id, attachment) {
                switch signal {
                case .event(let event):
                    if let number = event.number { self.took([event.id], through: number, reader) }
                case .batch(let batch): self.took(batch.ids, through: batch.through, reader)
                case .attached, .held, .idle: break
                }
                await self.linger(reader)
            }
        }
        return true
    }

    private func read(_ reader: Reader, _ body: @escaping @Sendable () async throws -> Void) {
        let (life, process) = (life, process)
        readers[reader.session] = reader
        reader.task = Task { @Sendable in
            try? await body()
            guard life == self.life, self.readers[reader.session] === reader else { return }
            self.readers[reader.session] = nil
            if let app = reader.process { process.appEnded(app) }
        }
    }

    private func linger(_ reader: Reader) async {
        guard reader.isSlow else { return }
        try? await process.sleep(until: process.now + .milliseconds(1 + scheduler.numbers.below(9000)))
    }

    /// Ends the reader of a session. Its process ends a little later.
    func leave(_ session: Int) -> Bool {
        guard let reader = readers.removeValue(forKey: session) else { return false }
        reader.task?.cancel()
        if let app = reader.process {
            let process = process
            scheduler.event { process.appEnded(app) }
        }
        return true
    }

    func acknowledge(_ session: Int) -> Bool {
        guard let service, inboxes[session].seen > 0, !isEnding else { return false }
        let (id, number, life) = (Self.sessions[session], inboxes[session].seen, life)
        ledger.called([])
        inboxes[session].acknowledged = max(inboxes[session].acknowledged, number)
        task {
            try? await service.acknowledge(id, through: number)
            if life == self.life { self.ledger.answered([], [:]) }
        }
        return true
    }

    /// A reader gets durable events: the next ones of its session, and no others.
    private func took(_ ids: [TransferID], through number: Int64, _ reader: Reader) {
        guard readers[reader.session] === reader, !process.isDead else { return }
        scheduler.note("\(reader.session) took \(number)")
        let session = Self.sessions[reader.session]
        let isFirst = reader.last == nil || reader.last == .max
        if isFirst {
            // The events before the first one.
            let all = ledger.events(after: 0, of: session, limit: .max)
            guard let end = all.firstIndex(where: { $0.number == number }), end - all.startIndex + 1 >= ids.count else {
                return require(false, "\(session) is told \(ids) up to \(number), which are unknown")
            }
            let before = all[..<(end - ids.count + 1)].last?.number ?? 0
            require(
                reader.last == .max || before <= inboxes[reader.session].acknowledged,
                "\(session) is first told \(number), and event \(before) was not acknowledged")
            reader.last = before
        }
        let next = ledger.events(after: reader.last ?? 0, of: session, limit: ids.count)
        require(
            next.map(\.id) == ids && next.last?.number == number,
            "\(session) is told \(ids) up to \(number), and has all up to \(reader.last ?? 0)")
        reader.last = number
        if reader.process == nil || reader.session == 2 { inboxes[reader.session].seen = number }
    }

    // MARK: Launches

    /// The service launches an app, which takes the events of its session a little later.
    func launched(_ program: ProgramStart) -> Int32 {
        let app = machine.startApp()
        let name = program.environment["FERRY_BACKGROUND_SESSION"] ?? ""
        scheduler.note("launch \(name)")
        let session = Self.sessions.firstIndex { $0.description.hasSuffix(name) } ?? 1
        let process = process
        scheduler.timer(after: Int64(1 + scheduler.numbers.below(3000)) * 1_000_000) { [weak self] in
            guard let self, process === self.process, !process.isDead else { return }
            // Some apps end without having taken their events.
            if scheduler.numbers.once(in: 3) || !attach(session, isSlow: false, launched: app) {
                return process.appEnded(app)
            }
            scheduler.timer(after: Int64(1 + scheduler.numbers.below(5000)) * 1_000_000) { [weak self] in
                guard let self, process === self.process, readers[session]?.process == app else { return }
                _ = leave(session)
            }
        }
        return app
    }
}
