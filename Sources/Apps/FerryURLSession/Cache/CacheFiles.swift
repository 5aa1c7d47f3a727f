import Foundation
import Glibc

/// The files of a cache folder.
struct CacheFiles: Sendable {
    private static let ending = ".response"
    private static let unfinishedName = "ferry-unfinished.tmp"

    let path: String

    /// Lists the responses in the folder, least recently used first.
    func contents() -> CacheLedger<Void> {
        var found: [(name: CacheName, facts: stat)] = []
        for text in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
            var facts = stat()
            guard let name = Self.name(text), unsafe lstat("\(path)/\(text)", &facts) == 0,
                facts.st_mode & S_IFMT == S_IFREG
            else { continue }
            found.append((name, facts))
        }
        var ledger = CacheLedger<Void>()
        for (name, facts) in found.sorted(by: { Date($0.facts.st_atim) < Date($1.facts.st_atim) }) {
            ledger.apply(.added(name, size: Int(facts.st_size), stored: Date(facts.st_mtim)))
        }
        return ledger
    }

    func file(_ name: CacheName) -> String { "\(path)/\(name.resource)-\(name.variant)\(Self.ending)" }

    private static func name(_ file: String) -> CacheName? {
        guard file.hasSuffix(ending) else { return nil }
        let halves = file.dropLast(ending.count).split(separator: "-", omittingEmptySubsequences: false)
        guard halves.count == 2, halves.allSatisfy({ isPartOfName(String($0)) }) else { return nil }
        return CacheName(resource: String(halves[0]), variant: String(halves[1]))
    }

    static func isPartOfName(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(\.isHexDigit) }

    /// Reads a response. Returns nil if its file is missing, truncated or altered.
    func read(_ name: CacheName) -> KeptResponse? {
        let descriptor = unsafe Glibc.open(file(name), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        return (try? handle.readToEnd()).flatMap { CacheFile.decode($0) }
    }

    func write(_ data: Data, as name: CacheName, stored: Date) -> Bool {
        let unfinished = "\(path)/\(Self.unfinishedName)"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = unsafe Glibc.open(unfinished, flags, 0o600)
        guard descriptor >= 0 else { return false }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // The times of storing and of last use. The next launch evicts in this order.
        let times = [timespec(Date()), timespec(stored)]
        guard (try? handle.write(contentsOf: data)) != nil, unsafe futimens(descriptor, times) == 0,
            unsafe rename(unfinished, file(name)) == 0
        else {
            unsafe unlink(unfinished)
            return false
        }
        return true
    }

    func noteUse(of name: CacheName) {
        let times = [timespec(Date()), timespec(tv_sec: 0, tv_nsec: timespec.asIs)]
        unsafe utimensat(AT_FDCWD, file(name), times, AT_SYMLINK_NOFOLLOW)
    }

    func remove(_ name: CacheName) { unsafe unlink(file(name)) }

    /// Removes the file that a crashed process left while writing.
    func removeUnfinished() { unsafe unlink("\(path)/\(Self.unfinishedName)") }

    /// Removes the log. The next change begins a new one.
    func removeLog() { unsafe unlink("\(path)/\(CacheLog.name)") }

    /// Returns whether the folder exists, belongs to this user and is not writable by others: responses may hold
    /// secrets and are trusted.
    func open(creating: Bool) -> Bool {
        if creating {
            try? FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        var facts = stat()
        return unsafe stat(path, &facts) == 0 && facts.st_uid == geteuid() && facts.st_mode & 0o022 == 0
    }
}

extension Date {
    fileprivate init(_ time: timespec) {
        self.init(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
    }
}

extension timespec {
    /// `UTIME_OMIT` of sys/stat.h, which Swift does not import.
    fileprivate static let asIs = (1 << 30) - 2

    fileprivate init(_ date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        self.init(
            tv_sec: Int(exactly: seconds) ?? 0,
            tv_nsec: Int(exactly: ((date.timeIntervalSince1970 - seconds) * 1e9).rounded(.down)) ?? 0)
    }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self)
    }
}

/// The location of caches (XDG Base Directory Specification).
enum CachePlace {
    /// Returns a folder of the app within the user's cache directory.
    static func folder(
        named name: String, of application: String = ApplicationIdentity.current,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String {
        let given = environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let base = given ?? "\(environment["HOME"] ?? NSHomeDirectory())/.cache"
        return "\(base)/ferry/\(component(application))/\(component(name))"
    }

    /// Encodes a text as a path component.
    private static func component(_ text: String) -> String {
        let plain = text.unicodeScalars.map { $0 == "/" || $0.value < 32 ? "_" : Character($0) }
        let name = String(plain.drop { $0 == "." })
        return name.isEmpty ? "_" : String(decoding: name.utf8.suffix(200), as: UTF8.self)
    }
}
