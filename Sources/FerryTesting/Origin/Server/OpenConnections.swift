// Ferry: FerryTesting
// The open connections of an origin, so that they can be ended.

import NIOCore
import Synchronization

/// The channels of an origin's open connections.
final class OpenConnections: Sendable {
    private struct State: Sendable {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Takes a new connection in; returns false after `closeAll()`, when the connection is to end at once.
    func add(_ channel: any Channel) -> Bool {
        state.withLock { state in
            if !state.isClosed { state.channels[ObjectIdentifier(channel)] = channel }
            return !state.isClosed
        }
    }

    func remove(_ channel: any Channel) {
        state.withLock { $0.channels[ObjectIdentifier(channel)] = nil }
    }

    /// Ends the connections on which no answer is under way.
    func closeIdle() {
        for channel in state.withLock({ Array($0.channels.values) }) {
            channel.eventLoop.execute {
                let pipeline = channel.pipeline.syncOperations
                guard let handler = try? pipeline.handler(type: OriginHandler.self), handler.isIdle else { return }
                channel.close(promise: nil)
            }
        }
    }

    /// Ends all connections, those under TLS without ceremony, and those to come.
    func closeAll() {
        let channels = state.withLock { state in
            state.isClosed = true
            return Array(state.channels.values)
        }
        for channel in channels {
            channel.eventLoop.execute {
                if let raw = try? channel.pipeline.syncOperations.handler(type: RawConnection.self) {
                    raw.close()
                } else {
                    channel.close(promise: nil)
                }
            }
        }
    }
}
