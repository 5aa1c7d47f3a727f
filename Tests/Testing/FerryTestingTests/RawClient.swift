import NIOCore
import NIOPosix
import NIOSSL

/// Sends bytes to a port and collects the response.
enum RawClient {
    struct Answer {
        var bytes: [UInt8] = []
        /// Whether the connection ended with an error, such as a reset, instead of a close.
        var failed = false

        var text: String { String(decoding: bytes, as: UTF8.self) }
        var head: String { String(decoding: bytes[..<(headEnd ?? bytes.count)], as: UTF8.self) }
        var status: Int? { head.split(separator: " ").dropFirst().first.flatMap { Int($0) } }

        var body: [UInt8] { headEnd.map { Array(bytes[($0 + 4)...]) } ?? [] }

        /// Position of the empty line after the head.
        private var headEnd: Int? {
            let mark = Array("\r\n\r\n".utf8)
            var index = 0
            while index + 4 <= bytes.count {
                if bytes[index] == mark[0], bytes[index..<index + 4].elementsEqual(mark) { return index }
                index += 1
            }
            return nil
        }

        func value(_ name: String) -> String? {
            head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
                .map { String($0.drop { $0 != ":" }.dropFirst().drop { $0 == " " }) }
        }
    }

    /// Requests a path and reads until the server closes the connection or `enough` returns true.
    static func get(
        _ port: Int, _ path: String = "/file.bin", _ fields: String..., method: String = "GET",
        connection: String = "close", trusting caFile: String? = nil, until enough: (Answer) -> Bool = { _ in false }
    ) async throws -> Answer {
        let lines = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1", "Connection: \(connection)"] + fields
        let security = try caFile.map { path in
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.trustRoots = .file(path)
            return try NIOSSLContext(configuration: configuration)
        }
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let security {
                        let handler = try NIOSSLClientHandler(context: security, serverHostname: "localhost")
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        var answer = Answer()
        do {
            try await channel.executeThenClose { inbound, outbound in
                try await outbound.write(ByteBuffer(string: lines.map { $0 + "\r\n" }.joined() + "\r\n"))
                for try await buffer in inbound {
                    answer.bytes += buffer.readableBytesView
                    if enough(answer) { break }
                }
            }
        } catch {
            answer.failed = true
        }
        return answer
    }
}
