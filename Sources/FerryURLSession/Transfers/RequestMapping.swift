import FerryCore
import Foundation
import FoundationNetworking
import Glibc

/// Makes the transfer of a task.
///
/// ```
///   in the app: the first failure is final, and the task's delegate answers
///   in ferryd:  patient (docs/behaviour/url-session.md#76), and perhaps no process of the app runs to answer
/// ```
struct RequestMapping: Sendable {
    let configuration: URLSessionConfiguration
    let session: SessionID
    /// The app and the session's identifier in it, as notes name them.
    let application: String
    let identifier: String
    var proxies: [String: String] { caller.proxies }
    /// What requests take along of the app's environment, as it was when the session was made.
    private let caller: CallerEnvironment

    private var isBackground: Bool { configuration.kind == .background }

    init(_ configuration: URLSessionConfiguration, session: SessionID, application: String, identifier: String) {
        self.configuration = configuration
        self.session = session
        self.application = application
        self.identifier = identifier
        caller = .of(configuration)
    }

    /// The transfer of a download, which waits for `resume()`.
    func download(_ request: URLRequest, task: Int, record: TaskRecord, continues: PartialSource? = nil)
        -> TransferRequest
    {
        var result = transfer(request, note(.download, task, record))
        apply(record, to: &result)
        result.body = request.httpBody.map { .bytes($0) }
        result.decode = true
        result.continues = continues
        result.checksums = checksums(record)
        return result
    }

    /// The transfer of an upload, which waits for `resume()`.
    func upload(
        _ request: URLRequest, file: RequestBody.SentFile, task: Int, record: TaskRecord
    ) -> TransferRequest {
        var result = transfer(request, note(.upload, task, record))
        apply(record, to: &result)
        result.body = .file(file)
        result.decode = true
        result.maxSize = Self.largestUploadAnswer
        return result
    }

    /// What stands in ferryd for a task that runs in the app: its number, and that there is one.
    func placeholder(_ request: URLRequest, task: Int, record: TaskRecord) -> TransferRequest {
        transfer(request, note(.data, task, record))
    }

    func note(_ kind: ClientNote.Kind, _ task: Int, _ record: TaskRecord) -> ClientNote {
        ClientNote(application: application, identifier: identifier, task: task, kind: kind, data: record.encoded())
    }

    // MARK: -

    /// The response body of a background upload may have so many bytes (docs/behaviour/url-session.md#31).
    private static let largestUploadAnswer: Int64 = 16 << 20

    private func transfer(_ request: URLRequest, _ note: ClientNote) -> TransferRequest {
        var result = TransferRequest(url: request.url?.absoluteString ?? "", folder: "")
        result.session = session
        result.method = request.httpMethod ?? "GET"
        result.headers = RequestFieldMapping.fields(request, configuration)
        result.paused = true
        result.spooled = true
        result.statusPolicy = .any
        result.foreignFields = .keep
        result.onFullDisk = .fail
        result.onConflict = .replace
        result.redirects.allowPrivateRedirects = true
        caller.apply(to: &result)
        // Without one the engine has a limit of its own.
        result.idleTimeout = RequestFieldMapping.timeout(request, configuration) ?? RequestFieldMapping.longest
        result.resourceTimeout = RequestFieldMapping.limit(configuration.timeoutIntervalForResource)
        result.network = Self.network(request, configuration)
        result.minimumTLS = TLSMapping.version(configuration.tlsMinimumSupportedProtocolVersion)
        result.maximumTLS = TLSMapping.version(configuration.tlsMaximumSupportedProtocolVersion)
        // The resource timeout alone ends what gets nowhere.
        result.giveUpAfter = 0
        result.note = note
        if isBackground {
            result.cookies = cookies(request)
            result.retryRule = RetryRule()
        } else {
            result.retries = 0
            result.statusRetries = 0
        }
        return result
    }

    /// Applies what the app has set for the task so far.
    private func apply(_ record: TaskRecord, to result: inout TransferRequest) {
        result.priority = Priority(task: record.priority)
        if isBackground { result.notBefore = TransferTransport.begin(record.earliestBeginDate) }
        guard let options = record.options else { return }
        result.rateLimit = Self.rate(options.bytesPerSecondLimit)
        guard let rule = options.retryPolicy?.rule else { return }
        result.retryRule = rule
        // The rule alone decides when the retries end.
        result.retries = nil
        result.statusRetries = nil
    }

    /// The rate limit of a transfer: nil becomes 0, which is no limit; a limit below the least allowed one is raised to it.
    static func rate(_ limit: Int64?) -> Int64 {
        limit.map { max($0, SettingRange<Int64>.rateLimit.allowed.lowerBound) } ?? 0
    }

    /// The stricter of the request's flags and the session's.
    static func network(_ request: URLRequest, _ configuration: URLSessionConfiguration) -> NetworkPolicy {
        let isBackground = configuration.kind == .background
        return NetworkPolicy(
            allowsCellular: request.allowsCellularAccess && configuration.allowsCellularAccess,
            allowsExpensive: request.allowsExpensiveNetworkAccess && configuration.allowsExpensiveNetworkAccess,
            allowsConstrained: request.allowsConstrainedNetworkAccess && configuration.allowsConstrainedNetworkAccess,
            isDiscretionary: isBackground && configuration.isDiscretionary,
            waits: isBackground || configuration.waitsForConnectivity)
    }

    /// The cookies that go with a request of a background session (docs/behaviour/url-session.md#23).
    ///
    /// A `Cookie` field of the request wins.
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
        // An invalid digest ends the task when it is resumed.
        guard let checksum = try? record.options?.expectedDigest?.checksum() else { return [] }
        return [checksum]
    }

    /// How a file looks that is to be sent.
    ///
    /// - Throws: `URLError` if there is none.
    static func sentFile(_ file: URL) throws -> RequestBody.SentFile {
        var facts = stat()
        guard unsafe stat(file.path, &facts) == 0 else { throw URLError(.fileDoesNotExist) }
        let modified = Int64(seconds: facts.st_mtim.tv_sec, nanoseconds: facts.st_mtim.tv_nsec)
        return RequestBody.SentFile(
            path: file.path, size: Int64(facts.st_size), modified: modified, inode: UInt64(facts.st_ino))
    }
}
