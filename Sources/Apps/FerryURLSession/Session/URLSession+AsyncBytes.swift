import Foundation

/// A response body as an asynchronous sequence of bytes.
extension URLSession {
    /// The bytes of a response body, as they arrive. Reads from the server only on demand.
    public struct AsyncBytes: AsyncSequence, Sendable {
        public typealias Element = UInt8

        /// The task that receives the bytes.
        public var task: URLSessionDataTask { reading.task }
        private let reading: Reading

        init(task: URLSessionDataTask, channel: ByteChannel) { reading = Reading(task: task, channel: channel) }

        public func makeAsyncIterator() -> Iterator { Iterator(reading) }

        /// Iterates over the bytes of a part without waiting.
        public struct Iterator: AsyncIteratorProtocol {
            private let reading: Reading
            private var part: [UInt8] = []
            private var position = 0

            fileprivate init(_ reading: Reading) { self.reading = reading }

            public mutating func next() async throws -> UInt8? {
                while position == part.count {
                    guard let next = try await nextPart() else { return nil }
                    part = [UInt8](next)
                    position = 0
                }
                defer { position += 1 }
                return part[position]
            }

            private func nextPart() async throws -> Data? {
                let (channel, task) = (reading.channel, reading.task)
                return try await withTaskCancellationHandler {
                    try await channel.next()
                } onCancel: {
                    task.cancel()
                }
            }
        }

        /// Cancels the task when the last sequence or iterator that refers to this object is released.
        fileprivate final class Reading: Sendable {
            let task: URLSessionDataTask
            let channel: ByteChannel

            init(task: URLSessionDataTask, channel: ByteChannel) {
                self.task = task
                self.channel = channel
            }

            deinit {
                channel.abandon()
                task.cancel()
            }
        }
    }
}
