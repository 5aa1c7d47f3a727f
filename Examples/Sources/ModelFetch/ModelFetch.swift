// Downloads a language model: the files of a manifest, each verified with its SHA-256. You can kill it at any time: the
// daemon continues, and the next start picks up the downloads. Programs that share a folder download a model once.
//
//     swift run ModelFetch https://hub.example.org/models/small/manifest.json ~/models/small

import Ferry
import Foundation

@main struct ModelFetch {
    static func main() async {
        let words = CommandLine.arguments.dropFirst()
        guard words.count == 2, let address = words.first.flatMap({ URL(string: $0) }), let path = words.last else {
            print("usage: ModelFetch MANIFEST-URL FOLDER")
            exit(64)
        }
        do {
            try await fetch(address, into: URL(fileURLWithPath: path, isDirectory: true))
        } catch {
            print("The model is not complete: \(error.localizedDescription)")
            exit(1)
        }
    }

    static func fetch(_ address: URL, into folder: URL) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // Another program that uses the model may be downloading it.
        let lock = try await FolderLock(folder)
        defer { lock.release() }
        let (data, _) = try await URLSession.shared.data(from: address)
        let manifest = try Manifest(data)
        let missing = manifest.files.filter { !$0.isThere(in: folder) }
        print("\(manifest.files.count) files, \(manifest.files.count - missing.count) are there.")
        guard !missing.isEmpty else { return print("The model is complete.") }
        for file in missing {
            let parent = file.place(in: folder).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        }

        var configuration = SessionConfiguration()
        configuration.maxConcurrentTasksLimit = 4
        configuration.checksumMismatchPolicy = .fail
        let manager = SessionManager("models", configuration: configuration)
        manager.logger.option = .none
        let tasks = try await manager.enqueue(missing.map { try $0.spec(of: address, in: folder) })
        // Resumes failed and paused downloads. A successful one is repeated if its file is missing.
        for task in tasks where ![.waiting, .running].contains(task.status) { try await task.start() }

        try await withThrowingTaskGroup { group in
            for task in tasks {
                group.addTask {
                    let file = try await task.value
                    print("have \(file.lastPathComponent)")
                }
            }
            let progress = Task { await show(manager, tag: folder.path) }
            defer { progress.cancel() }
            try await group.waitForAll()
        }
        // Removes the records of the downloads, including an earlier start's. The files stay.
        for task in manager.tasks(taggedWith: folder.path) { try await task.remove() }
        print("The model is complete.")
    }

    /// Prints the progress of the files once a second.
    static func show(_ manager: SessionManager, tag: String) async {
        while (try? await Task.sleep(for: .seconds(1))) != nil {
            let progress = manager.progress(taggedWith: tag)
            let rest = progress.timeRemaining.map { ", \($0.components.seconds) s left" } ?? ""
            print("\(progress.receivedBytes) of \(progress.expectedBytes ?? 0) bytes, \(manager.speedString)\(rest)")
        }
    }
}

/// Prevents other programs from downloading into a folder, until it is released or the process ends.
struct FolderLock {
    private let file: Int32

    /// Waits while another program holds the lock.
    init(_ folder: URL) async throws {
        file = open(folder.appendingPathComponent(".fetching").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw CocoaError(.fileWriteNoPermission) }
        guard flock(file, LOCK_EX | LOCK_NB) != 0 else { return }
        print("Another program fetches this model; waiting for it.")
        while flock(file, LOCK_EX | LOCK_NB) != 0 { try await Task.sleep(for: .milliseconds(200)) }
    }

    func release() { close(file) }
}
