import FerryCore

/// Subscribes to the service's events once, and sends the resulting notifications to every authorized connection.
///
/// The subscription lasts while there is a connection. A connection's stream finishes when it has ``mostWaiting``
/// undelivered notifications and another one arrives.
actor NotificationHub {
    /// Maximum number of undelivered notifications of a connection.
    static let mostWaiting = 256

    private let downloads: DownloadFinder
    private var connections: [Int: AsyncStream<[UInt8]>.Continuation] = [:]
    private var lastConnection = 0
    private var following: Task<Void, Never>?
    /// Client-chosen gids of recent transfers. A later event may arrive after its transfer was removed.
    private var chosen = BoundedMap<TransferID, String>(most: 1000)

    init(_ downloads: DownloadFinder) { self.downloads = downloads }

    /// Returns a stream of notifications as JSON, starting with the next one.
    func connect() async throws(ServiceError) -> AsyncStream<[UInt8]> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: [UInt8].self, bufferingPolicy: .bufferingOldest(Self.mostWaiting))
        lastConnection += 1
        let connection = lastConnection
        connections[connection] = continuation
        continuation.onTermination = { [weak self] _ in Task { await self?.leave(connection) } }
        do throws(ServiceError) { try await follow() } catch {
            leave(connection)
            throw error
        }
        return stream
    }

    private func leave(_ connection: Int) {
        connections.removeValue(forKey: connection)?.finish()
        guard connections.isEmpty else { return }
        following?.cancel()
        following = nil
    }

    // MARK: Events

    private func follow() async throws(ServiceError) {
        guard following == nil else { return }
        let service = downloads.configuration.service
        var subscription = EventSubscription()
        subscription.session = downloads.listed
        let groups = try await service.eventGroups(subscription)
        // Transfers that run or wait for their next attempt started before this connection, so no start is sent for
        // them.
        var rule = NotificationRule()
        for transfer in (try? await downloads.active()) ?? [] { rule.noteStart(of: transfer.id) }
        // Another connection may have subscribed during the calls above.
        guard following == nil, !connections.isEmpty else { return }
        following = Task(name: "notifications of aria2") { [rule] in
            var rule = rule
            do {
                try await self.pass(groups, &rule)
            } catch {
                // Without events there are no notifications, so the connections are closed below.
            }
            self.end()
        }
    }

    /// Sends the notifications of events until these end.
    private func pass(
        _ groups: some AsyncSequence<[TransferEvent], any Error>, _ rule: inout NotificationRule
    ) async throws {
        for try await group in groups {
            for event in group {
                let kinds = rule.kinds(of: event)
                guard !kinds.isEmpty else { continue }
                let gid = await gid(of: event)
                // The last connection may have closed during the call to the service.
                guard !Task.isCancelled else { return }
                for kind in kinds { send(RPCNotification(kind: kind, gid: gid)) }
            }
        }
    }

    private func send(_ notification: RPCNotification) {
        let bytes = notification.json
        for (connection, continuation) in connections {
            guard case .dropped = continuation.yield(bytes) else { continue }
            leave(connection)
        }
    }

    private func end() {
        guard !Task.isCancelled else { return }
        following = nil
        for connection in connections.keys { leave(connection) }
    }

    /// Returns the gid of an event's transfer. Queries the service if the event does not carry the transfer.
    private func gid(of event: TransferEvent) async -> String {
        var transfer = event.transfer
        if transfer == nil, let gid = chosen[event.id] { return gid }
        if transfer == nil { transfer = try? await downloads.configuration.service.transfer(event.id) }
        guard let gid = transfer.map({ Download($0) })?.note?.gid else { return event.id.description }
        chosen[event.id] = gid
        return gid
    }
}
