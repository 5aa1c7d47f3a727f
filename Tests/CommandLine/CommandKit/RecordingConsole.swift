import ArgumentParser
package import FerryCommands
import Synchronization

/// A console that records its output, with files and a size chosen by the test.
package final class RecordingConsole: Console {
    private let written = Mutex<[ConsoleStream: String]>([:])
    private let files: [String: String]
    private let signals: [StopSignal]
    package let size = ConsoleSize(columns: 80, rows: 24)

    private let answer: String?
    private let readable: Set<String>
    private let isTerminal: Bool

    /// - Parameters:
    ///   - answer: The user's input at a prompt, or `nil` if standard input is not a terminal.
    ///   - readable: Files that other users can read.
    package init(
        files: [String: String] = [:], signals: [StopSignal] = [], answer: String? = nil, readable: Set<String> = [],
        isTerminal: Bool = false
    ) {
        self.files = files
        self.signals = signals
        self.answer = answer
        self.readable = readable
        self.isTerminal = isTerminal
    }

    package var output: String { written.withLock { $0[.output, default: ""] } }
    package var talk: String { written.withLock { $0[.talk, default: ""] } }

    package func write(_ text: String, to stream: ConsoleStream) {
        written.withLock { $0[stream, default: ""] += text }
    }
    package func write(_ bytes: ArraySlice<UInt8>) { write(String(decoding: bytes, as: UTF8.self), to: .output) }
    package func redirectOutput(to path: String) throws {}
    package func isTerminal(_ stream: ConsoleStream) -> Bool { isTerminal }

    package func readBytes(_ path: String) throws -> [UInt8] {
        guard let text = files[path] else { throw ValidationError("The file “\(path)” cannot be read.") }
        return Array(text.utf8)
    }

    package func ask(_ question: String, isSecret: Bool) -> String? {
        say(question)
        return answer
    }

    package func othersMayRead(_ path: String) -> Bool { readable.contains(path) }

    package func stopSignals(_ kinds: [StopSignal]) -> AsyncStream<StopSignal> {
        AsyncStream { continuation in for signal in signals { continuation.yield(signal) } }
    }
}
