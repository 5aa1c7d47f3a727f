import FerryCore
import Foundation
import FoundationNetworking
import Glibc

/// Creates the transfer of a task.
///
/// ```
///   in the app: the first failure is final, and the task's delegate answers
///   in ferryd:  patient (docs/behaviour/url-session.md#76), and perhaps no process of the app runs to answer
/// ```
struct RequestMapping: Sendable {
    let configuration: URLSessionConfiguration
    let session: SessionID
    /// The app's identifier and the session's identifier within it, for notes.
    let application: String
    let identifier: String
    var proxies: [String: String] { connection.caller.proxies }
    private let connection: ConnectionSettings

    private var isBackground: Bool { configuration.kind == .background }

    init(_ configuration: URLSessionConfiguration, session: SessionID, application: String, identifier: String) {
        self.configuration = configuration
        self.session = session
        self.application = application
        self.identifier = identifier
        connection = ConnectionSettings(configuration)
    }

    /// Returns the transfer of a download. It waits for `resume()`.
    func download(_ request: URLRequest, task: Int, record: TaskRecord, continues: PartialSource? = nil)
        -> TransferRequest
    {
        var result = transfer(request, note(.download, task, record))
        apply(record, to: &result)
        result.body = request.httpBody.map { .bytes($0) }
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
        transfer(request, note(.data, task, record))
    }

    func note(_ kind: ClientNote.Kind, _ task: Int, _ record: TaskRecord) -> ClientNote {
        ClientNote(application: application, identifier: identifier, task: task, kind: kind, data: record.encoded())
    }

    // MARK: -

    /// Maximum size in bytes of a background upload's response body (docs/behaviour/url-session.md#31).
    private static let largestUploadAnswer: Int64 = 16 << 20

    private func transfer(_ request: URLRequest, _ note: ClientNote) -> TransferRequest {
        var result = TransferRequest(url: request.url?.absoluteString ?? "", folder: "")
        result.session = session
        result.method = request.httpMethod ?? "GET"
        result.headers = RequestFieldMapping.fields(request, configuration)
        result.timing.paused = true
        result.file.spooled = true
        result.response.statusPolicy = .any
        result.transport.foreignFields = .keep
        result.file.onFullDisk = .fail
        result.file.onConflict = .replace
        result.transport.redirects.allowPrivateRedirects = true
        connection.apply(to: &result)
        // Without a value, the engine applies its own limit.
        result.timing.idleTimeout = RequestFieldMapping.timeout(request, configuration) ?? RequestFieldMapping.longest
        result.timing.resourceTimeout = RequestFieldMapping.limit(configuration.timeoutIntervalForResource)
        result.transport.network = Self.network(request, configuration)
        // Only the resource timeout ends a transfer without progress.
        result.timing.giveUpAfter = 0
        result.note = note
        if isBackground {
            result.cookies = cookies(request)
            result.timing.retryRule = RetryRule()
        } else {
            result.timing.retries = 0
            result.timing.statusRetries = 0
        }
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

    /// Combines the request's and the session's flags. The stricter value applies.
    static func network(_ request: URLRequest, _ configuration: URLSessionConfiguration) -> NetworkPolicy {
        let isBackground = configuration.kind == .background
        return NetworkPolicy(
            allowsCellular: request.allowsCellularAccess && configuration.allowsCellularAccess,
            allowsExpensive: request.allowsExpensiveNetworkAccess && configuration.allowsExpensiveNetworkAccess,
            allowsConstrained: request.allowsConstrainedNetworkAccess && configuration.allowsConstrainedNetworkAccess,
            isDiscretionary: isBackground && configuration.isDiscretionary,
            waits: isBackground || configuration.waitsForConnectivity)
    }

    /// Returns the cookies for a request of a background session (docs/behaviour/url-session.md#23).
    ///
    /// A `Cookie` field of the request takes precedence.
    private func cookies(_ request: URLRequest) -> [GivenCookie] {
        guard configuration.httpShouldSetCookies, request.httpShouldHandleCookies, let url = request.url,
            request.value(forHTTPHeaderField: "Cookie") == nil
        else { return [] }
        return (configuration.httpCookieStorage?.cookies(for: url) ?? []).map { cookie in
            GivenCookie(
                name: cookie.name, value: cookie.value, domain: cookie.domain, path: cookie.path,
                secure: cookie.isSecure)
        }
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
