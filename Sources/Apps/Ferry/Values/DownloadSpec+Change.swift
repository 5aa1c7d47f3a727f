import FerryCore
import Foundation

extension DownloadSpec {
    /// Returns the change that gives an existing task of the same identifier the values of this description. Nil if
    /// nothing is to change.
    ///
    /// - Parameters:
    ///   - request: The transfer of a new task with this description.
    ///   - name: The name of its file, or nil if the server suggests it.
    /// - Throws: `invalidRequest` if the task must keep a value that this description changes.
    func change(
        of task: TaskState, to request: TransferRequest, name: String?
    ) throws(FerryError) -> TransferChange? {
        func keeps(_ value: String) -> FerryError { Self.keeps(value, of: task.note.id) }
        if method != task.asked.method { throw keeps("method") }
        if tags != task.asked.tags { throw keeps("tags") }
        let isSameURL = url.absoluteString == task.asked.url
        let isSameChecksum = checksum?.core == task.expectedChecksum
        let isSamePlace =
            !destination.isGiven
            || request.file.folder == task.file.folder && (name ?? task.file.givenName) == task.file.givenName
        if task.stored == .succeeded {
            // The same checksum proves that another URL has the same file.
            if !isSameURL, checksum == nil || !isSameChecksum { throw keeps("URL, since it has finished") }
            if checksum != nil, !isSameChecksum { throw keeps("checksum, since it has finished") }
            if !isSamePlace { throw keeps("destination, since it has finished") }
            return metadata == task.note.metadata ? nil : TransferChange()
        }
        if let expectedSize, let known = task.bytes.expected, expectedSize != known { throw keeps("expected size") }
        let isSame = isSameURL && isSameChecksum && isSamePlace && task.note(self) == task.note
        // The service sends a body again only as it is.
        if method != .get || body != nil, !isSameURL || valuesDigest != task.note.values {
            throw keeps("request, since it has another method or a body")
        }
        if isSame, task.stored != .failed, task.stored != .suspended { return nil }
        var change = TransferChange()
        if !isSameURL { change.url = url.absoluteString }
        // The daemon forgets secrets some time after a failure.
        if method == .get {
            change.headers = request.headers
            (change.login.cookies, change.login.logins) = (request.login.cookies, request.login.logins)
        }
        change.priority = request.timing.priority
        change.rateLimit = request.transport.rateLimit
        change.connections = request.transport.connections
        change.mirrors = request.mirrors
        change.network = request.transport.network
        change.notBefore = request.timing.notBefore ?? .distantPast
        if !isSameChecksum {
            change.checksums = request.response.checksums
            change.file.onMismatch = request.response.onMismatch
        }
        if !isSamePlace {
            change.file.folder = request.file.folder
            change.file.name = name
        }
        change.file.onConflict = request.file.onConflict
        return change
    }
}

extension DownloadSpec {
    /// Returns the error of a call that would change what a download must keep.
    static func keeps(_ value: String, of id: String) -> FerryError {
        .invalidRequest(message: "The download “\(id)” keeps its \(value): remove it first, or use another id.")
    }

    /// Returns the error of a call with two different descriptions for one identifier.
    static func twice(_ id: String) -> FerryError {
        .invalidRequest(message: "The id “\(id)” occurs twice, with different values.")
    }

    /// Whether two descriptions with one identifier ask for the same.
    func isEqual(to other: DownloadSpec) -> Bool {
        url == other.url && destination == other.destination && checksum == other.checksum
            && valuesDigest == other.valuesDigest
    }

    /// The digest of the values that a task does not keep itself, or nil if they are the usual ones. Header fields may
    /// be secret, so only a digest is stored.
    var valuesDigest: String? {
        var parts = headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        if priority != 0 { parts.append("priority \(priority)") }
        if let connections { parts.append("connections \(connections)") }
        if let rate = maxBytesPerSecond { parts.append("rate \(rate)") }
        parts += mirrors.map { "mirror \($0.absoluteString)" }
        if let date = notBefore { parts.append("not before \(date.timeIntervalSinceReferenceDate)") }
        if conditions.isDiscretionary { parts.append("discretionary") }
        if conflict != .unique { parts.append("conflict \(conflict.rawValue)") }
        if let body { parts.append("body \(FileCode.hex(of: body, .sha256))") }
        if parts.isEmpty { return nil }
        return FileCode.hex(of: Data(parts.joined(separator: "\n").utf8), .sha256)
    }
}

extension DownloadDestination {
    /// Whether it says more than the cache's folder and the default name.
    fileprivate var isGiven: Bool {
        switch self {
        case .cache(let name): name != nil
        case .file, .directory: true
        }
    }
}

extension TaskState {
    /// The checksum that the file must have.
    fileprivate var expectedChecksum: FerryCore.Checksum? {
        note.validation.flatMap { Checksum($0.type, $0.code).core }
    }

    /// Returns the note of the task with the values of a description.
    func note(_ spec: DownloadSpec) -> TaskNote {
        var note = note
        note.metadata = spec.metadata
        note.values = spec.valuesDigest
        // A finished task keeps its verdict.
        if stored == .succeeded { return note }
        let validation = spec.checksum.map { TaskNote.Validation(code: $0.code, type: $0.type) }
        if validation?.code != note.validation?.code || validation?.type != note.validation?.type {
            note.validation = validation
        }
        return note
    }

    /// Processes a change to the values of a description, once the daemon has stored it.
    mutating func take(_ spec: DownloadSpec, _ change: TransferChange) {
        note = note(spec)
        asked.headers = spec.headers
        asked.url = spec.url.absoluteString
        answer.url = spec.url
        if let folder = change.file.folder { file.move(to: folder, name: change.file.name) }
    }
}
