// Ferry: Ferry
// Downloads that are described by a value.

import FerryCore
import Foundation
import Synchronization

extension DownloadSpec {
    /// Bytes of metadata at most.
    private static let largestMetadata = 64 << 10

    /// - Throws: What is wrong with it, before anything is stored.
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
}

extension ManagedSession {
    /// The task of a description, and the transfer that is made for it.
    ///
    /// - Throws: Why the daemon would refuse it: one of many that is refused holds back the others.
    func plan(
        _ spec: DownloadSpec, _ configuration: SessionConfiguration, cache: Cache
    ) throws(FerryError) -> (task: DownloadTask, plan: RequestPlan) {
        var request = RequestPlan.template(configuration, place: place, cache: cache)
        request.method = spec.method.rawValue
        request.headers = RequestPlan.fields(spec.headers)
        request.body = spec.body.map { .bytes($0) }
        request.onConflict = spec.conflict.policy
        request.priority = Priority(clamping: spec.priority)
        request.notBefore = spec.notBefore
        request.expectedSize = spec.expectedSize
        request.tags = spec.tags.sorted()
        var note = TaskNote(url: spec.url.absoluteString)
        if let id = spec.id { note.id = id.rawValue }
        note.metadata = spec.metadata
        if let checksum = spec.checksum, let wanted = checksum.core {
            request.checksums = [wanted]
            request.onMismatch = .fail
            note.validation = TaskNote.Validation(code: checksum.code, type: checksum.type)
        }
        let fallback = FileNaming.defaultName(for: spec.url)
        var name: String?
        var shown: String
        switch spec.destination {
        case .cache(let given):
            name = given.map { FileNaming.sanitized($0, url: spec.url.absoluteString) } ?? fallback
            shown = name ?? fallback
        case .file(let url):
            request.folder = url.deletingLastPathComponent().path
            name = url.lastPathComponent
            shown = url.lastPathComponent
        case .directory(let url):
            request.folder = url.path
            // The server suggests it.
            name = nil
            shown = spec.url.lastPathComponent.isEmpty ? fallback : spec.url.lastPathComponent
        }
        var initial = TaskState(note: note, url: spec.url, folder: request.folder, fileName: shown)
        initial.method = spec.method
        initial.headers = spec.headers
        initial.tags = spec.tags
        initial.priority = request.priority.rawValue
        if let date = spec.notBefore, date > Date() { initial.waitingReason = .notBefore(date) }
        var asked = request
        (asked.url, asked.name) = (spec.url.absoluteString, name)
        do throws(FerryCore.TransferError) {
            _ = try TransferAdmission.admit(asked)
        } catch {
            log { .error("A download was refused.", error: error) }
            throw FerryError(error)
        }
        let task = DownloadTask(initial, url: spec.url, session: self)
        return (task, RequestPlan(template: PlanTemplate(request), url: spec.url.absoluteString, name: name))
    }
}
