import FerryCore
import ServiceLifecycle

/// Keeps the line up to date that a service manager shows of the daemon; without a manager it only waits for the end.
struct StatusLine: Service {
    let service: any HostedService
    let manager: ServiceManager

    /// Time between two lines, where transfers start and end all the time.
    private static let interval = Duration.seconds(1)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            guard manager.isThere, let events = try? await service.eventGroups(EventSubscription()) else { return }
            await follow(events)
        }
        // A part that returned before would end the daemon.
        try? await gracefulShutdown()
    }

    /// What happens while a line waits for its time is in that line: the stream keeps it.
    private func follow(_ events: any AsyncSequence<[TransferEvent], any Error> & Sendable) async {
        await tell()
        do {
            for try await _ in events {
                try await Task.sleep(for: Self.interval)
                await tell()
            }
        } catch {
            // The daemon ends, and takes the stream with it.
            return
        }
    }

    private func tell() async {
        guard let status = try? await service.status() else { return }
        manager.tell(Self.text(status))
    }

    /// As in `2 running, 5 waiting`.
    static func text(_ status: ServiceStatus) -> String {
        let open = TransferState.known.filter { !$0.isEnded }.compactMap { state in
            status.transfers[state.rawValue].flatMap { $0 > 0 ? "\($0) \(state.word)" : nil }
        }
        return open.isEmpty ? "Nothing to do" : open.joined(separator: ", ")
    }
}
