import Foundation
import Glibc
import Synchronization

/// A socket that handles one connection after the other by script, and records the requests.
final class ScriptedSocket: Sendable {
    enum Step: Sendable {
        /// Closes the connection without reading the request.
        case hangUp
        /// Reads the request and closes the connection.
        case swallow
        /// Reads the request, responds and closes the connection.
        case answer(String)
        /// Reads the request, responds with any bytes, and closes the connection.
        case bytes([UInt8])
        /// Reads the request and keeps the connection open without responding.
        case hold
        /// First responds on the connection that was kept open, and closes it.
        case release(String)
    }

    let path: String
    private let listener: CInt
    /// Whether either the thread or the test no longer uses the listener.
    private let isUnused = Mutex(false)
    private let held = Mutex<[CInt]>([])
    private let lines = Mutex<[String]>([])

    /// The request lines that were read.
    var requests: [String] { lines.withLock { $0 } }

    convenience init(_ steps: [Step], at path: String? = nil) {
        let left = Mutex(steps[...])
        self.init(at: path) { left.withLock { $0.popFirst() } }
    }

    /// - Parameter next: Returns the next step, or `nil` at the end.
    init(at path: String? = nil, next: @escaping @Sendable () -> Step?) {
        self.path = path ?? "/tmp/fs-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: self.path.utf8) }
        _ = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listener, address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        _ = unsafe chmod(self.path, 0o600)
        listen(listener, 8)
        Thread { [self] in
            while let step = next(), perform(step) {}
            letGo()
        }.start()
    }

    /// Stops the socket. Call once, last.
    func stop() {
        shutdown(listener, CInt(SHUT_RDWR))
        letGo()
        for connection in held.withLock({ $0 }) { close(connection) }
        unsafe unlink(path)
    }

    /// Closes the listener once neither the thread nor the test uses it.
    ///
    /// If it were closed earlier, another test's socket could get its descriptor number, and the thread would accept
    /// that socket's connections.
    private func letGo() {
        let isLast = isUnused.withLock { isUnused in
            defer { isUnused = true }
            return isUnused
        }
        if isLast { close(listener) }
    }

    private func perform(_ step: Step) -> Bool {
        if case .release(let answer) = step {
            let connection = held.withLock { $0.isEmpty ? -1 : $0.removeFirst() }
            _ = unsafe send(connection, answer, answer.utf8.count, CInt(MSG_NOSIGNAL))
            close(connection)
            return true
        }
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return false }
        if case .hold = step {
            read(connection)
            held.withLock { $0.append(connection) }
            return true
        }
        defer { close(connection) }
        switch step {
        case .hold, .release: break
        case .hangUp:
            var entry = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
            unsafe poll(&entry, 1, -1)
        case .swallow: read(connection)
        case .answer(let answer):
            read(connection)
            _ = unsafe send(connection, answer, answer.utf8.count, CInt(MSG_NOSIGNAL))
        case .bytes(let answer):
            read(connection)
            _ = unsafe send(connection, answer, answer.count, CInt(MSG_NOSIGNAL))
        }
        return true
    }

    private func read(_ connection: CInt) {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while !isWhole(text) {
            let count = unsafe recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
        lines.withLock { $0.append(String(text.prefix { $0 != "\r\n" })) }
    }

    private func isWhole(_ text: String) -> Bool {
        guard let end = text.range(of: "\r\n\r\n") else { return false }
        let length = text.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }
            .flatMap { Int($0.dropFirst("Content-Length: ".count)) }
        return text[end.upperBound...].utf8.count >= length ?? 0
    }
}
