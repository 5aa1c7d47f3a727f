import FerryCore
import Foundation
import FoundationNetworking
import Synchronization

/// The facts about a task that a later process needs and that its transfer lacks. Stored with the transfer.
///
/// The request's body is stored in the transfer instead.
struct TaskRecord: Codable, Equatable, Sendable {
    var original: RequestRecord
    /// The latest request, if it is not the original one.
    var current: RequestRecord?
    /// The app's request in place of the original one, if any.
    var replacement: RequestRecord?
    var description: String?
    var priority: Float = 0.5
    var prefersIncrementalDelivery = true
    var expectsToSend: Int64 = -1
    var expectsToReceive: Int64 = -1
    var earliestBeginDate: Date?
    var options: TaskOptions?
    /// The offset in bytes that the task resumes at, if it continues another task.
    var offset: Int64?
    /// The task's creation date.
    var createdAt: Date

    init(original: URLRequest, createdAt: Date) {
        self.original = RequestRecord(original)
        self.createdAt = createdAt
    }

    /// Records the current state of a task.
    init?(_ task: URLSessionTask) {
        guard let original = task.originalRequest else { return nil }
        self.init(original: original, createdAt: task.createdAt)
        if case .downloadContinuing(let data) = task.work { offset = data.received }
        task.storage.withLock { storage in
            current = storage.requests.current.map(RequestRecord.init)
            replacement = storage.requests.replacement.map(RequestRecord.init)
            description = storage.description
            priority = storage.priority
            prefersIncrementalDelivery = storage.prefersIncrementalDelivery
            expectsToSend = storage.counts.clientExpectsToSend
            expectsToReceive = storage.counts.clientExpectsToReceive
            earliestBeginDate = storage.earliestBeginDate
            options = storage.options
        }
    }

    /// - Returns: Nil for a record of another version.
    init?(encoded text: String) {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        guard let record = try? decoder.decode(TaskRecord.self, from: Data(text.utf8)) else { return nil }
        self = record
    }

    /// Encodes the record. Leaves out the description if the record would be too large for a transfer with it.
    func encoded() -> String {
        let text = encodedWhole()
        guard text.utf8.count > TransferAdmission.largestNote, description != nil else { return text }
        var record = self
        record.description = nil
        return record.encodedWhole()
    }

    /// The error of a task whose values cannot be stored. It names the property.
    var sizeError: URLError? {
        let size = encodedWhole().utf8.count
        guard size > TransferAdmission.largestNote else { return nil }
        let parts = [
            ("taskDescription", description?.utf8.count ?? 0), ("originalRequest", original.size),
            ("currentRequest", max(current?.size ?? 0, replacement?.size ?? 0)),
        ]
        let largest = parts.max { $0.1 < $1.1 }
        let limit = TransferAdmission.largestNote >> 20
        let sentence =
            "The property \(largest?.0 ?? "metadata") has \(largest?.1 ?? size) bytes. A background task stores "
            + "\(limit) MiB of properties at most."
        return URLError(.dataLengthExceedsMaximum, userInfo: [NSLocalizedDescriptionKey: sentence])
    }

    /// - Throws: The error of a record that is too large.
    func checkSize() throws(URLError) { if let sizeError { throw sizeError } }

    private func encodedWhole() -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// Restores the recorded values in a task of an earlier process.
    func restore(_ task: URLSessionTask) {
        task.storage.withLock { storage in
            storage.requests.original = original.request
            storage.requests.current = current?.request
            storage.requests.replacement = replacement?.request
            storage.description = description
            storage.priority = priority
            storage.prefersIncrementalDelivery = prefersIncrementalDelivery
            storage.counts.clientExpectsToSend = expectsToSend
            storage.counts.clientExpectsToReceive = expectsToReceive
            storage.earliestBeginDate = earliestBeginDate
            storage.options = options
        }
    }
}

/// A request without its body, as stored with a transfer.
struct RequestRecord: Codable, Equatable, Sendable {
    var url: String
    var method: String
    var headers: [String: String]
    var timeout: Double
    var cachePolicy: UInt
    var allowsCellular: Bool
    var allowsExpensive: Bool
    var allowsConstrained: Bool

    init(_ request: URLRequest) {
        url = request.url?.absoluteString ?? ""
        method = request.httpMethod ?? "GET"
        headers = request.sentFields
        timeout = request.timeoutInterval.isFinite ? request.timeoutInterval : .greatestFiniteMagnitude
        cachePolicy = request.cachePolicy.rawValue
        allowsCellular = request.allowsCellularAccess
        allowsExpensive = request.allowsExpensiveNetworkAccess
        allowsConstrained = request.allowsConstrainedNetworkAccess
    }

    /// Approximate size in bytes.
    var size: Int { headers.reduce(url.utf8.count) { $0 + $1.key.utf8.count + $1.value.utf8.count } }

    /// The request; nil if its URL is invalid.
    var request: URLRequest? {
        guard let url = URL(string: url) else { return nil }
        var request = URLRequest(
            url: url, cachePolicy: URLRequest.CachePolicy(rawValue: cachePolicy) ?? .useProtocolCachePolicy,
            timeoutInterval: timeout)
        request.httpMethod = method
        request.allHTTPHeaderFields = headers
        request.allowsCellularAccess = allowsCellular
        request.allowsExpensiveNetworkAccess = allowsExpensive
        request.allowsConstrainedNetworkAccess = allowsConstrained
        return request
    }
}
