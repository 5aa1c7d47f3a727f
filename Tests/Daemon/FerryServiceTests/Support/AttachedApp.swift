import FerryCore
import FerryTesting
import Foundation
import Synchronization

/// A process with an open session, as seen by a service.
final class AttachedApp: Sendable {
    private let seen = Mutex<[SessionSignal]>([])
    private let reading: Mutex<Task<Void, Never>?>

    private init() { reading = Mutex(nil) }

    /// Attaches a process and reads its signals.
    static func attach(_ attachment: SessionAttachment, to service: any SessionService) async throws -> AttachedApp {
        let app = AttachedApp()
        let signals = try await service.attach(attachment.session(), attachment)
        let (first, continuation) = AsyncStream<Void>.makeStream()
        let task = Task {
            do {
                for try await signal in signals {
                    app.seen.withLock { $0.append(signal) }
                    if case .held = signal { continue }
                    continuation.yield()
                }
            } catch {}
            continuation.finish()
        }
        app.reading.withLock { $0 = task }
        for await _ in first { break }
        return app
    }

    var attached: SessionSignal.Attached? {
        seen.withLock { signals in
            signals.compactMap { if case .attached(let attached) = $0 { attached } else { nil } }.first
        }
    }

    /// The last task number reported while another process had the session, or `nil` if none had it.
    var lastTaskWhileHeld: Int? {
        seen.withLock { signals in
            if case .held(let number) = signals.first { number } else { nil }
        }
    }

    /// Kinds of the received events, without samples.
    var kinds: [TransferEvent.Kind] {
        seen.withLock { signals in
            signals.compactMap { signal in
                if case .event(let event) = signal, event.kind != .progress { event.kind } else { nil }
            }
        }
    }

    /// All received signals, without samples.
    var signals: [SessionSignal] {
        seen.withLock { signals in
            signals.filter { signal in
                if case .event(let event) = signal { event.kind != .progress } else { true }
            }
        }
    }

    /// Number of the last received durable event, full or brief.
    var through: Int64 {
        seen.withLock { signals in
            signals.compactMap { signal in
                switch signal {
                case .event(let event): event.number
                case .batch(let batch): batch.through
                case .attached, .held, .idle: nil
                }
            }.last ?? 0
        }
    }

    /// Returns the transfers in brief events of a kind, in order.
    func told(_ kind: TransferEvent.Kind) -> [TransferID] {
        seen.withLock { signals in
            signals.flatMap { signal -> [TransferID] in
                if case .batch(let batch) = signal, batch.kind == kind { batch.ids } else { [] }
            }
        }
    }

    /// Closes the connection, as the end of the process would.
    func leave() async {
        let task = reading.withLock { $0 }
        task?.cancel()
        await task?.value
    }
}

/// A listening run loop.
final class ListeningApp: Sendable {
    private let seen = Mutex<[ApplicationSignal]>([])
    private let reading: Mutex<Task<Void, Never>?>

    private init() { reading = Mutex(nil) }

    static func connect(_ connection: ApplicationConnection, to service: any SessionService) async throws
        -> ListeningApp
    {
        let app = ListeningApp()
        let signals = try await service.connect(connection)
        let task = Task {
            do {
                for try await signal in signals { app.seen.withLock { $0.append(signal) } }
            } catch {}
        }
        app.reading.withLock { $0 = task }
        try await eventually("the connection is answered") { app.signals.first == .connected }
        return app
    }

    var signals: [ApplicationSignal] { seen.withLock { $0 } }

    func leave() async {
        let task = reading.withLock { $0 }
        task?.cancel()
        await task?.value
    }
}
