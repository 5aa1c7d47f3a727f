import FerryTesting
import Synchronization

/// Notes recorded by closures, in the order in which they ran.
final class Notes<Note: Sendable>: Sendable {
    private let notes = Mutex<[Note]>([])

    func add(_ note: Note) { notes.withLock { $0.append(note) } }

    var all: [Note] { notes.withLock { $0 } }
    var count: Int { notes.withLock { $0.count } }

    /// Waits until the notes satisfy a condition and returns them.
    @discardableResult
    func wait(_ what: String = "notes", until condition: ([Note]) -> Bool) async throws -> [Note] {
        do {
            try await eventually { condition(all) }
        } catch let error as TestingError {
            throw TestingError("\(what): \(error). Told: \(all)")
        }
        return all
    }

    /// Waits for `count` notes that match and returns all notes.
    @discardableResult
    func wait(count: Int, where matches: (Note) -> Bool = { _ in true }) async throws -> [Note] {
        try await wait("\(count) notes") { $0.count(where: matches) >= count }
    }
}

extension Notes<String> {
    /// The notes without progress.
    var ends: [String] { all.filter { !$0.contains("progress") } }

    func wait(for note: String) async throws { try await wait("“\(note)”") { $0.contains(note) } }
}
