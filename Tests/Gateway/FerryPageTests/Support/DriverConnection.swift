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
        guard let descriptor = LoopbackSocket.connect(port: port) else {
            throw TestingError("chromedriver does not listen on port \(port).")
        }
        defer { close(descriptor) }
        try LoopbackSocket.write(request, to: descriptor)
        var answer = Data()
        while true {
            answer += try LoopbackSocket.read(1 << 16, from: descriptor, isPart: true)
            if let body = whole(answer) { return body }
        }
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
