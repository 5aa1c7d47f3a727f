import Dispatch
import FerryURLSession
public import Foundation
import Synchronization

/// The folders for a manager's finished and unfinished files.
///
/// The folders are created when the first download needs them, accessible to their user only. The daemon's records are
/// elsewhere, so a cache can be emptied or moved safely.
public final class Cache: Sendable {
    public let identifier: String
    /// The parent of the other two folders.
    public let downloadPath: String
    /// The folder of unfinished files.
    public let downloadTmpPath: String
    /// The folder of finished files.
    public let downloadFilePath: String
    private let kept: KeptFiles
    private let links = Mutex<[@Sendable (String) -> String?]>([])

    /// Creates a cache. Creates no folders.
    ///
    /// - Parameters:
    ///   - identifier: The name of the default folder.
    ///   - downloadPath: A path or a `file://` URL as text. Defaults to a folder of the app among the user's data.
    ///   - downloadTmpPath: The folder of unfinished files. Defaults to `Tmp` in `downloadPath`.
    ///   - downloadFilePath: The folder of finished files. Defaults to `File` in `downloadPath`.
    public init(
        _ identifier: String, downloadPath: String? = nil, downloadTmpPath: String? = nil,
        downloadFilePath: String? = nil
    ) {
        self.identifier = identifier
        let base = Self.path(downloadPath ?? Self.defaultDiskCachePathClosure(identifier))
        self.downloadPath = base
        self.downloadTmpPath = downloadTmpPath.map(Self.path) ?? base + "/Tmp"
        self.downloadFilePath = downloadFilePath.map(Self.path) ?? base + "/File"
        kept = KeptFiles(folder: base, files: self.downloadFilePath)
    }

    private static let pathClosure = Mutex<@Sendable (String) -> String>(usualPath)

    /// The closure that returns the default folder of a cache for its identifier. Applies to caches created afterwards.
    public static var defaultDiskCachePathClosure: @Sendable (String) -> String {
        get { pathClosure.withLock { $0 } }
        set { pathClosure.withLock { $0 = newValue } }
    }

    // MARK: By name

    /// Returns the path of a finished file, with the name sanitized as for downloads, or nil for an empty name.
    public func filePath(fileName: String) -> String? {
        FileNaming.sanitized(fileName).map { downloadFilePath + "/" + $0 }
    }

    /// Returns the URL of a finished file, or nil for an empty name.
    public func fileURL(fileName: String) -> URL? {
        filePath(fileName: fileName).map { URL(fileURLWithPath: $0, isDirectory: false) }
    }

    /// Whether a file with this name exists. False for a symbolic link.
    public func fileExists(fileName: String) -> Bool {
        filePath(fileName: fileName).map { FileFacts($0) != nil } ?? false
    }

    // MARK: By URL

    /// Returns the path of a URL's file: that of its task, otherwise the path that a download would use. Nil if this is
    /// not an http or https URL.
    public func filePath(url: any URLConvertible) -> String? { name(of: url).flatMap { filePath(fileName: $0) } }

    /// Returns the URL of a URL's file. Nil if this is not an http or https URL.
    public func fileURL(url: any URLConvertible) -> URL? { name(of: url).flatMap { fileURL(fileName: $0) } }

    /// Whether the file of a URL exists.
    public func fileExists(url: any URLConvertible) -> Bool { name(of: url).map { fileExists(fileName: $0) } ?? false }

    private func name(of url: any URLConvertible) -> String? {
        guard let address = try? url.address().absoluteString else { return nil }
        for link in links.withLock({ $0 }) {
            if let name = link(address) { return name }
        }
        return FileNaming.defaultName(for: address)
    }

    /// Adds a session as a source of file names.
    func link(_ names: @escaping @Sendable (String) -> String?) { links.withLock { $0.append(names) } }

    // MARK: Kept files

    /// Records files that stay after their tasks were removed.
    func keep(_ files: [(name: String, url: String)]) { kept.keep(files) }

    /// Returns the name of an unchanged file that stayed after its task was removed, or nil.
    func keptName(of url: String) -> String? { kept.name(of: url) }

    /// Returns the names of such files by URL.
    func keptNames(of urls: some Sequence<String>) -> [String: String] { kept.names(of: urls) }

    /// Deletes the files of some URLs that stayed after their tasks were removed.
    func deleteKeptFiles(of urls: Set<String>) { kept.delete(urls) }

    /// Deletes all files that stayed after their tasks were removed.
    func deleteKeptFiles() { kept.deleteAll() }

    // MARK: -

    /// Converts a path or a `file://` URL to a path.
    private static func path(_ text: String) -> String {
        var path = text.hasPrefix("file://") ? URL(string: text)?.path ?? text : text
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    private static func usualPath(_ identifier: String) -> String {
        let application = FileNaming.sanitized(ApplicationIdentity.current, url: ApplicationIdentity.current)
        let name = FileNaming.sanitized(identifier, url: identifier)
        return "\(DataFolder.path)/ferry/\(application)/\(name)/Downloads"
    }
}

extension Cache {
    /// Removes all tasks of the cache from their manager and deletes their files, and nothing else.
    ///
    /// - Parameters:
    ///   - onMainQueue: Whether to call the handler on the main queue. Otherwise it is called on the operation queue.
    ///   - handler: Called once afterwards, after the closures of the tasks. Also called if there was nothing to
    ///     remove.
    public func clearDiskCache(onMainQueue: Bool = true, handler: Handler<Cache>? = nil) {
        let sessions = ManagedSessions.shared.sessions(of: self)
        let group = DispatchGroup()
        for session in sessions {
            group.enter()
            session.performOnAll(.remove(completely: true)) { _ in group.leave() }
        }
        group.notify(queue: .global()) {
            self.deleteKeptFiles()
            if let session = sessions.first {
                session.callLast(handler, with: self, onMainQueue: onMainQueue)
            } else {
                (onMainQueue ? DispatchQueue.main : .global()).call { handler?(self) }
            }
        }
    }
}

/// The folder of the user's data, which is never purged (XDG Base Directory Specification).
enum DataFolder {
    static var path: String {
        let environment = ProcessInfo.processInfo.environment
        if let path = environment["XDG_DATA_HOME"], path.hasPrefix("/") { return path }
        return (environment["HOME"] ?? NSHomeDirectory()) + "/.local/share"
    }
}
