import FerryCore
import Foundation
import Synchronization

extension DownloadSpec {
    /// Maximum size of the metadata in bytes.
    private static let largestMetadata = 64 << 10

    /// - Throws: The error, before anything is stored.
    func check() throws(FerryError) {
        switch destination {
        case .file(let url), .directory(let url):
            guard url.isFileURL, url.path.hasPrefix("/") else { throw .invalidDestination(path: url.absoluteString) }
        case .cache: break
        }
        if let checksum, checksum.core == nil { throw .checksumMismatch(expected: checksum.code, actual: "") }
        let bytes = metadata.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard bytes <= Self.largestMetadata else {
            throw .recordStoreFailed(message: "Metadata of \(bytes) bytes is more than \(Self.largestMetadata).")
        }
    }

    /// Returns the task of the description in a session, and its transfer.
    ///
    /// - Throws: The error for which the daemon would refuse it, so that it does not affect the others of a batch.
    func plan(
        for session: ManagedSession, _ mapping: ManagerMapping, _ hooks: ChainHooks, cache: Cache
    ) throws(FerryError) -> (task: DownloadTask, plan: RequestPlan) {
        var request = mapping.download(URLRequest(url, method: method, headers: headers, body: body), in: cache)
        hooks.trustPolicy(forHost: url.host)?.apply(to: &request)
        request.file.onConflict = conflict.policy
        request.timing.priority = Priority(clamping: priority)
        request.timing.notBefore = notBefore
        request.transport.network.isDiscretionary = conditions.isDiscretionary
        request.response.expectedSize = expectedSize
        request.tags = tags.sorted()
        // An invalid number would make the daemon refuse the download.
        if let connections { request.transport.connections = SettingRange<Int>.connections.clamp(connections) }
        request.transport.rateLimit =
            maxBytesPerSecond.map { max($0, SettingRange<Int64>.rateLimit.allowed.lowerBound) } ?? 0
        request.mirrors = mirrors.map(\.absoluteString)
        var note = TaskNote(url: url.absoluteString)
        if let id { note.id = id.rawValue }
        note.metadata = metadata
        note.values = valuesDigest
        if let checksum, let wanted = checksum.core {
            request.response.checksums = [wanted]
            request.response.onMismatch = .fail
            note.validation = TaskNote.Validation(code: checksum.code, type: checksum.type)
        }
        let fallback = FileNaming.defaultName(for: url)
        var name: String?
        var shown: String
        switch destination {
        case .cache(let given):
            name = given.map { FileNaming.sanitized($0, url: url.absoluteString) } ?? fallback
            shown = name ?? fallback
        case .file(let file):
            request.file.folder = file.deletingLastPathComponent().path
            name = file.lastPathComponent
            shown = file.lastPathComponent
        case .directory(let folder):
            request.file.folder = folder.path
            // The server suggests it.
            name = nil
            shown = url.lastPathComponent.isEmpty ? fallback : url.lastPathComponent
        }
        var initial = TaskState(
            note: note, url: url, folder: request.file.folder, fileName: shown, expectedSize: expectedSize)
        initial.asked = TaskParameters(
            url: url.absoluteString, method: method, headers: headers, tags: tags,
            priority: request.timing.priority.rawValue)
        if let date = notBefore, date > Date() { initial.waitingReason = .notBefore(date) }
        var asked = request
        (asked.url, asked.file.name) = (url.absoluteString, name)
        do throws(ServiceError) {
            _ = try TransferAdmission.admit(asked)
        } catch {
            session.log { .error("A download was refused.", error: error) }
            throw FerryError(error)
        }
        let task = DownloadTask(initial, url: url, session: session)
        return (task, RequestPlan(template: PlanTemplate(request), url: url.absoluteString, name: name))
    }
}
