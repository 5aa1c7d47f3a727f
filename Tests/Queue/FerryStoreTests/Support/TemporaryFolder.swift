import FerryStore
import Foundation
import JournalKit

/// A private folder for one test, removed with its contents when released.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "ferry-journal-\(UUID().uuidString)").path()
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var journal: String { path + "/journal.sqlite" }

    func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }

    func bytes(_ name: String = "journal.sqlite") throws -> Data {
        try Data(contentsOf: URL(filePath: path + "/" + name))
    }
}

extension Sample {
    static func open(_ folder: TemporaryFolder) async throws -> SQLiteJournal {
        try await SQLiteJournal.open(at: folder.journal, logger: quiet).journal
    }
}
