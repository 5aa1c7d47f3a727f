import FerryAPI
import FerryCore
import FerryFoundation

/// A numbered message of the browser's extension. The reply has the same number.
struct NativeCall: Decodable, Sendable {
    enum Name: String, Decodable, CaseIterable {
        /// Returns the version.
        case hello
        /// Requests a file and returns what the head of its response says. The transfer stays an offer.
        case offer
        /// Makes an offer a transfer like any other, with a name.
        case keep
        /// Removes an offer with its bytes.
        case drop
        /// Lists unfinished and recently finished transfers.
        case list
        /// Pauses, resumes, retries, cancels or removes.
        case act
        /// Opens a finished file.
        case open
        /// Opens the folder of a file.
        case show
        /// Subscribes to summaries.
        case watch
        /// Returns the page's address.
        case page
    }

    let id: Int
    let call: Name
    /// The offer's key, chosen by the extension before the offer exists.
    var key: OfferKey?
    var download: NativeDownload?
    /// Seconds that an offer may take.
    var seconds: Double?
    /// The final name of an offered file.
    var name: String?
    var action: TransferAction?
    var ids: [TransferID]?

    /// - Throws: ``ServiceError`` with code `invalid_request` for anything but a call, naming what is wrong.
    init(parsing message: [UInt8]) throws(ServiceError) {
        do { self = try APIJSON.decoder.decode(NativeCall.self, from: Data(message)) } catch {
            struct Named: Decodable { let call: String }
            let calls = Name.allCases.map(\.rawValue)
            let named = (try? APIJSON.decoder.decode(Named.self, from: Data(message)))?.call
            if let named, calls.contains(named) {
                throw ServiceError(.invalidRequest, "The call \(named) lacks a value or has one of the wrong type.")
            }
            throw ServiceError(
                .invalidRequest, "The message is not a call; the calls are \(calls.joined(separator: ", ")).")
        }
    }
}

/// A download requested by the extension, as the browser would have made it.
struct NativeDownload: Decodable, Sendable {
    let url: String
    var headers: [HeaderField]?
    var cookies: [GivenCookie]?
    /// The file's size in bytes, if the browser knows it.
    var size: Int64?
    /// A folder: a path below the download folder, or an absolute path in one of the allowed folders.
    var folder: String?
    /// Whether the browser is downloading the same file, which has the name meanwhile.
    var replaces: Bool?

    /// Header fields that the browser would send. The extension may set no others.
    private static let names = ["accept-language", "referer", "user-agent"]

    /// - Parameter allowed: The folders that the user allows for downloads, the default one first.
    /// - Throws: ``ServiceError`` with code `invalid_request` for any other field, or another folder.
    func request(
        as key: OfferKey, in allowed: AllowedFolders, of caller: CallerEnvironment
    ) throws(ServiceError) -> TransferRequest {
        var request = TransferRequest(url: url, folder: try Self.folder(folder ?? "", in: allowed))
        for field in headers ?? [] {
            guard Self.names.contains(field.name.lowercased()) else {
                throw ServiceError(
                    .invalidRequest, "The field \(field.name.escapingControls) is not accepted from a browser.")
            }
            request.headers.append(field)
        }
        request.login.cookies = cookies ?? []
        request.response.expectedSize = size
        // The head of a successful response is then recorded.
        request.response.acceptableStatuses = .success
        request.file.allowedFolders = allowed
        if replaces == true { request.file.name = key.hiddenName }
        request.tags = [Self.tag, key.tag]
        caller.apply(to: &request)
        return request
    }

    /// The tag of all transfers that come from a browser.
    static let tag = "browser"

    private static func folder(_ text: String, in allowed: AllowedFolders) throws(ServiceError) -> String {
        let path = text.hasPrefix("/") ? text : allowed.usual + "/" + text
        let parts = path.split(separator: "/")
        let folder = "/" + parts.joined(separator: "/")
        guard !parts.contains("."), !parts.contains(".."), allowed.contain(folder) else {
            throw ServiceError(
                .invalidRequest,
                """
                The folder \(text.escapingControls) is outside the allowed download folders, which are \(allowed.named); \
                `ferry gateway folders --add` allows another one.
                """)
        }
        return folder
    }
}

/// The key of an offer: 8 to 64 lower-case letters, digits and hyphens.
///
/// The extension chooses it and stores it before the offer exists. So it can drop the offer even if this program has
/// ended before its reply.
struct OfferKey: Hashable, Decodable, Sendable {
    let text: String

    init?(_ text: String) {
        guard (8...64).contains(text.utf8.count),
            text.utf8.allSatisfy("abcdefghijklmnopqrstuvwxyz0123456789-".utf8.contains)
        else { return nil }
        self.text = text
    }

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let key = OfferKey(text) else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not a key"))
        }
        self = key
    }

    /// The tag of the offered transfer.
    var tag: String { Self.prefix + text }
    /// The name of an offered file while the browser's own file has the final name.
    var hiddenName: String { ".\(text).ferry-offer" }

    /// Whether a transfer's file has or gets its hidden name, so that the browser may still keep its own.
    static func isHidden(_ transfer: Transfer) -> Bool {
        let keys = transfer.tags.filter { $0.hasPrefix(prefix) }.compactMap {
            OfferKey(String($0.dropFirst(prefix.count)))
        }
        return keys.contains { key in
            transfer.names.given == key.hiddenName || transfer.destination?.lastPathPart == key.hiddenName
        }
    }

    private static let prefix = "browser-offer:"
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
