// Ferry: FerryClient
// The lines of a stream.

import AsyncHTTPClient
import FerryAPI
import FerryCore
import Foundation
import NIOCore

/// Reads the values of one response, a line at a time, as fast as its reader asks and no faster.
actor LineReader<Value: Decodable & Sendable> {
    private let connection: DaemonConnection
    private var body: HTTPClientResponse.Body.AsyncIterator
    private var splitter = LineSplitter()
    private var lines: [Data] = []
    private var next = 0

    init(_ response: HTTPClientResponse, connection: DaemonConnection) {
        self.connection = connection
        body = response.body.makeAsyncIterator()
    }

    /// The next value; nil when the daemon has ended the stream.
    func value() async throws(TransferError) -> Value? {
        while next == lines.count {
            guard let chunk = try await chunk() else { return nil }
            lines = splitter.append(chunk.readableBytesView)
            next = 0
        }
        defer { next += 1 }
        do {
            return try DaemonConnection.decode(Value.self, from: lines[next])
        } catch {
            throw error.error
        }
    }

    private func chunk() async throws(TransferError) -> ByteBuffer? {
        // A copy, since an actor's property cannot be lent out across a suspension; it shares the one response.
        var iterator = body
        do {
            return try await iterator.next(isolation: self)
        } catch {
            throw connection.failure(error).error
        }
    }
}
