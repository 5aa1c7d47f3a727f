import FerryCore

/// Follows the service's events once, and sends every connection that has given the secret the notifications that follow from
/// them.
///
/// Follows the events while there is a connection. The sequence of a connection ends when it has not taken ``mostWaiting`` of
/// its notifications.
actor NotificationHub {
    /// Notifications that wait for one connection.
    static let mostWaiting = 256

    private let downloads: DownloadFinder
    private var connections: [Int: AsyncStream<[UInt8]>.Continuation] = [:]
    private var lastConnection = 0
    private var following: Task<Void, Never>?
    /// Gids that clients have chosen, of transfers that events told of: a later event may come after the transfer is gone.
    private var chosen = BoundedMap<TransferID, String>(most: 1000)

    init(_ downloads: DownloadFinder) { self.downloads = downloads }

    /// The notifications from here on, as JSON.
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
        let events = try await service.events(subscription)
        // A transfer that runs, or waits for its next attempt, started before this connection came.
        var rule = NotificationRule()
        for transfer in (try? await downloads.active()) ?? [] { rule.noteStart(of: transfer.id) }
        // Another connection has begun to follow meanwhile.
        guard following == nil, !connections.isEmpty else { return }
        following = Task(name: "notifications of aria2") { [rule] in
            var rule = rule
            do {
                for try await event in events {
                    let kinds = rule.kinds(of: event)
                    guard !kinds.isEmpty else { continue }
                    let gid = await self.gid(of: event)
                    // The last connection may have left while the service was asked.
                    guard !Task.isCancelled else { return }
                    for kind in kinds { self.send(RPCNotification(kind: kind, gid: gid)) }
                }
            } catch {
                // Without events there are no notifications: the connections end below.
            }
            self.end()
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

    /// The gid of an event's transfer. Most events bring the transfer; otherwise the service is asked for it.
    private func gid(of event: TransferEvent) async -> String {
        var transfer = event.transfer
        if transfer == nil, let gid = chosen[event.id] { return gid }
        if transfer == nil { transfer = try? await downloads.configuration.service.transfer(event.id) }
        guard let gid = transfer.map({ Download($0) })?.note?.gid else { return event.id.description }
        chosen[event.id] = gid
        return gid
    }
}
