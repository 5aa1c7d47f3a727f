import Dispatch
import FerryAPI
import FerryCore
import FerrySystem
import Glibc
import NIOCore
import Synchronization

/// A connection to the daemon's socket. Waits without blocking a thread. Supports one reader and one writer at a time.
final class DaemonSocket: Sendable {
    private struct State {
        var isEnded = false
        var wasCut = false
        var reason: ConnectionFailure?
        var reader: CheckedContinuation<Void, Never>?
        /// Suspended unless `reader` is waiting.
        let source: any DispatchSourceRead
        var isWatching = false

        init(_ source: sending any DispatchSourceRead) { self.source = source }
    }

    private let descriptor: CInt
    private let state: Mutex<State>
    /// The daemon's process id, 0 if it is not visible from this process.
    let peer: pid_t

    /// - Throws: `noListener` if there is no socket or no daemon that accepts its connections, `refused` if another
    ///   user created the socket, could replace it, or listens on it.
    init(path: String) throws(ConnectionFailure) {
        (descriptor, peer) = try Self.connect(path)
        state = Mutex(State(DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())))
        let closing: @Sendable () -> Void = { [descriptor] in close(descriptor) }
        let reading: @Sendable () -> Void = { [weak self] in self?.becameReadable() }
        state.withLock { state in
            state.source.setCancelHandler(handler: closing)
            state.source.setEventHandler(handler: reading)
        }
    }

    deinit { end() }

    /// Whether the daemon has closed an idle connection, or sent data without a request.
    var isStale: Bool {
        var byte: UInt8 = 0
        return unsafe recv(descriptor, &byte, 1, Self.peek) >= 0 || errno != EAGAIN
    }

    /// Whether the daemon closed the connection before reading everything that was sent.
    var wasCut: Bool { state.withLock { $0.wasCut } }

    /// Ends the connection. The waiting reader and every later call get the reason.
    func end(_ reason: ConnectionFailure = .canceled) {
        let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.isEnded else { return nil }
            state.isEnded = true
            state.reason = reason
            Glibc.shutdown(descriptor, CInt(SHUT_RDWR))
            // A suspended source does not run its cancel handler.
            if !state.isWatching { state.source.resume() }
            state.source.cancel()
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume()
    }

    // MARK: Reading

    /// Returns the next bytes, or `nil` when the daemon has closed the connection.
    func read() async throws(ConnectionFailure) -> ByteBuffer? {
        while true {
            switch try receive() {
            case .bytes(let bytes): return bytes
            case .end: return nil
            case .nothing:
                await withTaskCancellationHandler {
                    await untilReadable()
                } onCancel: {
                    end(.canceled)
                }
            }
        }
    }

    private enum Received {
        case bytes(ByteBuffer)
        case nothing, end
    }

    /// Returns the bytes that have arrived.
    private func receive() throws(ConnectionFailure) -> Received {
        var buffer = ByteBuffer()
        var count = -1
        // Under the lock, so that the descriptor is not closed and reused for another file meanwhile.
        let code = try state.withLock { (state) throws(ConnectionFailure) -> CInt in
            if let reason = state.reason { throw reason }
            unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: 16 << 10) { bytes in
                count = unsafe recv(descriptor, bytes.baseAddress, bytes.count, 0)
                return max(0, count)
            }
            return errno
        }
        if count > 0 { return .bytes(buffer) }
        if count == 0 { return .end }
        switch code {
        case EAGAIN, EINTR: return .nothing
        // The system reports this error if the other end was closed with unread data.
        case ECONNRESET: throw .unread(unsafe String(cString: strerror(code)))
        default: throw .lost(unsafe String(cString: strerror(code)))
        }
    }

    private func untilReadable() async {
        await withCheckedContinuation { continuation in
            let isEnded = state.withLock { state in
                guard !state.isEnded else { return true }
                state.reader = continuation
                state.isWatching = true
                state.source.resume()
                return false
            }
            if isEnded { continuation.resume() }
        }
    }

    private func becameReadable() {
        let reader = state.withLock { state in
            guard !state.isEnded, state.isWatching else { return nil as CheckedContinuation<Void, Never>? }
            state.source.suspend()
            state.isWatching = false
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume()
    }

    // MARK: Writing

    /// Sends all bytes. If the daemon closes the connection before reading all of them, no error is thrown: its
    /// response gives the reason.
    func write(_ bytes: ByteBuffer) async throws(ConnectionFailure) {
        var bytes = bytes
        while bytes.readableBytes > 0 {
            let code = try send(&bytes)
            switch code {
            case 0, EINTR: continue
            case EAGAIN: await untilWritable()
            case EPIPE, ECONNRESET: return state.withLock { $0.wasCut = true }
            default: throw .lost(unsafe String(cString: strerror(code)))
            }
        }
    }

    /// Sends as many bytes as the socket accepts. Returns 0 or an error number.
    private func send(_ bytes: inout ByteBuffer) throws(ConnectionFailure) -> CInt {
        let (count, code) = try state.withLock { (state) throws(ConnectionFailure) -> (Int, CInt) in
            if let reason = state.reason { throw reason }
            let count = unsafe bytes.withUnsafeReadableBytes { part in
                unsafe Glibc.send(descriptor, part.baseAddress, part.count, Self.noSignal)
            }
            return (count, errno)
        }
        guard count >= 0 else { return code }
        bytes.moveReaderIndex(forwardBy: count)
        return 0
    }

    /// Waits for buffer space, needed only for the largest bodies. Returns after 100 ms at the latest, so that the
    /// caller notices an ended connection.
    private func untilWritable() async {
        let descriptor = descriptor
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                unsafe poll(&entry, 1, 100)
                continuation.resume()
            }
        }
        if Task.isCancelled { end(.canceled) }
    }

    // MARK: Connecting

    private static let peek = CInt(MSG_PEEK)
    private static let noSignal = CInt(MSG_NOSIGNAL)
    // EAGAIN: the accept queue is full. The daemon may be stuck or about to end.
    private static let noListener: Set<CInt> = [ENOENT, ECONNREFUSED, ENOTDIR, EACCES, EAGAIN]

    private static func connect(_ path: String) throws(ConnectionFailure) -> (descriptor: CInt, peer: pid_t) {
        let trust = PathTrust(user: geteuid(), in: .own)
        try judge(path, trust)
        let descriptor = try openStream(path)
        // The process that created the socket may have passed it on. The listening process is the one to check.
        guard let peer = PeerProcess(of: descriptor) else {
            close(descriptor)
            throw .lost("the system does not say who listens on \(path.escapingControls)")
        }
        if let refusal = trust.refusal(ofListener: peer.user, at: path) {
            close(descriptor)
            throw .refused(refusal)
        }
        return (descriptor, peer.pid)
    }

    /// Checks the socket and all folders above it.
    private static func judge(_ path: String, _ trust: PathTrust) throws(ConnectionFailure) {
        let way = PathWay(to: path)
        guard way.errorNumber == 0 else {
            if let refusal = trust.refusal(ofWay: way.parts) { throw .refused(refusal) }
            let reason = unsafe "\(path.escapingControls): \(String(cString: strerror(way.errorNumber)))"
            throw noListener.contains(way.errorNumber) ? .noListener(reason) : .lost(reason)
        }
        if let refusal = trust.refusal(of: way.parts, endingIn: .socket) { throw .refused(refusal) }
    }

    private static func openStream(_ path: String) throws(ConnectionFailure) -> CInt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw .noListener("\(path.escapingControls): \(unsafe String(cString: strerror(ENAMETOOLONG)))")
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw .lost(unsafe String(cString: strerror(errno))) }
        let result = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe Glibc.connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            let code = errno
            close(descriptor)
            let reason = unsafe String(cString: strerror(code))
            throw noListener.contains(code) ? .noListener("\(path.escapingControls): \(reason)") : .lost(reason)
        }
        return descriptor
    }
}
