import Dispatch
import FerryURLSession
public import Foundation
import Synchronization

/// Where the files of a manager are, finished or not.
///
/// The folders are made when the first download needs them, for their user alone. What the daemon knows of downloads
/// is not here, so that a cache may be emptied or moved without harm to it.
public final class Cache: Sendable {
    public let identifier: String
    /// Holds the other two folders.
    public let downloadPath: String
    /// Unfinished files.
    public let downloadTmpPath: String
    /// Finished files.
    public let downloadFilePath: String
    private let kept: KeptFiles
    private let links = Mutex<[@Sendable (String) -> String?]>([])

    /// Names the folders of a cache; makes none.
    ///
    /// - Parameters:
    ///   - downloadPath: a path or a `file://` URL as text; without one a folder of the app among the user's data.
    ///   - downloadTmpPath: the folder of unfinished files; without one `Tmp` in the first.
    ///   - downloadFilePath: the folder of finished files; without one `File` in the first.
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

    /// Names the folder of a cache that is given none, by its identifier; applies to caches that are made later.
    public static var defaultDiskCachePathClosure: @Sendable (String) -> String {
        get { pathClosure.withLock { $0 } }
        set { pathClosure.withLock { $0 = newValue } }
    }

    // MARK: By name

    /// The path of a finished file, whose name is made harmless as that of a download is; nil for an empty name.
    public func filePath(fileName: String) -> String? {
        FileNaming.sanitized(fileName).map { downloadFilePath + "/" + $0 }
    }

    /// The URL of a finished file; nil for an empty name.
    public func fileURL(fileName: String) -> URL? {
        filePath(fileName: fileName).map { URL(fileURLWithPath: $0, isDirectory: false) }
    }

    /// Whether there is a file of this name; what a symbolic link leads to is none.
    public func fileExists(fileName: String) -> Bool {
        filePath(fileName: fileName).map { FileFacts($0) != nil } ?? false
    }

    // MARK: By URL

    /// The path of the file of a URL: as its task has it, else as it would be; nil if this is no http or https URL.
    public func filePath(url: any URLConvertible) -> String? { name(of: url).flatMap { filePath(fileName: $0) } }

    /// The URL of the file of a URL; nil if this is no http or https URL.
    public func fileURL(url: any URLConvertible) -> URL? { name(of: url).flatMap { fileURL(fileName: $0) } }

    /// Whether the file of a URL is there.
    public func fileExists(url: any URLConvertible) -> Bool { name(of: url).map { fileExists(fileName: $0) } ?? false }

    private func name(of url: any URLConvertible) -> String? {
        guard let address = try? url.address().absoluteString else { return nil }
        for link in links.withLock({ $0 }) {
            if let name = link(address) { return name }
        }
        return FileNaming.defaultName(for: address)
    }

    /// Asks a session, from here on, for the names of its tasks' files.
    func link(_ names: @escaping @Sendable (String) -> String?) { links.withLock { $0.append(names) } }

    // MARK: Files that were kept

    /// Notes files that stay although their tasks go.
    func keep(_ files: [(name: String, url: String)]) { kept.keep(files) }

    /// The name of a URL's file that has stayed as it was when its task went; nil if there is none.
    func keptName(of url: String) -> String? { kept.name(of: url) }

    /// The names of the files of some URLs that have stayed so, by their URLs.
    func keptNames(of urls: some Sequence<String>) -> [String: String] { kept.names(of: urls) }

    /// Deletes the files of some URLs that have stayed although their tasks went.
    func deleteKeptFiles(of urls: Set<String>) { kept.delete(urls) }

    /// Deletes the files that have stayed although their tasks went.
    func deleteKeptFiles() { kept.deleteAll() }

    // MARK: -

    /// A path, given as one or as a `file://` URL.
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
    /// Takes all tasks of the cache out of their manager and deletes their files, and nothing else.
    ///
    /// - Parameter handler: called once when that is done, after the closures of the tasks, also if there was nothing.
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

/// The folder of the user's data, which no system purges (XDG Base Directory Specification).
enum DataFolder {
    static var path: String {
        let environment = ProcessInfo.processInfo.environment
        if let path = environment["XDG_DATA_HOME"], path.hasPrefix("/") { return path }
        return (environment["HOME"] ?? NSHomeDirectory()) + "/.local/share"
    }
}
