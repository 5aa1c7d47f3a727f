import FerryRules
import FerryTesting
import Foundation
import Testing

@testable import FerryURLSession

@Suite struct `The destination of a task` {
    private typealias Destination = FerryURLSession.URLSessionDownloadTask.Destination

    private func place(
        _ path: String, at destination: Destination?, status: Int = 200
    ) throws -> FilePlacement {
        let session = FerryURLSession.URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        let task = session.downloadTask(with: URL(fileURLWithPath: "/nowhere"))
        task.destination = destination
        return try FilePlacement.place(path, task: task, status: status)
    }

    private func withFile(_ body: (TemporaryFolder, String, URL) throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.file("spooled")
            try Data("new".utf8).write(to: URL(fileURLWithPath: path))
            try body(folder, path, URL(fileURLWithPath: folder.file("file.txt")))
        }
    }

    private func text(_ file: URL) -> String? { try? String(contentsOf: file, encoding: .utf8) }

    @Test func `§7 a success's file goes there in one step and stays`() async throws {
        try await withFile { _, path, file in
            let placed = try place(path, at: Destination(file))
            #expect(placed.file == file && placed.stays && text(file) == "new")
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func `§7 a file that cannot go there is kept, and the error says why`() async throws {
        try await withFile { folder, path, file in
            let missing = folder.file("missing")
            var error = #expect(throws: URLError.self) {
                try place(path, at: Destination(URL(fileURLWithPath: missing + "/file.txt")))
            }
            #expect(error?.code == .cannotMoveFile && error?.localizedDescription == "There is no folder \(missing).")
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
            error = #expect(throws: URLError.self) { try place(path, at: Destination(file, conflictPolicy: .replace)) }
            #expect(error?.localizedDescription == "Is a directory.")
            #expect(text(URL(fileURLWithPath: path)) == "new")
        }
    }

    @Test func `§7 the body of an error does not go there`() async throws {
        try await withFile { _, path, file in
            let placed = try place(path, at: Destination(file), status: 404)
            #expect(placed.file.path == path && !placed.stays && text(file) == nil)
        }
    }

    @Test func `§7 a file that is there already is kept, replaced or avoided`() async throws {
        try await withFile { folder, path, file in
            try Data("old".utf8).write(to: file)
            let error = #expect(throws: FerryURLSession.TransferError.self) { try place(path, at: Destination(file)) }
            #expect(error?.code == "destination_exists" && text(file) == "old")
            #expect(text(URL(fileURLWithPath: path)) == "new", "nothing is lost")
            let unique = try place(path, at: Destination(file, conflictPolicy: .unique))
            #expect(
                unique.file.lastPathComponent == "file-1.txt" && text(unique.file) == "new" && text(file) == "old")
            try Data("newest".utf8).write(to: URL(fileURLWithPath: path))
            _ = try place(path, at: Destination(file, conflictPolicy: .replace))
            #expect(text(file) == "newest")
        }
    }

    @Test func `§7 a process that died between the two names has its file at the second`() async throws {
        try await withFile { _, path, file in
            try FileManager.default.linkItem(atPath: path, toPath: file.path)
            let placed = try place(path, at: Destination(file))
            #expect(placed.file == file && text(file) == "new")
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }
}
