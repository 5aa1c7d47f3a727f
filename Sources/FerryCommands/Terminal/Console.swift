import Glibc

/// Where commands read and write, so that tests need no terminal.
package protocol Console: Sendable {
    func write(_ text: String, to stream: ConsoleStream)
    /// Writes bytes of data as they are.
    func write(_ bytes: ArraySlice<UInt8>)
    func isTerminal(_ stream: ConsoleStream) -> Bool
    /// Size of the terminal; 80 by 24 where there is none.
    var size: ConsoleSize { get }
    /// The bytes of a file; `-` is standard input.
    ///
    /// - Throws: `ValidationError` for a file that cannot be read, or that has more than 64 MiB.
    func readBytes(_ path: String) throws -> [UInt8]
    /// Asks the user, and returns the line that was typed; nil where standard input is no terminal.
    ///
    /// - Parameter isSecret: whether the line is not shown.
    func ask(_ question: String, isSecret: Bool) -> String?
    /// Whether users other than its owner may read a file.
    func othersMayRead(_ path: String) -> Bool
    /// The signals that ask this process to end. The second one ends it at once.
    func stopSignals() -> AsyncStream<StopSignal>
}

package enum ConsoleStream: Sendable {
    /// Data: what was asked for.
    case output
    /// Talk: progress, remarks and errors.
    case talk
}

package struct ConsoleSize: Equatable, Sendable {
    package var columns: Int
    package var rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }
}

extension Console {
    /// The text of a file; `-` is standard input.
    ///
    /// - Throws: As ``readBytes(_:)``.
    func read(_ path: String) throws -> String {
        let text = String(decoding: try readBytes(path), as: UTF8.self)
        // A mark of the order of bytes is no part of the text.
        return text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
    }

    /// Writes lines of data.
    func print(_ lines: String...) { write(lines.map { $0 + "\n" }.joined(), to: .output) }

    func print(_ lines: [String]) {
        if !lines.isEmpty { write(lines.joined(separator: "\n") + "\n", to: .output) }
    }

    func say(_ line: String) { write(line + "\n", to: .talk) }
}

/// A signal that asks this process to end.
package enum StopSignal: CaseIterable, Sendable {
    /// Ctrl-C.
    case interrupt
    case terminate
    /// The terminal is gone.
    case hangUp

    var number: CInt {
        switch self {
        case .interrupt: SIGINT
        case .terminate: SIGTERM
        case .hangUp: SIGHUP
        }
    }

    /// Exit status of a process that ended because of it, as shells count: 130, 143 and 129.
    package var exitStatus: Int32 { 128 + number }
}
