import Dispatch
import FerryTesting
import Foundation
import Glibc

/// Sends commands to a local chromedriver, each on a new connection.
struct DriverConnection: Sendable {
    let port: Int

    /// Returns the `value` of the response.
    ///
    /// - Throws: ``TestingError`` with the driver's error message.
    func send(_ method: String, _ path: String, _ body: JSON? = nil) async throws -> JSON {
        let bytes = try body.map { try JSONEncoder().encode($0) } ?? Data()
        let head = """
            \(method) \(path) HTTP/1.1\r
            Host: 127.0.0.1:\(port)\r
            Connection: close\r
            Content-Type: application/json\r
            Content-Length: \(bytes.count)\r
            \r

            """
        let answer = try await exchange(Data(head.utf8) + bytes)
        let value = try JSONDecoder().decode(JSON.self, from: answer)["value"]
        if let error = value["error"].text {
            throw TestingError("\(method) \(path): \(error): \(value["message"].text?.prefix(2000) ?? "")")
        }
        return value
    }

    /// Returns whether the driver accepts sessions.
    func isReady() async -> Bool { (try? await send("GET", "/status"))?["ready"].isTrue == true }

    /// Sends a request on a separate thread, because this blocks. Returns the body of the response.
    private func exchange(_ request: Data) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { [port] in
                continuation.resume(with: Result { try Self.exchange(request, port: port) })
            }
        }
    }

    private static func exchange(_ request: Data, port: Int) throws -> Data {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw TestingError("chromedriver does not listen on port \(port).") }
        var rest = request[...]
        while !rest.isEmpty {
            let sent = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            guard sent > 0 else { throw TestingError("chromedriver closed the connection.") }
            rest = rest.dropFirst(sent)
        }
        var answer = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            answer += buffer[..<count]
            if let body = whole(answer) { return body }
        }
        throw TestingError("chromedriver's answer ended early: \(answer.count) bytes.")
    }

    /// Returns the body of a response, or `nil` until it is complete.
    private static func whole(_ answer: Data) -> Data? {
        guard let gap = answer.range(of: Data("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: answer[..<gap.lowerBound], as: UTF8.self).lowercased()
        guard let field = head.split(separator: "\r\n").first(where: { $0.hasPrefix("content-length:") }),
            let count = Int(field.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces))
        else { return nil }
        let body = answer[gap.upperBound...]
        return body.count >= count ? Data(body) : nil
    }
}
