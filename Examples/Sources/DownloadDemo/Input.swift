// The program's input.

import Foundation

/// The program's input: its user's lines or keys, and the times at which it updates its downloads.
enum Input {
    case line(String)
    case key(Key)
    case moment
    /// The end of the input.
    case end

    /// - Parameter byKey: Whether to read single keys instead of lines.
    static func all(byKey: Bool) -> AsyncStream<Input> {
        let (inputs, continuation) = AsyncStream<Input>.makeStream()
        // Reading blocks, so it runs on a separate thread.
        Thread.detachNewThread {
            if byKey {
                readKeys { continuation.yield(.key($0)) }
            } else {
                while let line = readLine() { continuation.yield(.line(line)) }
            }
            continuation.yield(.end)
        }
        let clock = Task {
            while (try? await Task.sleep(for: .milliseconds(200))) != nil { continuation.yield(.moment) }
        }
        continuation.onTermination = { _ in clock.cancel() }
        return inputs
    }

    /// Reads keys until the end of the input.
    private static func readKeys(_ tell: (Key) -> Void) {
        var reader = KeyReader()
        var bytes = [UInt8](repeating: 0, count: 64)
        while case let count = read(0, &bytes, bytes.count), count > 0 {
            for key in reader.read(Array(bytes.prefix(count))) { tell(key) }
        }
    }
}
