// What the program reacts to.

import Foundation

/// What the program reacts to: the lines of its user, and the moments at which it looks at its downloads.
enum Input {
    case line(String)
    case key(Key)
    case moment
    /// Nobody will write any more.
    case end

    /// - Parameter byKey: whether keys are read, and not lines.
    static func all(byKey: Bool) -> AsyncStream<Input> {
        let (inputs, continuation) = AsyncStream<Input>.makeStream()
        // Reading blocks, so it has a thread.
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

    /// Reads keys until there are no more.
    private static func readKeys(_ tell: (Key) -> Void) {
        var reader = KeyReader()
        var bytes = [UInt8](repeating: 0, count: 64)
        while case let count = read(0, &bytes, bytes.count), count > 0 {
            for key in reader.read(Array(bytes.prefix(count))) { tell(key) }
        }
    }
}
