import FerryFoundation
import Glibc

/// Input and output of commands, so that tests need no terminal.
package protocol Console: Sendable {
    func write(_ text: String, to stream: ConsoleStream)
    /// Writes bytes of data unchanged. Use ``Console/write(foreign:_:)`` for what a server sent.
    func write(_ bytes: ArraySlice<UInt8>)
    /// Writes all later data to a device, a FIFO or a socket instead of standard output.
    ///
    /// - Throws: `ValidationError` if it cannot be opened for writing.
    func redirectOutput(to path: String) throws
    func isTerminal(_ stream: ConsoleStream) -> Bool
    /// Size of the terminal, or 80 by 24 without one.
    var size: ConsoleSize { get }
    /// Reads a file. `-` is standard input.
    ///
    /// - Throws: `ValidationError` for an unreadable file, or one over 64 MiB.
    func readBytes(_ path: String) throws -> [UInt8]
    /// Asks the user and returns the typed line, or nil if standard input is not a terminal.
    ///
    /// - Parameter isSecret: Whether to hide the input.
    func ask(_ question: String, isSecret: Bool) -> String?
    /// Whether users other than its owner may read a file.
    func othersMayRead(_ path: String) -> Bool
    /// The signals of these kinds, which ask this process to end. The second one ends it at once. Those of other kinds are
    /// ignored.
    func stopSignals(_ kinds: [StopSignal]) -> AsyncStream<StopSignal>
}

extension Console {
    /// All signals that ask this process to end.
    package func stopSignals() -> AsyncStream<StopSignal> { stopSignals(StopSignal.allCases) }
}

package enum ConsoleStream: Sendable {
    /// The requested data, on standard output.
    case output
    /// Progress, remarks and errors, on standard error.
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
    /// Writes bytes that a server sent.
    ///
    /// Files and pipes get them unchanged. On a terminal, control characters other than line breaks and tabs are shown
    /// instead of obeyed.
    package func write(foreign bytes: ArraySlice<UInt8>, _ filter: inout TerminalFilter) {
        if isTerminal(.output) { write(filter.shown(bytes), to: .output) } else { write(bytes) }
    }

    /// Reads a text file in UTF-8, or in UTF-16 with a byte order mark. `-` is standard input.
    ///
    /// - Throws: As ``readBytes(_:)``.
    package func read(_ path: String) throws -> String {
        let bytes = try readBytes(path)
        let text = UTF16Text.decode(bytes) ?? String(path: bytes)
        // Drops a byte order mark.
        return text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    }

    /// Prints lines of data.
    package func print(_ lines: String...) { write(lines.map { $0 + "\n" }.joined(), to: .output) }

    package func print(_ lines: [String]) {
        if !lines.isEmpty { write(lines.joined(separator: "\n") + "\n", to: .output) }
    }

    package func say(_ line: String) { write(line + "\n", to: .talk) }
}

/// Text in UTF-16, as programs for Windows write it.
enum UTF16Text {
    /// Decodes bytes that begin with a byte order mark. Returns nil for others.
    static func decode(_ bytes: [UInt8]) -> String? {
        let isLittle = bytes.starts(with: [0xFF, 0xFE])
        guard isLittle || bytes.starts(with: [0xFE, 0xFF]) else { return nil }
        let units = stride(from: 2, to: bytes.count - 1, by: 2).map { place in
            let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
            return isLittle ? second << 8 | first : first << 8 | second
        }
        return String(decoding: units, as: UTF16.self)
    }
}

/// A signal that asks this process to end.
package enum StopSignal: CaseIterable, Sendable {
    /// Ctrl-C.
    case interrupt
    case terminate
    /// The terminal was closed.
    case hangUp

    var number: CInt {
        switch self {
        case .interrupt: SIGINT
        case .terminate: SIGTERM
        case .hangUp: SIGHUP
        }
    }

    /// Exit status after the signal, as in shells: 130, 143 and 129.
    package var exitStatus: Int32 { 128 + number }
}
