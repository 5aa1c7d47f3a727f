import FerryCore

/// Data stored with a transfer for aria2's clients: given values without a counterpart in Ferry's request.
struct DownloadNote: Hashable, Sendable {
    /// The gid chosen by the client, or `nil` to use the transfer's id.
    var gid: String?
    /// All URLs of a file with mirrors, without user names and passwords. Otherwise empty.
    var urls: [String] = []
    /// The options without secrets. A note is kept after its transfer finishes; secrets are not.
    var options = OptionValues()
    /// The names of options with parts removed because they are secret.
    var withheld: Set<String> = []

    static let application = "aria2"

    /// Options that the transfer itself holds, or that have no effect on an existing one.
    private static let shown: Set = ["dir", "ferry-session", "gid", "max-download-limit", "out", "pause"]

    init(gid: String?, urls: DownloadURLs, options: OptionValues) {
        self.gid = gid
        self.urls = urls.all.count == 1 ? [] : urls.withoutUserinfo.all
        for (name, value) in options.values where !Self.shown.contains(name) {
            let open = Self.withoutSecrets(name, value)
            self.options[name] = open
            if open != value { withheld.insert(name) }
        }
    }

    /// Returns the note of a transfer that was added over this interface, or `nil` for any other.
    init?(_ transfer: Transfer) {
        guard let note = transfer.note, note.application == Self.application else { return nil }
        let members = (try? RPCValueReader.read(Array(note.data.utf8)))?.members ?? [:]
        gid = members["gid"]?.text
        urls = members["urls"]?.elements?.compactMap(\.text) ?? []
        options = OptionValues(reading: members["options"]?.members ?? [:])
        withheld = Set(members["withheld"]?.elements?.compactMap(\.text) ?? [])
    }

    /// The note of a new transfer, or `nil` if it is empty.
    var clientNote: ClientNote? {
        gid == nil && urls.isEmpty && options.isEmpty && withheld.isEmpty ? nil : stored
    }

    /// The note in the service's format.
    var stored: ClientNote {
        var members: [String: RPCValue] = [:]
        members["gid"] = gid.map { .string($0) }
        if !urls.isEmpty { members["urls"] = .array(urls.map { .string($0) }) }
        if !options.isEmpty { members["options"] = options.value }
        if !withheld.isEmpty { members["withheld"] = .array(withheld.sorted().map { .string($0) }) }
        return ClientNote(
            application: Self.application, identifier: "", task: 0, kind: .download,
            data: String(decoding: RPCValue.object(members).json, as: UTF8.self))
    }

    /// Returns the part of a value that may be stored, or `nil` if there is none.
    private static func withoutSecrets(_ name: String, _ value: String) -> String? {
        if OptionNames.secret.contains(name) { return nil }
        if name.hasSuffix("-proxy") { return SecretParts.withoutUserinfo(value) }
        guard name == "header" else { return value }
        let lines = value.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.filter { line in
            let name = line.prefix { $0 != ":" }
            return !SecretParts.isSecret(HeaderField(name: String(name), value: ""))
        }.joined(separator: "\n")
    }
}
