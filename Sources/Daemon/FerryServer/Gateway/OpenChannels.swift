import NIOCore
import Synchronization

/// The open connections of the gateway. Revoking a key closes them.
final class OpenChannels: Sendable {
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

    /// Tracks a connection until it ends.
    func add(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        channels.withLock { $0[id] = channel }
        channel.closeFuture.whenComplete { [weak self] _ in self?.remove(id) }
    }

    private func remove(_ id: ObjectIdentifier) { channels.withLock { _ = $0.removeValue(forKey: id) } }

    func closeAll() {
        for channel in channels.withLock({ Array($0.values) }) { channel.close(promise: nil) }
    }
}
