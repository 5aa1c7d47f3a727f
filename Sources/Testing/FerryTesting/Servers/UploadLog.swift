import NIOCore
import NIOHTTP1
import Synchronization

/// The state of an upload server, shared by its connections.
final class UploadLog: Sendable {
    /// The server's state of one upload.
    struct Kept: Sendable {
        /// Path of the first request.
        var path: String
        var content = ByteBuffer()
        var isComplete = false
        /// The connection that continues the upload. Bytes of an earlier one may still arrive.
        var owner: ObjectIdentifier
    }

    private struct State {
        var behaviour: UploadBehaviour
        var requests: [UploadedRequest] = []
        var uploads: [String: Kept] = [:]
        var completed: [String: ByteBuffer] = [:]
        var channels: [ObjectIdentifier: any Channel] = [:]
        var bytes: Int64 = 0
    }

    private let state: Mutex<State>

    init(_ behaviour: UploadBehaviour) { state = Mutex(State(behaviour: behaviour)) }

    var requests: [UploadedRequest] { state.withLock(\.requests) }
    var completed: [String: ByteBuffer] { state.withLock(\.completed) }
    var contents: [ByteBuffer] { state.withLock { $0.uploads.values.map(\.content) } }
    var bytesReceived: Int64 { state.withLock(\.bytes) }
    var behaviour: UploadBehaviour { state.withLock(\.behaviour) }

    func change(_ change: (inout UploadBehaviour) -> Void) { state.withLock { change(&$0.behaviour) } }

    func opened(_ channel: any Channel) {
        state.withLock { $0.channels[ObjectIdentifier(channel)] = channel }
        channel.closeFuture.whenComplete { [weak self] _ in
            self?.state.withLock { $0.channels[ObjectIdentifier(channel)] = nil }
        }
    }

    func endConnections() async {
        for channel in state.withLock({ Array($0.channels.values) }) { try? await channel.close() }
    }

    /// Records a request.
    ///
    /// - Returns: The request's number, from 1, and its fault.
    func began(_ head: HTTPRequestHead) -> (number: Int, fault: UploadBehaviour.Fault?) {
        state.withLock { state in
            state.requests.append(
                UploadedRequest(method: head.method.rawValue, path: head.uri, fields: head.headers))
            let number = state.requests.count
            return (number, state.behaviour.faults[number] ?? state.behaviour.always)
        }
    }

    /// Appends the content of a request to its upload.
    ///
    /// - Returns: False, without a change, if another connection continues the upload.
    func received(_ part: ByteBuffer, of number: Int, to name: String, by owner: ObjectIdentifier) -> Bool {
        state.withLock { state in
            if let kept = state.uploads[name], kept.owner != owner { return false }
            state.requests[number - 1].count += Int64(part.readableBytes)
            state.bytes += Int64(part.readableBytes)
            guard var kept = state.uploads.removeValue(forKey: name) else { return true }
            kept.content.writeImmutableBuffer(part)
            state.uploads[name] = kept
            return true
        }
    }

    /// Creates an upload and returns its name.
    func create(_ path: String, owner: ObjectIdentifier) -> String {
        state.withLock { state in
            let name = "\(state.uploads.count + 1)"
            state.uploads[name] = Kept(path: path, owner: owner)
            return name
        }
    }

    /// Returns an upload that a connection continues from now on. An offset must not change after it was sent.
    func take(_ name: String, by owner: ObjectIdentifier) -> Kept? {
        state.withLock { state in
            state.uploads[name]?.owner = owner
            return state.uploads[name]
        }
    }

    func upload(_ name: String) -> Kept? { state.withLock { $0.uploads[name] } }

    func change(_ name: String, _ change: (inout Kept) -> Void) {
        state.withLock { state in
            guard var kept = state.uploads.removeValue(forKey: name) else { return }
            change(&kept)
            state.uploads[name] = kept
        }
    }

    func remove(_ name: String) { state.withLock { $0.uploads[name] = nil } }

    /// Marks an upload as complete.
    func complete(_ name: String) {
        state.withLock { state in
            guard var kept = state.uploads.removeValue(forKey: name) else { return }
            kept.isComplete = true
            state.completed[kept.path] = kept.content
            state.uploads[name] = kept
        }
    }
}
