import Foundation
import Glibc
import Synchronization

/// A socket that treats one connection after the other as the test says, and notes what was asked.
final class ScriptedSocket: Sendable {
    enum Step: Sendable {
        /// Closes the connection with the request unread.
        case hangUp
        /// Reads the request and closes the connection.
        case swallow
        /// Reads the request, answers and closes the connection.
        case answer(String)
        /// Reads the request, answers with bytes that may be no text, and closes the connection.
        case bytes([UInt8])
        /// Reads the request and keeps the connection open without a word.
        case hold
        /// Answers the connection that was kept open first and closes it.
        case release(String)
    }

    let path: String
    private let listener: CInt
    /// Whether the thread or the test has let go of the listener.
    private let isUnused = Mutex(false)
    private let held = Mutex<[CInt]>([])
    private let lines = Mutex<[String]>([])

    /// The first lines of the requests that were read.
    var requests: [String] { lines.withLock { $0 } }

    convenience init(_ steps: [Step], at path: String? = nil) {
        let left = Mutex(steps[...])
        self.init(at: path) { left.withLock { $0.popFirst() } }
    }

    /// - Parameter next: The next step; nil is the end.
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

    /// Call it once, last.
    func stop() {
        shutdown(listener, CInt(SHUT_RDWR))
        letGo()
        for connection in held.withLock({ $0 }) { close(connection) }
        unsafe unlink(path)
    }

    /// Closes the listener once neither the thread nor the test uses it.
    ///
    /// Closed earlier, its number could be that of another test's socket, from which the thread would take connections.
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
