import FerryAPI
import FerryCore
import FerrySystem
import ServiceLifecycle

/// Updates the daemon's status line in the service manager. Without a manager it only waits for the shutdown.
struct StatusLine: Service {
    let service: any HostedService
    let manager: ServiceManager

    /// Minimum time between two updates.
    private static let interval = Duration.seconds(1)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            guard manager.isThere, let events = try? await service.eventGroups(EventSubscription()) else { return }
            await follow(events)
        }
        // Returning earlier would end the daemon.
        try? await gracefulShutdown()
    }

    /// Updates the line after events. The stream buffers events during the pause, so the next line includes them.
    private func follow(_ events: any AsyncSequence<[TransferEvent], any Error> & Sendable) async {
        await notify()
        do {
            for try await _ in events {
                try await Task.sleep(for: Self.interval)
                await notify()
            }
        } catch {
            // The daemon is ending and has closed the stream.
            return
        }
    }

    private func notify() async {
        guard let status = try? await service.status() else { return }
        manager.notify(Self.text(status))
    }

    /// Returns a line such as `2 running, 5 waiting`.
    static func text(_ status: ServiceStatus) -> String {
        let open = TransferState.known.filter { !$0.isEnded }.compactMap { state in
            status.transfers[state.rawValue].flatMap { $0 > 0 ? "\($0) \(state.word)" : nil }
        }
        return open.isEmpty ? "Nothing to do" : open.joined(separator: ", ")
    }
}
