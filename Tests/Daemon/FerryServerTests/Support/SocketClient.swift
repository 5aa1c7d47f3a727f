import FerryAPI
import FerryCore
import Foundation

/// A response as received from the socket.
struct RawResponse: Sendable {
    let status: Int
    let headers: [String: String]
    let body: Data

    var text: String { String(decoding: body, as: UTF8.self) }

    func value<Value: Decodable>(_ type: Value.Type) throws -> Value { try APIJSON.decoder.decode(type, from: body) }

    func error() throws -> ServiceError { try value(ErrorBody.self).error }

    func lines<Value: Decodable>(_ type: Value.Type) throws -> [Value] {
        try body.split(separator: UInt8(ascii: "\n")).map { try APIJSON.decoder.decode(type, from: Data($0)) }
    }
}

/// Sends HTTP/1.1 requests over a Unix socket, each on a new connection.
struct SocketClient: Sendable {
    let path: String

    func send(
        _ method: String, _ target: String, type: String? = MediaType.json, _ body: String = ""
    ) async throws -> RawResponse {
        try await send(method, target, type: type, Data(body.utf8))
    }

    func send(_ method: String, _ target: String, type: String?, _ body: Data) async throws -> RawResponse {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        if !body.isEmpty {
            head += "Content-Length: \(body.count)\r\n"
            if let type { head += "Content-Type: \(type)\r\n" }
        }
        let request = Data((head + "\r\n").utf8) + body
        return try await offPool {
            let connection = try Connection(path: path)
            defer { connection.end() }
            connection.write(request)
            return try Self.parse(connection.readAll())
        }
    }

    /// Sends bytes unchanged and reads until the response is complete.
    func exchange(_ request: Data) async throws -> RawResponse {
        try await offPool {
            let connection = try Connection(path: path)
            defer { connection.end() }
            connection.write(request)
            return try connection.readAnswer()
        }
    }

    /// Opens an event stream, reads this number of lines, then disconnects.
    func lines(_ count: Int, of target: String) async throws -> [String] {
        try await offPool {
            let connection = try Connection(path: path)
            defer { connection.end() }
            connection.write(Data("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
            var received = Data()
            while true {
                // The lines of the chunked body that contain values.
                let lines = received.split(separator: UInt8(ascii: "\n"))
                    .filter { $0.first == UInt8(ascii: "{") && $0.last == UInt8(ascii: "}") }
                    .map { String(decoding: $0, as: UTF8.self) }
                if lines.count >= count { return lines }
                let more = connection.read()
                guard !more.isEmpty else { return lines }
                received += more
            }
        }
    }

    /// Opens an event stream and reads it to its end. Calls `first` once its first line has arrived.
    func stream(_ target: String, first: @escaping @Sendable () -> Void) async throws -> RawResponse {
        try await offPool {
            let connection = try Connection(path: path)
            defer { connection.end() }
            connection.write(Data("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
            var received = Data()
            var isFirst = true
            while true {
                let more = connection.read()
                guard !more.isEmpty else { return try Self.parse(received) }
                received += more
                if isFirst, received.range(of: Data("}\n".utf8)) != nil {
                    isFirst = false
                    first()
                }
            }
        }
    }

    fileprivate static func parse(_ bytes: Data) throws -> RawResponse {
        let separator = Data("\r\n\r\n".utf8)
        guard let gap = bytes.range(of: separator) else { throw CocoaError(.fileReadCorruptFile) }
        let lines = String(decoding: bytes[..<gap.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let halves = line.split(separator: ":", maxSplits: 1)
            headers[halves[0].lowercased()] = halves[1].trimmingCharacters(in: .whitespaces)
        }
        var body = Data(bytes[gap.upperBound...])
        if headers["transfer-encoding"] == "chunked" { body = unchunked(body) }
        let status = Int(lines[0].split(separator: " ")[1]) ?? 0
        return RawResponse(status: status, headers: headers, body: body)
    }

    private static func unchunked(_ bytes: Data) -> Data {
        var rest = bytes[...]
        var body = Data()
        while let end = rest.range(of: Data("\r\n".utf8)),
            let size = Int(String(decoding: rest[rest.startIndex..<end.lowerBound], as: UTF8.self), radix: 16), size > 0
        {
            body += rest[end.upperBound..<(end.upperBound + size)]
            rest = rest[(end.upperBound + size + 2)...]
        }
        return body
    }
}

/// A connected stream socket.
struct Connection: Sendable {
    private let descriptor: Int32

    init(descriptor: Int32) { self.descriptor = descriptor }

    init(path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else {
            let number = errno
            close(descriptor)
            throw POSIXError(POSIXErrorCode(rawValue: number) ?? .EIO)
        }
    }

    /// Writes bytes. Stops early if the server has closed its side.
    func write(_ bytes: Data) {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    func read(_ most: Int = 64 << 10) -> Data {
        var room = [UInt8](repeating: 0, count: most)
        let count = unsafe Foundation.recv(descriptor, &room, room.count, 0)
        return Data(room.prefix(max(0, count)))
    }

    func readAll() -> Data {
        var all = Data()
        while true {
            let more = read()
            guard !more.isEmpty else { return all }
            all += more
        }
    }

    /// Reads until a response with a length is complete, without waiting for the end of the connection.
    func readAnswer() throws -> RawResponse {
        var bytes = Data()
        while true {
            if let answer = try? SocketClient.parse(bytes), let length = answer.headers["content-length"],
                answer.body.count >= Int(length) ?? 0
            {
                return answer
            }
            let more = read()
            guard !more.isEmpty else {
                // A body without a length ends with its connection.
                guard let answer = try? SocketClient.parse(bytes), answer.headers["content-length"] == nil else {
                    throw CocoaError(.fileReadCorruptFile)
                }
                return answer
            }
            bytes += more
        }
    }

    /// Closes the sending side.
    func finishWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    func end() { close(descriptor) }
}

extension Connection {
    /// Connects to a port of 127.0.0.1.
    init(port: Int) throws {
        var found: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo("127.0.0.1", String(port), nil, &found) == 0, let address = unsafe found else {
            throw POSIXError(.EIO)
        }
        defer { unsafe freeaddrinfo(address) }
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let status = unsafe connect(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen)
        guard status == 0 else {
            let number = errno
            close(descriptor)
            throw POSIXError(POSIXErrorCode(rawValue: number) ?? .EIO)
        }
        self.init(descriptor: descriptor)
    }
}

/// Runs blocking calls outside the threads needed by the server's tasks.
func offPool<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
    }
}
