import ArgumentParser
import FerryCommands
import Synchronization
@testable import FerryCommands

/// Keeps what was written, and has the files and the size that a test gives it.
final class RecordingConsole: Console {
    private let written = Mutex<[ConsoleStream: String]>([:])
    private let files: [String: String]
    private let signals: [StopSignal]
    let size = ConsoleSize(columns: 80, rows: 24)

    private let answer: String?
    private let readable: Set<String>
    private let isTerminal: Bool

    /// - Parameters:
    ///   - answer: what the user types when asked; nil is a standard input that is no terminal.
    ///   - readable: the files that other users may read.
    init(
        files: [String: String] = [:], signals: [StopSignal] = [], answer: String? = nil, readable: Set<String> = [],
        isTerminal: Bool = false
    ) {
        self.files = files
        self.signals = signals
        self.answer = answer
        self.readable = readable
        self.isTerminal = isTerminal
    }

    var output: String { written.withLock { $0[.output, default: ""] } }
    var talk: String { written.withLock { $0[.talk, default: ""] } }

    func write(_ text: String, to stream: ConsoleStream) { written.withLock { $0[stream, default: ""] += text } }
    func write(_ bytes: ArraySlice<UInt8>) { write(String(decoding: bytes, as: UTF8.self), to: .output) }
    func isTerminal(_ stream: ConsoleStream) -> Bool { isTerminal }

    func readBytes(_ path: String) throws -> [UInt8] {
        guard let text = files[path] else { throw ValidationError("The file “\(path)” cannot be read.") }
        return Array(text.utf8)
    }

    func ask(_ question: String, isSecret: Bool) -> String? {
        say(question)
        return answer
    }

    func othersMayRead(_ path: String) -> Bool { readable.contains(path) }

    func stopSignals() -> AsyncStream<StopSignal> {
        AsyncStream { continuation in for signal in signals { continuation.yield(signal) } }
    }
}

/// Runs a command line against a daemon of the test's own.
func ferry(
    _ arguments: String..., daemon: FakeDaemon = FakeDaemon(), console: RecordingConsole = RecordingConsole(),
    environment: [String: String] = [:]
) async -> Int32 {
    let context = CommandContext(console: console, environment: environment, currentFolder: "/home/me") { daemon }
    return await FerryProgram.run(arguments, in: context)
}
