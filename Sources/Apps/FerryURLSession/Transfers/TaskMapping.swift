import FerryCore
import Foundation
import FoundationNetworking
import Glibc

/// Creates the transfer of a session's task.
///
/// ```
///   in the app: the first failure is final, and the task's delegate answers
///   in ferryd:  patient (docs/behaviour/url-session.md#76), and perhaps no process of the app runs to answer
/// ```
struct TaskMapping: Sendable {
    let requests: RequestMapping
    /// The app's identifier and the session's identifier within it, for notes.
    let application: String
    let identifier: String

    var configuration: URLSessionConfiguration { requests.configuration }
    private var isBackground: Bool { requests.isBackground }

    init(_ configuration: URLSessionConfiguration, session: SessionID, application: String, identifier: String) {
        requests = RequestMapping(configuration, session: session)
        self.application = application
        self.identifier = identifier
    }

    /// Returns the transfer of a download. It waits for `resume()`.
    func download(_ request: URLRequest, task: Int, record: TaskRecord, continues: PartialSource? = nil)
        -> TransferRequest
    {
        var result = transfer(request, note(.download, task, record))
        apply(record, to: &result)
        result.response.decode = true
        result.file.continues = continues
        result.response.checksums = checksums(record)
        return result
    }

    /// Returns the transfer of an upload. It waits for `resume()`.
    func upload(
        _ request: URLRequest, file: RequestBody.SentFile, task: Int, record: TaskRecord
    ) -> TransferRequest {
        var result = transfer(request, note(.upload, task, record))
        apply(record, to: &result)
        result.body = .file(file)
        result.response.decode = true
        result.response.maxSize = Self.largestUploadAnswer
        return result
    }

    /// Returns ferryd's record of a task that runs in the app. It reserves the task's number.
    func placeholder(_ request: URLRequest, task: Int, record: TaskRecord) -> TransferRequest {
        var result = transfer(request, note(.data, task, record))
        result.body = nil
        return result
    }

    func note(_ kind: ClientNote.Kind, _ task: Int, _ record: TaskRecord) -> ClientNote {
        ClientNote(application: application, identifier: identifier, task: task, kind: kind, data: record.encoded())
    }

    // MARK: -

    /// Maximum size in bytes of a background upload's response body (docs/behaviour/url-session.md#31).
    private static let largestUploadAnswer: Int64 = 16 << 20

    private func transfer(_ request: URLRequest, _ note: ClientNote) -> TransferRequest {
        var result = requests.transfer(request)
        result.timing.paused = true
        result.file.spooled = true
        result.response.statusPolicy = .any
        result.file.onFullDisk = .fail
        result.file.onConflict = .replace
        result.note = note
        return result
    }

    /// Applies the settings that the app has made for the task so far.
    private func apply(_ record: TaskRecord, to result: inout TransferRequest) {
        result.timing.priority = Priority(task: record.priority)
        if isBackground { result.timing.notBefore = TransferTransport.begin(record.earliestBeginDate) }
        guard let options = record.options else { return }
        result.transport.rateLimit = Self.rate(options.bytesPerSecondLimit)
        guard let rule = options.retryPolicy?.rule else { return }
        result.timing.retryRule = rule
        // Only the rule limits the retries.
        result.timing.retries = nil
        result.timing.statusRetries = nil
    }

    /// Converts a rate limit for a transfer: nil becomes 0, which is no limit, and a value below the minimum is raised
    /// to it.
    static func rate(_ limit: Int64?) -> Int64 {
        limit.map { max($0, SettingRange<Int64>.rateLimit.allowed.lowerBound) } ?? 0
    }

    func checksums(_ record: TaskRecord) -> [Checksum] {
        // An invalid digest fails the task when it is resumed.
        guard let checksum = try? record.options?.expectedDigest?.checksum() else { return [] }
        return [checksum]
    }

    /// Returns the identity of a file to send.
    ///
    /// - Throws: `URLError` if the file does not exist.
    static func sentFile(_ file: URL) throws -> RequestBody.SentFile {
        var facts = stat()
        guard unsafe stat(file.path, &facts) == 0 else { throw URLError(.fileDoesNotExist) }
        let modified = Int64(seconds: facts.st_mtim.tv_sec, nanoseconds: facts.st_mtim.tv_nsec)
        return RequestBody.SentFile(
            path: file.path, size: Int64(facts.st_size), modified: modified, inode: UInt64(facts.st_ino),
            changed: Int64(seconds: facts.st_ctim.tv_sec, nanoseconds: facts.st_ctim.tv_nsec))
    }
}
