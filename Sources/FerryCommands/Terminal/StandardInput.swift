import Dispatch
import Glibc

/// Standard input of a program that others write to while it runs.
enum StandardInput {
    /// Returns the bytes in pieces as they come, until the end. Reading blocks, so it has a thread of its own.
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
