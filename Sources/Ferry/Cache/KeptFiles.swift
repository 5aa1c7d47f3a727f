import FerryCore
import Foundation
import Glibc
import Synchronization

/// Finished files that stayed when their tasks were removed: a later download of the same URL finds them.
///
/// Kept in a file of its own beside them, which is replaced in one step and which all caches of a folder share. A file
/// that has been touched since is not found.
final class KeptFiles: Sendable {
    private struct Entry: Codable {
        let url: String
        let file: FileFacts
    }

    private struct State {
        var entries: [String: Entry] = [:]
        /// The names of the entries by their URLs, each in the order of names.
        var names: [String: [String]] = [:]
        /// What the index was when it was read or written; nil is none.
        var index: FileFacts?
        var isLoaded = false
    }

    /// Held for each change, which may come by way of another cache of the folder.
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

    /// Deletes the files of some URLs that are as they were.
    func delete(_ urls: Set<String>) {
        change { entries in
            for (name, entry) in entries where urls.contains(entry.url) {
                if isUntouched(name, entry) { unsafe unlink(path(name)) }
                entries[name] = nil
            }
        }
    }

    /// Deletes the files that are as they were.
    func deleteAll() {
        change { entries in
            for (name, entry) in entries where isUntouched(name, entry) { unsafe unlink(path(name)) }
            entries = [:]
        }
    }

    // MARK: -

    private func path(_ name: String) -> String { files + "/" + name }

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

    /// Reads the index if it is not what it was.
    private func load(_ state: inout State) {
        let facts = FileFacts(index)
        guard !state.isLoaded || facts != state.index else { return }
        let data = facts == nil ? nil : try? Data(contentsOf: URL(fileURLWithPath: index))
        let entries = data.flatMap { try? JSONDecoder().decode([String: Entry].self, from: $0) } ?? [:]
        state.isLoaded = true
        state.index = facts
        // Files that were changed or taken away are forgotten, so that the index has an end.
        state.entries = entries.filter { FileNaming.sanitized($0.key) == $0.key && isUntouched($0.key, $0.value) }
        arrange(&state)
    }

    private func arrange(_ state: inout State) {
        state.names = Dictionary(grouping: state.entries.keys.sorted()) { state.entries[$0]?.url ?? "" }
    }

    /// An index that cannot be written costs a download at most.
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

/// By what a regular file is known again.
struct FileFacts: Hashable, Codable {
    let size: Int64
    /// Nanoseconds since 1970.
    let modified: Int64

    /// What the disk says of a path; nil unless it is a regular file, which a symbolic link is not.
    init?(_ path: String) {
        var facts = stat()
        guard unsafe lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        size = Int64(facts.st_size)
        modified = Int64(seconds: facts.st_mtim.tv_sec, nanoseconds: facts.st_mtim.tv_nsec)
    }
}
