// Ferry: FerryClientTests
// A daemon's socket that does as the test says.

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
    }

    let path: String
    private let listener: CInt
    private let lines = Mutex<[String]>([])

    /// The first lines of the requests that were read.
    var requests: [String] { lines.withLock { $0 } }

    init(_ steps: [Step]) {
        path = "/tmp/fs-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        _ = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listener, address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        listen(listener, 8)
        Thread { [self] in for step in steps where !perform(step) { return } }.start()
    }

    /// Call it once, last.
    func stop() {
        shutdown(listener, CInt(SHUT_RDWR))
        close(listener)
        unsafe unlink(path)
    }

    private func perform(_ step: Step) -> Bool {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return false }
        defer { close(connection) }
        switch step {
        case .hangUp:
            var entry = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
            unsafe poll(&entry, 1, -1)
        case .swallow: read(connection)
        case .answer(let answer):
            read(connection)
            _ = unsafe send(connection, answer, answer.utf8.count, CInt(MSG_NOSIGNAL))
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
