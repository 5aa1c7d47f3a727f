// Ferry: Ferry
// What a task keeps with its transfer in the daemon.

import Foundation

/// What a task keeps with its transfer in the daemon, beyond what the transfer says itself.
struct TaskNote: Hashable, Codable, Sendable {
    /// Which of the library's faces made the task.
    enum Kind: String, Codable, Sendable {
        /// The daemon puts the file into its place.
        case placed
        /// The file waits for its app, which says where it goes.
        case chain
    }

    /// A code that the file is to be compared with.
    struct Validation: Hashable, Codable, Sendable {
        var code: String
        var type: FileChecksumHelper.VerificationType
        /// What was found; nil until it was decided.
        var result: Int?
    }

    var id: String
    /// As it was given.
    var url: String
    var kind: Kind = .placed
    /// Whether a call with this URL alone means this task.
    var isNamedByURL = true
    var metadata: [String: String] = [:]
    var validation: Validation?

    init(id: String, url: String) {
        self.id = id
        self.url = url
    }

    private enum CodingKeys: String, CodingKey {
        case id, url, kind, metadata, validation
        case isNamedByURL = "named_by_url"
    }

    init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        id = try box.decode(String.self, forKey: .id)
        url = try box.decode(String.self, forKey: .url)
        kind = try box.decodeIfPresent(Kind.self, forKey: .kind) ?? .placed
        isNamedByURL = try box.decodeIfPresent(Bool.self, forKey: .isNamedByURL) ?? true
        metadata = try box.decodeIfPresent([String: String].self, forKey: .metadata) ?? [:]
        validation = try box.decodeIfPresent(Validation.self, forKey: .validation)
    }

    func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: CodingKeys.self)
        try box.encode(id, forKey: .id)
        try box.encode(url, forKey: .url)
        if kind != .placed { try box.encode(kind, forKey: .kind) }
        if !isNamedByURL { try box.encode(false, forKey: .isNamedByURL) }
        if !metadata.isEmpty { try box.encode(metadata, forKey: .metadata) }
        try box.encodeIfPresent(validation, forKey: .validation)
    }

    /// The note as text.
    var text: String {
        guard let data = try? JSONEncoder().encode(self) else { return "" }
        return String(decoding: data, as: UTF8.self)
    }

    /// The note of a text; nil if it is none.
    init?(text: String) {
        guard let note = try? JSONDecoder().decode(TaskNote.self, from: Data(text.utf8)) else { return nil }
        self = note
    }
}
