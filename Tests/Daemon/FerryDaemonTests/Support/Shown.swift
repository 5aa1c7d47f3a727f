import FerryTesting
import Foundation

/// A transfer in `--json` output, decoded without Ferry's types, as a script would.
struct Shown: Decodable {
    struct Failure: Decodable {
        var code: String
        var message: String
    }

    /// A name such as `high`, or a number.
    struct Priority: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            let box = try decoder.singleValueContainer()
            text = try (try? box.decode(String.self)) ?? String(box.decode(Int.self))
        }
    }

    var id: String
    var session: String
    var url: String
    var final_url: String?
    var state: String
    var reason: String?
    var bytes_received: Int64
    var bytes_expected: Int64?
    var destination: String?
    var error: Failure?
    var attempts: Int
    var created_at: String
    var finished_at: String?
    var priority: Priority
    var tags: [String]
}

extension DaemonFixture {
    /// Returns a transfer's state from `ferry info --json`.
    func info(_ id: String) async throws -> Shown {
        try await run(["info", id, "--json"]).json(Shown.self)
    }

    /// Returns all transfers from `ferry list --json`.
    func list() async throws -> [Shown] {
        try await run(["list", "--json"]).json([Shown].self)
    }

    /// Adds a transfer and returns its id.
    func add(_ arguments: String...) async throws -> String {
        let result = try await run(["add"] + arguments)
        guard result.status == 0, let id = result.lines.first else { throw TestingError("add failed: \(result)") }
        return id
    }

    /// Returns the SHA-256 of a file in the folder.
    func sha256(_ name: String) throws -> String { try FileDigest.sha256(file(name)) }
}
