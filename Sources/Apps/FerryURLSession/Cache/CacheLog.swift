import Foundation
import Glibc

/// The log by which several processes share a cache folder: its lock, and a record of each change since the folder was
/// last read in full.
///
/// An addition is recorded before its file exists, and a removal after its file is gone. If a process crashes in
/// between, a response is counted that does not exist, but an existing response is always counted.
struct CacheLog: Sendable {
    enum Change: Sendable, Hashable {
        case added(CacheName, size: Int, stored: Date)
        case removed(CacheName)
    }

    static let name = "ferry-responses.log"
    /// Size in bytes after which a new log is begun. Each process then reads the folder again.
    private static let longest = 1 << 16

    /// An open file descriptor, closed with the last copy of the log.
    private final class Descriptor: Sendable {
        let number: Int32

        init(_ number: Int32) { self.number = number }

        deinit { close(number) }
    }

    private let descriptor: Descriptor
    private var file: Int32 { descriptor.number }
    /// Offset of the bytes read or written so far. Starts at 0, since the folder may have been listed in the middle of
    /// a change.
    private var position = 0

    /// Opens the log of a folder, creating it if missing. Returns nil on failure.
    init?(in folder: String) {
        let flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let file = unsafe open("\(folder)/\(Self.name)", flags, 0o600)
        guard file >= 0 else { return nil }
        descriptor = Descriptor(file)
    }

    /// Whether this is the same open log, not a replacement.
    func isSame(as other: CacheLog) -> Bool { descriptor === other.descriptor }

    /// Whether the log has been replaced or its folder removed.
    var isRemoved: Bool {
        var facts = stat()
        return unsafe fstat(file, &facts) != 0 || facts.st_nlink == 0
    }

    /// Whether to begin a new log: this one is too long, or a process crashed while writing a record.
    var isWornOut: Bool { isTorn || length.map { $0 > Self.longest } ?? true }

    /// Whether a process crashed while writing a record.
    var isTorn: Bool { length.map { !$0.isMultiple(of: Record.size) } ?? true }

    private var length: Int? {
        var facts = stat()
        return unsafe fstat(file, &facts) == 0 ? Int(facts.st_size) : nil
    }

    /// Locks the log, blocking while another process holds the lock.
    func lock() -> Bool {
        while flock(file, LOCK_EX) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }

    func unlock() { flock(file, LOCK_UN) }

    /// Returns the changes that other processes have recorded since the last call.
    mutating func news() -> [Change] {
        guard let length, length > position else { return [] }
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: false)
        guard (try? handle.seek(toOffset: UInt64(position))) != nil,
            let data = try? handle.read(upToCount: (length - position) / Record.size * Record.size)
        else { return [] }
        position += data.count / Record.size * Record.size
        return stride(from: 0, to: data.count / Record.size * Record.size, by: Record.size).compactMap { start in
            Record.change(data.dropFirst(start).prefix(Record.size))
        }
    }

    /// Records changes. Records none of them if the disk is full.
    mutating func append(_ changes: [Change]) -> Bool {
        let before = length
        let data = changes.reduce(into: Data()) { $0 += Record.bytes($1) }
        guard (try? FileHandle(fileDescriptor: file, closeOnDealloc: false).write(contentsOf: data)) != nil else {
            if let before { _ = ftruncate(file, before) }
            return false
        }
        position += data.count
        return true
    }

    /// The fixed-length file format of a change.
    private enum Record {
        private static let (resource, variant) = (32, 16)
        /// Upper limit of a response's size. A larger value means that the record is invalid.
        private static let largest: UInt64 = 1 << 40
        static let size = 1 + resource + variant + 16

        static func bytes(_ change: Change) -> Data {
            switch change {
            case .added(let name, let size, let stored):
                head("+", name) + number(UInt64(clamping: size))
                    + number(stored.timeIntervalSinceReferenceDate.bitPattern)
            case .removed(let name): head("-", name) + number(0) + number(0)
            }
        }

        static func change(_ bytes: Data) -> Change? {
            let bytes = [UInt8](bytes)
            guard bytes.count == size else { return nil }
            let texts = [bytes[1...resource], bytes[(1 + resource)..<(1 + resource + variant)]].map { part in
                String(decoding: part.filter { $0 != UInt8(ascii: " ") }, as: UTF8.self)
            }
            guard texts.allSatisfy(CacheFiles.isPartOfName) else { return nil }
            let name = CacheName(resource: texts[0], variant: texts[1])
            let numbers = [size - 16, size - 8].map { start in
                bytes[start..<(start + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            }
            switch bytes[0] {
            case UInt8(ascii: "+") where numbers[0] <= largest:
                let stored = Double(bitPattern: numbers[1])
                return .added(
                    name, size: Int(clamping: numbers[0]),
                    stored: Date(timeIntervalSinceReferenceDate: stored.isFinite ? stored : 0))
            case UInt8(ascii: "-"): return .removed(name)
            default: return nil
            }
        }

        private static func head(_ mark: Character, _ name: CacheName) -> Data {
            let texts = [
                "\(mark)", name.resource.padding(toLength: resource, withPad: " ", startingAt: 0),
                name.variant.padding(toLength: variant, withPad: " ", startingAt: 0),
            ]
            return Data(texts.joined().utf8)
        }

        private static func number(_ value: UInt64) -> Data {
            Data((0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) })
        }
    }
}

extension CacheLedger<Void> {
    /// Applies a recorded change. One that is already known, as when a process has just read the folder, does not
    /// affect the order.
    mutating func apply(_ change: CacheLog.Change) {
        switch change {
        case .added(let name, let size, let stored):
            let known = candidates(for: name.resource).first { $0.name == name }?.entry
            // File times are slightly less precise.
            if let known, known.size == size, abs(known.stored.timeIntervalSince(stored)) < 0.001 { return }
            _ = insert((), as: name, size: size, stored: stored, capacity: .max)
        case .removed(let name): remove(name)
        }
    }
}
