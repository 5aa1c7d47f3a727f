import FerryAPI
import FerryCore
import FerryFoundation
import NIOCore

/// Decodes the values of one response, one line at a time, at the pace of its reader.
actor LineReader<Value: Decodable & Sendable> {
    private let response: DaemonResponse
    private var splitter = LineSplitter()
    private var lines: [Data] = []
    private var next = 0

    // The order of a session's transfers is a single line, and may be as long as the request that set it.
    private let longestLine: Int

    init(_ response: DaemonResponse, longestLine: Int = 2 * BodyLimit.batch) {
        self.response = response
        self.longestLine = longestLine
    }

    /// Returns the next value, or `nil` when the daemon has ended the stream.
    func value() async throws(ServiceError) -> Value? {
        while next == lines.count {
            let part: ByteBuffer?
            do throws(ConnectionFailure) {
                part = try await response.next()
            } catch {
                throw error.error
            }
            guard let part else { return nil }
            lines = splitter.append(part.readableBytesView)
            next = 0
            guard splitter.pending <= longestLine else {
                throw ServiceError(.internal, "The daemon sent a line of more than \(longestLine) bytes.")
            }
        }
        defer { next += 1 }
        do {
            return try DaemonConnection.decode(Value.self, from: lines[next])
        } catch {
            throw error.error
        }
    }
}
