import Dispatch
import FerryCore
import FerryEngine
import Foundation

/// A connection as two streams whose calls block. Two threads pass the bytes on as long as both are open.
final class CapturedStreams: Sendable {
    /// Maximum number of bytes between the connection and a stream.
    private static let capacity = 64 << 10

    private let connection: StreamConnection
    private let input: StreamPipe
    private let output = StreamPipe(capacity: capacity)
    /// Left when the app reads no more, and when all that it has written is sent.
    private let ends = DispatchGroup()

    init(_ connection: StreamConnection) {
        self.connection = connection
        ends.enter()
        input = StreamPipe(capacity: Self.capacity) { [ends] in ends.leave() }
    }

    /// Returns the streams. Call it once.
    func make() -> (input: InputStream, output: OutputStream) {
        DispatchQueue(label: "ferry.stream.input").async { self.receive() }
        DispatchQueue(label: "ferry.stream.output").async(group: ends) { self.send() }
        ends.notify(queue: .global()) { [connection] in connection.close() }
        return (PipeInputStream(input), PipeOutputStream(output))
    }

    private func receive() {
        let read = StreamRead(minimum: 1, maximum: Self.capacity)
        while true {
            do throws(ServiceError) {
                let connection = connection
                let part = try Blocking.wait { () async throws(ServiceError) in try await connection.read(read) }
                var rest = part.data ?? Data()
                while !rest.isEmpty {
                    guard let count = input.write(rest) else { return }
                    rest = Data(rest.dropFirst(count))
                }
                if part.isAtEnd { return input.closeWrite() }
            } catch {
                return input.closeWrite(URLErrorMapping.error(error, url: nil))
            }
        }
    }

    private func send() {
        let connection = connection
        while let part = output.read(atMost: Self.capacity) {
            do throws(ServiceError) {
                try Blocking.wait { () async throws(ServiceError) in try await connection.write(part) }
            } catch {
                return output.closeRead()
            }
        }
        Blocking.wait { await connection.closeWrite() }
    }
}
