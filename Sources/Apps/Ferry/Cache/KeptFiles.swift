import FerryCore
import Foundation
import Glibc
import Synchronization

/// Finished files that stayed when their tasks were removed, so that a later download of the same URL finds them.
///
/// Stored in an index file beside them, which is replaced atomically and shared by all caches of a folder. Files
/// changed since are not found.
final class KeptFiles: Sendable {
    private struct Entry: Codable {
        let url: String
        let file: FileFacts
    }

    private struct State {
        var entries: [String: Entry] = [:]
        /// The names of the entries by URL, sorted.
        var names: [String: [String]] = [:]
        /// Attributes of the index when it was last read or written. Nil if there is none.
        var index: FileFacts?
        var isLoaded = false
    }

    /// Serializes changes, since another cache may use the same folder.
    private static let changing = Mutex(())

    private let folder: String
    private let files: String
    private let state = Mutex(State())

    private var index: String { folder + "/kept-files.json" }

    init(folder: String, files: String) {
        self.folder = folder
        self.files = files
    }

    func keep(_ kept: [(name: String, url: String)]) {
        change { entries in
            for (name, url) in kept {
                if let file = FileFacts(path(name)) { entries[name] = Entry(url: url, file: file) }
            }
        }
    }

    func name(of url: String) -> String? { names(of: CollectionOfOne(url))[url] }

    func names(of urls: some Sequence<String>) -> [String: String] {
        state.withLock { state in
            load(&state)
            var names: [String: String] = [:]
            if state.names.isEmpty { return names }
            for url in urls {
                names[url] = state.names[url]?.first { name in
                    state.entries[name].map { isUntouched(name, $0) } ?? false
                }
            }
            return names
        }
    }

    /// Deletes the unchanged files of some URLs.
    func delete(_ urls: Set<String>) {
        change { entries in
            for (name, entry) in entries where urls.contains(entry.url) {
                if !isUntouched(name, entry) || removes(name) { entries[name] = nil }
            }
        }
    }

    /// Deletes all unchanged files.
    func deleteAll() {
        change { entries in
            entries = entries.filter { name, entry in isUntouched(name, entry) && !removes(name) }
        }
    }

    // MARK: -

    private func path(_ name: String) -> String { files + "/" + name }

    /// Deletes a file, and returns whether it is gone. A file that stays keeps its entry.
    private func removes(_ name: String) -> Bool { unsafe unlink(path(name)) == 0 || errno == ENOENT }

    private func isUntouched(_ name: String, _ entry: Entry) -> Bool { FileFacts(path(name)) == entry.file }

    private func change(_ body: (inout [String: Entry]) -> Void) {
        Self.changing.withLock { _ in
            state.withLock { state in
                load(&state)
                let count = state.entries.count
                body(&state.entries)
                guard count > 0 || !state.entries.isEmpty else { return }
                save(&state)
            }
        }
    }

    /// Reads the index if it has changed.
    private func load(_ state: inout State) {
        let facts = FileFacts(index)
        guard !state.isLoaded || facts != state.index else { return }
        let data = facts == nil ? nil : try? Data(contentsOf: URL(fileURLWithPath: index))
        let entries = data.flatMap { try? JSONDecoder().decode([String: Entry].self, from: $0) } ?? [:]
        state.isLoaded = true
        state.index = facts
        // Entries of changed and missing files are dropped, so that the index does not grow forever.
        state.entries = entries.filter { FileNaming.sanitized($0.key) == $0.key && isUntouched($0.key, $0.value) }
        arrange(&state)
    }

    private func arrange(_ state: inout State) {
        state.names = Dictionary(grouping: state.entries.keys.sorted()) { state.entries[$0]?.url ?? "" }
    }

    /// Writes the index. A failure costs at most a repeated download.
    private func save(_ state: inout State) {
        arrange(&state)
        guard let data = try? JSONEncoder().encode(state.entries) else { return }
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let near = index + ".new"
        let descriptor = unsafe open(near, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard (try? file.write(contentsOf: data)) != nil, (try? file.synchronize()) != nil else { return }
        guard unsafe rename(near, index) == 0 else { return }
        state.index = FileFacts(index)
    }
}

/// Attributes that identify an unchanged regular file.
struct FileFacts: Hashable, Codable {
    let size: Int64
    /// Nanoseconds since 1970.
    let modified: Int64

    /// Reads the attributes of a path. Nil unless it is a regular file; symbolic links are not followed.
    init?(_ path: String) {
        var facts = stat()
        guard unsafe lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        size = Int64(facts.st_size)
        modified = Int64(seconds: facts.st_mtim.tv_sec, nanoseconds: facts.st_mtim.tv_nsec)
    }
}
