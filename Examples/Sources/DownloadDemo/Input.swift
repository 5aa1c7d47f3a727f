// What the program reacts to.

import Foundation

/// What the program reacts to: the lines of its user, and the moments at which it looks at its downloads.
enum Input {
    case line(String)
    case moment
    /// Nobody will write any more.
    case end

    static var all: AsyncStream<Input> {
        let (inputs, continuation) = AsyncStream<Input>.makeStream()
        // Reading blocks, so it has a thread.
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(.line(line)) }
            continuation.yield(.end)
        }
        let clock = Task {
            while (try? await Task.sleep(for: .milliseconds(200))) != nil { continuation.yield(.moment) }
        }
        continuation.onTermination = { _ in clock.cancel() }
        return inputs
    }
}
