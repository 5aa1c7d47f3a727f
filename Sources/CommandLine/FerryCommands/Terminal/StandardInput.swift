import Dispatch
import Glibc

/// Standard input as a stream.
enum StandardInput {
    /// Returns the bytes in chunks until the end. Reading blocks, so it uses its own thread.
    static func chunks() -> AsyncStream<[UInt8]> {
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        DispatchQueue(label: "standard input").async {
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = unsafe read(STDIN_FILENO, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                continuation.yield(Array(buffer[..<count]))
            }
            continuation.finish()
        }
        return stream
    }
}
