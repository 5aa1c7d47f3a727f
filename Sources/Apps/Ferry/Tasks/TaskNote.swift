import FerryCore
import Foundation

/// Properties that a task stores with its transfer, in addition to the transfer's own.
struct TaskNote: Hashable, Codable, Sendable {
    /// The API that created the task.
    enum Kind: String, Codable, Sendable {
        /// The daemon places the file.
        case placed
        /// The file waits for its app, which chooses the destination.
        case chain
    }

    /// An expected checksum.
    struct Validation: Hashable, Codable, Sendable {
        var code: String
        var type: FileChecksumHelper.VerificationType
        /// The result, or nil while undecided.
        var result: Int?
    }

    var id: String
    /// As given.
    var url: String
    var kind: Kind = .placed
    /// Whether the URL alone identifies the task.
    var isNamedByURL = true
    var metadata: [String: String] = [:]
    var validation: Validation?
    /// The digest of the description's other values, or nil if it has only usual ones.
    var values: String?

    init(id: String = TaskNote.newID(), url: String) {
        self.id = id
        self.url = url
    }

    /// Returns a unique identifier: a random UUID (RFC 9562 §5.4).
    ///
    /// Foundation's own opens a file for each.
    static func newID() -> String {
        let high = UInt64.random(in: 0 ... .max) & ~0xF000 | 0x4000
        let low = UInt64.random(in: 0 ... .max) & ~(3 << 62) | 2 << 62
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (index, digit) in (high.hexDigits + low.hexDigits).utf8.enumerated() {
            if index == 8 || index == 12 || index == 16 || index == 20 { text.append(UInt8(ascii: "-")) }
            text.append(digit)
        }
        return String(decoding: text, as: UTF8.self)
    }

    private enum CodingKeys: String, CodingKey {
        case id, url, kind, metadata, validation, values
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
        values = try box.decodeIfPresent(String.self, forKey: .values)
    }

    func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: CodingKeys.self)
        try box.encode(id, forKey: .id)
        try box.encode(url, forKey: .url)
        if kind != .placed { try box.encode(kind, forKey: .kind) }
        if !isNamedByURL { try box.encode(false, forKey: .isNamedByURL) }
        if !metadata.isEmpty { try box.encode(metadata, forKey: .metadata) }
        try box.encodeIfPresent(validation, forKey: .validation)
        try box.encodeIfPresent(values, forKey: .values)
    }

    /// The note as text.
    var text: String {
        if self == TaskNote(id: id, url: url), Self.isPlain(id), Self.isPlain(url) {
            return #"{"id":"\#(id)","url":"\#(url)"}"#
        }
        guard let data = try? JSONEncoder().encode(self) else { return "" }
        return String(decoding: data, as: UTF8.self)
    }

    /// Parses a note. Returns nil if the text is not one.
    init?(text: String) {
        if let note = Self.plain(text) {
            self = note
            return
        }
        guard let note = try? JSONDecoder().decode(TaskNote.self, from: Data(text.utf8)) else { return nil }
        self = note
    }

    // MARK: Plain notes

    // Most notes contain only id and URL. An encoder and decoder for each of thousands would be slow.

    /// Parses the simple form of a note. Returns nil for every other text.
    private static func plain(_ text: String) -> TaskNote? {
        let quote = UInt8(ascii: "\"")
        let parts = text.utf8.split(separator: quote, omittingEmptySubsequences: false).map { Substring($0) }
        guard parts.count == 9, parts[0] == "{", parts[1] == "id", parts[2] == ":", parts[4] == ",", parts[5] == "url",
            parts[6] == ":", parts[8] == "}", isPlain(parts[3]), isPlain(parts[7])
        else { return nil }
        return TaskNote(id: String(parts[3]), url: String(parts[7]))
    }

    /// Whether a text needs no escaping in JSON.
    private static func isPlain(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { $0 >= UInt8(ascii: " ") && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
}
