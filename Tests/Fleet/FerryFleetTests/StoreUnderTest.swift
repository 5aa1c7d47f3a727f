import Crypto
import FerryCore
import FerryFleet
import FerryFoundation
import FleetKit
import Synchronization

/// One of the stores of results, with a file to deliver and a folder in it.
final class StoreUnderTest: Sendable {
    enum Kind: String, CaseIterable, Sendable { case folder, memory }

    static let token = JobToken(high: 1, low: 2)

    let store: any ResultStore
    /// The store's folder.
    let results: String
    private let root: String
    private let memory: SharedMemoryStore?
    private var spool: String { root + "/spool" }

    /// - Parameter mark: Content of the folder's mark, or `nil` for none.
    init(_ kind: Kind, mark: String? = "mark") throws {
        root = FileManager.default.temporaryDirectory.path + "/store-\(UUID().uuidString)"
        results = root + "/results"
        try FileManager.default.createDirectory(atPath: results, withIntermediateDirectories: true)
        if let mark { try Data("\(mark)\n".utf8).write(to: URL(fileURLWithPath: results + "/.ferry-fleet-store")) }
        switch kind {
        case .folder:
            memory = nil
            store = FolderStore([Store(name: "results", folder: results, mark: "mark")])
        case .memory:
            let shared = SharedMemoryStore()
            memory = shared
            store = shared
        }
        try change("content")
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    /// Gives the file to deliver another content of seven bytes.
    func change(_ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: spool))
        memory?.change(text)
    }

    func delivery(
        fence: Int32 = 1, attempt: Int = 1, folder: String = "sub/folder", name: String = "file.bin",
        policy: ConflictPolicy = .fail
    ) -> Delivery {
        Delivery(
            key: LeaseKey(job: JobID(7), token: Self.token, fence: fence), file: LocalFile(path: spool, size: 7),
            folder: results + "/" + folder, name: name, policy: policy, writer: "w", attempt: attempt)
    }

    /// The look at a delivery's destination, before it.
    func look(_ delivery: Delivery, known: [Intent] = []) -> Look {
        Look(
            key: delivery.key, folder: delivery.folder, name: delivery.name, policy: delivery.policy, known: known)
    }

    /// Delivers as an agent does whose lease stands.
    func deliver(_ delivery: Delivery) async throws -> JobResult {
        var file = try await store.prepare(delivery)
        while true {
            switch try await store.place(file, of: delivery, known: [file.intent]) {
            case .renamed(let next): file = next
            case .delivered(let result):
                await store.discard(delivery, and: [])
                return result
            }
        }
    }

    /// Creates a file that belongs to no job in the folder.
    func write(_ text: String, _ name: String) throws {
        if let memory { return memory.addForeign(path(name)) }
        try FileManager.default.createDirectory(atPath: results + "/sub/folder", withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    }

    func path(_ name: String) -> String { results + "/sub/folder/" + name }

    /// The facts of a delivered file with this content.
    func result(_ text: String, _ name: String) -> JobResult {
        let digest =
            memory?.digest(text)
            ?? SHA256.hash(data: Data(text.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
            .joined()
        return JobResult(path: path(name), size: 7, sha256: digest)
    }

    func read(_ name: String) -> String? {
        if let memory { return memory.text(at: path(name)) }
        return try? String(contentsOfFile: path(name), encoding: .utf8)
    }

    /// All names in the folder, those of copies too.
    var names: [String] {
        if let memory { return memory.names }
        return ((try? FileManager.default.contentsOfDirectory(atPath: results + "/sub/folder")) ?? []).sorted()
    }
}

extension ResultStore {
    func prepare(_ delivery: Delivery) async throws(DeliveryFailure) -> PreparedFile {
        try await prepare(delivery, CopyProgress())
    }
}

/// The simulation's store behind the protocol.
private final class SharedMemoryStore: ResultStore {
    private struct State {
        var store = MemoryStore()
        /// Contents that the file to deliver has had. A content is one version of the source.
        var texts: [String] = []
    }

    private let state = Mutex(State())

    func change(_ text: String) { state.withLock { $0.texts.append(text) } }
    func addForeign(_ path: String) { state.withLock { $0.store.addForeign(path) } }

    func digest(_ text: String) -> String {
        state.withLock { state in
            FileContent(token: StoreUnderTest.token, version: state.texts.firstIndex(of: text) ?? -1).sha256
        }
    }

    func text(at path: String) -> String? {
        state.withLock { state in
            guard let content = state.store.finals[path].flatMap({ state.store.contents[$0] }) else { return nil }
            return content.token == nil ? "other" : state.texts[content.version]
        }
    }

    var names: [String] {
        state.withLock { state in
            let finals = state.store.finals.keys.compactMap { $0.split(separator: "/").last.map(String.init) }
            return (finals + state.store.parts.keys).sorted()
        }
    }

    func look(_ look: Look) throws(DeliveryFailure) -> JobResult? {
        try state.withLock { $0.store.look(look) }.get()
    }

    func prepare(_ delivery: Delivery, _ progress: CopyProgress) -> PreparedFile {
        state.withLock { state in
            let content = FileContent(token: delivery.key.token, version: state.texts.count - 1)
            return state.store.prepare(delivery, by: "machine", content: content)
        }
    }

    func place(_ file: PreparedFile, of delivery: Delivery, known: [Intent]) throws(DeliveryFailure) -> Placement {
        try state.withLock { $0.store.place(file, of: delivery, known: known) }.get()
    }

    func discard(_ delivery: Delivery, and earlier: [Intent]) {
        state.withLock { $0.store.discard(delivery, and: earlier) }
    }
}
