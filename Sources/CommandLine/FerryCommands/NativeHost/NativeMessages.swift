import FerryCore
import FerryFoundation

/// A numbered message of the browser's extension. The reply has the same number.
struct NativeCall: Decodable, Sendable {
    enum Name: String, Decodable, CaseIterable {
        /// Returns the version.
        case hello
        /// Adds downloads.
        case add
        /// Lists unfinished and recently finished transfers.
        case list
        /// Pauses, resumes, retries or cancels.
        case act
        /// Subscribes to summaries.
        case watch
        /// Returns the page's address.
        case page
    }

    let id: Int
    let call: Name
    var downloads: [NativeDownload]?
    var action: TransferAction?
    var ids: [TransferID]?
}

/// A download requested by the extension, as the browser would have made it.
struct NativeDownload: Decodable, Sendable {
    let url: String
    var headers: [HeaderField]?

    /// Header fields that the browser would send. The extension may set no others.
    private static let names = ["accept-language", "authorization", "cookie", "referer", "user-agent"]

    /// - Throws: ``ServiceError`` with code `invalid_request` for any other field.
    func request(in folder: String, of caller: CallerEnvironment) throws(ServiceError) -> TransferRequest {
        var request = TransferRequest(url: url, folder: folder)
        for field in headers ?? [] {
            guard Self.names.contains(field.name.lowercased()) else {
                throw ServiceError(
                    .invalidRequest, "The field \(field.name.escapingControls) is not accepted from a browser.")
            }
            request.headers.append(field)
        }
        request.tags = ["browser"]
        caller.apply(to: &request)
        return request
    }
}

/// The reply to a call: its result or its error.
struct NativeAnswer<Result: Encodable>: Encodable {
    let id: Int
    var result: Result?
    var error: Failure?

    struct Failure: Encodable {
        let code: String
        let message: String
    }

    init(id: Int, result: Result) {
        self.id = id
        self.result = result
    }

    init(id: Int, error: ServiceError) where Result == NoResult {
        self.id = id
        self.error = Failure(code: error.word, message: error.message)
    }
}

struct NoResult: Encodable {}

/// Results of the calls.
enum NativeResult {
    struct Hello: Encodable { let version: String }
    struct Added: Encodable { let ids: [TransferID] }
    struct Page: Encodable { let url: String }

    /// A transfer in a list.
    struct Item: Encodable {
        let id: TransferID
        let name: String
        let state: TransferState
        let received: Int64
        let expected: Int64?
        let speed: Double?
        /// Why it waits or has failed, as text.
        let why: String?

        init(_ transfer: Transfer, now: Date) {
            id = transfer.id
            name = transfer.displayName
            state = transfer.state
            received = transfer.bytesReceived
            expected = transfer.bytesExpected
            speed = transfer.bytesPerSecond
            why =
                transfer.state == .failed
                ? transfer.error?.message.escapingControls
                : WaitSentence.of(transfer, now: now).map { "waits for \($0)" }
        }
    }

    struct List: Encodable { let transfers: [Item] }

    /// Totals for the extension's button.
    struct Summary: Hashable, Encodable {
        var event = "summary"
        var running = 0
        var waiting = 0
        var received: Int64 = 0
        /// 0 while a size is unknown.
        var expected: Int64 = 0
        var speed = 0.0

        init(active: [Transfer], waiting: Int) {
            let running = active.filter { $0.state == .running }
            self.running = running.count
            self.waiting = waiting + active.count - running.count
            received = running.reduce(0) { $0 + $1.bytesReceived }
            let sizes = running.compactMap(\.bytesExpected)
            expected = sizes.count == running.count ? sizes.reduce(0, +) : 0
            speed = running.reduce(0) { $0 + ($1.bytesPerSecond ?? 0) }
        }
    }
}
