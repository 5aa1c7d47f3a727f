import ArgumentParser
import Dispatch
import FerryCore
import FerryFoundation
import Glibc
import Synchronization

/// The terminal or files of this process.
package final class SystemConsole: Console {
    private struct Signals {
        /// One for each signal. A second one for the same signal would replace the system's handler.
        var sources: [any DispatchSourceSignal] = []
        var listeners: [AsyncStream<StopSignal>.Continuation] = []
    }

    private let signals = Mutex(Signals())
    private let signalsSeen = Atomic<Int>(0)
    private let output = EndableOutput()

    package init() {
        // A closed reader is reported as EPIPE by `write`.
        signal(SIGPIPE, SIG_IGN)
    }

    package func write(_ text: String, to stream: ConsoleStream) {
        var text = text
        text.withUTF8 { unsafe write(UnsafeRawBufferPointer($0), to: stream) }
    }

    package func write(_ bytes: ArraySlice<UInt8>) {
        unsafe bytes.withUnsafeBytes { unsafe write($0, to: .output) }
    }

    package func redirectOutput(to path: String) throws {
        // Blocks until a FIFO has a reader.
        let file = path.withPath { unsafe open($0, O_WRONLY | O_CLOEXEC | O_NOCTTY) }
        guard file >= 0, dup2(file, STDOUT_FILENO) >= 0 else {
            let why = unsafe String(cString: strerror(errno))
            throw ValidationError("“\(path.escapingControls)” cannot be written: \(why).")
        }
        close(file)
    }

    private func write(_ bytes: UnsafeRawBufferPointer, to stream: ConsoleStream) {
        let failed = unsafe output.write(bytes, to: Self.descriptor(stream))
        guard failed != 0, stream == .output else { return }
        // The reader of the data has closed the pipe, as in `ferry list | head`: nothing is left to do.
        if failed == EPIPE { Self.leave(128 + SIGPIPE) }
        // No command may go on as if its data had been written.
        let why = unsafe String(cString: strerror(failed))
        let code: ErrorCode = failed == ENOSPC || failed == EDQUOT ? .diskFull : .diskIO
        say("ferry: Standard output cannot be written: \(why) (\(code.rawValue))")
        Self.leave(code.row.exitStatus)
    }

    package func isTerminal(_ stream: ConsoleStream) -> Bool { isatty(Self.descriptor(stream)) == 1 }

    package var size: ConsoleSize {
        var size = winsize()
        guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return ConsoleSize(columns: 80, rows: 24)
        }
        return ConsoleSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Maximum size of a file named by an option. An endless one such as `/dev/zero` would exhaust memory.
    private static let mostRead = 64 << 20

    package func readBytes(_ path: String) throws -> [UInt8] {
        let file = path == "-" ? STDIN_FILENO : path.withPath { unsafe open($0, O_RDONLY | O_CLOEXEC) }
        guard file >= 0 else { throw Self.unreadable(path, errno) }
        defer { if path != "-" { close(file) } }
        // Also reads pipes, whose size is unknown.
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe Glibc.read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.unreadable(path, errno) }
            if count == 0 { break }
            bytes += buffer[..<count]
            guard bytes.count <= Self.mostRead else {
                throw ValidationError("The file “\(path.escapingControls)” has more than \(Self.mostRead >> 20) MiB.")
            }
        }
        return bytes
    }

    private static func unreadable(_ path: String, _ cause: CInt) -> ValidationError {
        let why = unsafe String(cString: strerror(cause))
        return ValidationError("The file “\(path.escapingControls)” cannot be read: \(why).")
    }

    package func ask(_ question: String, isSecret: Bool) -> String? {
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        write(question, to: .talk)
        var terminal = termios()
        guard isSecret, unsafe tcgetattr(STDIN_FILENO, &terminal) == 0 else { return readLine() ?? "" }
        var hidden = terminal
        hidden.c_lflag &= ~tcflag_t(ECHO)
        _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        defer {
            _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &terminal)
            write("\n", to: .talk)
        }
        return readLine() ?? ""
    }

    package func othersMayRead(_ path: String) -> Bool {
        var found = stat()
        // A device such as /dev/null holds nothing that could be read.
        return path.withPath { unsafe stat($0, &found) } == 0 && found.st_mode & 0o077 != 0
            && found.st_mode & S_IFMT == S_IFREG
    }

    package func stopSignals(_ kinds: [StopSignal]) -> AsyncStream<StopSignal> {
        let (stream, continuation) = AsyncStream.makeStream(of: StopSignal.self)
        output.prepare()
        signals.withLock { signals in
            signals.listeners.append(continuation)
            guard signals.sources.isEmpty else { return }
            for kind in StopSignal.allCases { signal(kind.number, SIG_IGN) }
            signals.sources = kinds.map { kind in
                let source = DispatchSource.makeSignalSource(signal: kind.number, queue: .global())
                source.setEventHandler { [self] in
                    if signalsSeen.add(1, ordering: .relaxed).newValue > 1 { Self.leave(kind.exitStatus) }
                    output.end()
                    for listener in self.signals.withLock({ $0.listeners }) { listener.yield(kind) }
                }
                source.resume()
                return source
            }
        }
        return stream
    }

    /// Ends the process at once with a visible cursor.
    private static func leave(_ status: CInt) -> Never {
        if isatty(STDERR_FILENO) == 1 {
            var sequence = "\r\n" + LiveBlock.showCursor
            _ = sequence.withUTF8 { unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
        }
        _exit(status)
    }

    private static func descriptor(_ stream: ConsoleStream) -> CInt {
        switch stream {
        case .output: STDOUT_FILENO
        case .talk: STDERR_FILENO
        }
    }
}
