import ArgumentParser
import FerryClient
import FerryCore
import FerryFoundation

/// Writes a transfer's bytes to standard output as they arrive, in order.
///
/// The file is fetched over one connection, so the partial file always contains a beginning of it. Written bytes cannot
/// be taken back: after a restart from byte 0 nothing more is written and the command fails.
actor BodyOutput {
    private let console: any Console
    /// The file being read. It stays open when it is renamed to its final name.
    private var file: CInt = -1
    private var written: Int64 = 0
    /// Number of the transfer's restarts when the first byte was written.
    private var starts = 0
    /// Why writing has stopped.
    private(set) var failure: ServiceError?
    private var filter = TerminalFilter()

    private static let pieceSize = 256 << 10

    init(_ console: any Console) { self.console = console }

    deinit { if file >= 0 { close(file) } }

    /// - Parameter beforeFirst: Called before the first bytes are written.
    func take(_ update: FollowUpdate, beforeFirst: () async -> Void = {}) async {
        guard let transfer = update.transfer else { return }
        if written == 0, transfer.bytesReceived > 0 { await beforeFirst() }
        write(transfer)
    }

    /// Writes the bytes that have arrived since the last call.
    private func write(_ transfer: Transfer) {
        guard failure == nil, !transfer.state.isEnded || transfer.state == .succeeded else { return }
        guard written == 0 || transfer.startedOver == starts else { return fail(transfer.url) }
        starts = transfer.startedOver
        if transfer.state == .succeeded {
            finish(transfer)
        } else if transfer.bytesReceived > written, transfer.segments.count < 2, open(transfer.partialPath) {
            copy(to: transfer.bytesReceived)
        }
    }

    /// Writes the remaining bytes of the complete, verified file.
    private func finish(_ transfer: Transfer) {
        let part = file
        file = -1
        defer { if part >= 0 { close(part) } }
        guard let path = transfer.destination, open(path) else {
            return unreadable("it has been moved or removed")
        }
        // The placed file is the renamed partial file, unless it was copied.
        if part >= 0, !isSame(part, file), !hasSameBeginning(part) { return fail(transfer.url) }
        copy(to: .max)
        guard failure == nil, transfer.bytesReceived > written else { return }
        unreadable("it ends after \(ByteText.of(written)) of \(ByteText.of(transfer.bytesReceived))")
    }

    private func unreadable(_ why: String) {
        failure = ServiceError(.destinationUnwritable, "The downloaded file cannot be read: \(why).")
    }

    private func fail(_ url: String) {
        failure = ServiceError(
            .resourceChanged,
            "The file changed at its server after \(ByteText.of(written)) of it had been written to standard output. "
                + "The output is incomplete. Run the command again.",
            details: ErrorDetails(url: url))
    }

    // MARK: Files

    /// Opens the file, and returns whether it is open.
    private func open(_ path: String) -> Bool {
        if file < 0 { file = path.withPath { unsafe FerryFoundation.open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) } }
        return file >= 0
    }

    private func copy(to end: Int64) {
        var buffer = [UInt8](repeating: 0, count: Self.pieceSize)
        while written < end {
            let count = read(file, at: written, into: &buffer, atMost: end - written)
            if count < 0 { return unreadable(unsafe String(cString: strerror(errno))) }
            guard count > 0 else { return }
            console.write(foreign: buffer[..<count], &filter)
            written += Int64(count)
        }
    }

    private func read(_ file: CInt, at offset: Int64, into buffer: inout [UInt8], atMost most: Int64) -> Int {
        let size = Int(min(Int64(buffer.count), most))
        while true {
            let count = unsafe pread(file, &buffer, size, off_t(offset))
            if count >= 0 || errno != EINTR { return count }
        }
    }

    private func isSame(_ one: CInt, _ other: CInt) -> Bool {
        var (facts, others) = (stat(), stat())
        return unsafe fstat(one, &facts) == 0 && fstat(other, &others) == 0 && facts.st_dev == others.st_dev
            && facts.st_ino == others.st_ino
    }

    /// Whether the file begins with the written bytes.
    private func hasSameBeginning(_ part: CInt) -> Bool {
        var (own, others) = ([UInt8](repeating: 0, count: Self.pieceSize), [UInt8](repeating: 0, count: Self.pieceSize))
        var place: Int64 = 0
        while place < written {
            let count = read(part, at: place, into: &own, atMost: written - place)
            guard count > 0, read(file, at: place, into: &others, atMost: Int64(count)) == count,
                own[..<count] == others[..<count]
            else { return false }
            place += Int64(count)
        }
        return true
    }
}

extension FollowUpdate {
    fileprivate var transfer: Transfer? {
        switch self {
        case .event(let event): event.transfer
        case .snapshot(let transfer): transfer
        case .removed, .interrupted: nil
        }
    }
}

extension Transfer {
    /// The path of its partial file, unless another program's file has that name (docs/formats/partial-file.md).
    fileprivate var partialPath: String { folder + "/.ferry-\(id).part" }
}

/// An output that no file can replace: the bytes are written to it, as to standard output.
enum SpecialOutput {
    /// Standard output under another name.
    case standardOutput
    /// The path of a character device or a FIFO.
    case file(String)

    private static let names: Set = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]

    /// - Returns: `nil` for any other path. The daemon refuses block devices and sockets.
    init?(_ typed: String, in context: CommandContext) throws {
        if Self.names.contains(typed) {
            self = .standardOutput
            return
        }
        var facts = stat()
        guard typed != "-" else { return nil }
        let path = try context.typedPath.folder(typed)
        guard path.withPath({ unsafe stat($0, &facts) }) == 0, [S_IFCHR, S_IFIFO].contains(facts.st_mode & S_IFMT)
        else {
            return nil
        }
        self = .file(path)
    }
}

/// The folders of files on their way to standard output.
enum OutputSpool {
    /// The folder and the name of a URL's file: the same command finds what an earlier one has left.
    ///
    /// - Throws: `ValidationError` if the user has no home.
    static func place(of url: String, in context: CommandContext) throws -> (folder: String, name: String) {
        let given = context.environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        guard let cache = given ?? context.home.map({ $0 + "/.cache" }) else {
            throw ValidationError("-o - keeps the file in your cache folder meanwhile: set HOME or XDG_CACHE_HOME.")
        }
        // The folder distinguishes URLs.
        let last = FileName.safe(RequestOptions.lastPart(of: url))
        return (cache + "/ferry/output/" + String(hash(url), radix: 16), last)
    }

    /// Removes a folder after use, unless it is not empty.
    static func leave(_ folder: String) { _ = folder.withPath { unsafe rmdir($0) } }

    /// FNV-1a of 64 bits.
    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
