package import FerryFoundation

/// What went wrong with a transfer or a call: a code for programs, a sentence for people, facts for both.
package struct ServiceError: Error, Hashable, Sendable {
    package let code: ErrorCode
    /// The code's word on the wire; differs from `code` only for a word that this version does not know.
    package let word: String
    /// One plain sentence: what happened, to what, and what to try. Never matched by programs.
    package let message: String
    /// In a place of its own: each call that may throw keeps room for an error.
    @Boxed package var details: ErrorDetails
    /// Overrides the class of the code's row where the situation decides it (404 with bytes on disk is doubtful).
    package var classOverride: ErrorClass?

    package init(
        _ code: ErrorCode, _ message: String, details: ErrorDetails = ErrorDetails(), as errorClass: ErrorClass? = nil
    ) {
        self.code = code
        self.word = code.rawValue
        self.message = message
        _details = Boxed(wrappedValue: details)
        self.classOverride = errorClass
    }

    package var errorClass: ErrorClass { classOverride ?? code.row.errorClass }
}

extension ServiceError: CustomStringConvertible {
    package var description: String { "\(message) (\(word))" }
}

extension ServiceError: Codable {
    private enum CodingKeys: String, CodingKey {
        case code, message, details
        case errorClass = "class"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        word = try container.decode(String.self, forKey: .code)
        code = ErrorCode(rawValue: word) ?? .unrecognized
        message = try container.decode(String.self, forKey: .message)
        _details = Boxed(
            wrappedValue: try container.decodeIfPresent(ErrorDetails.self, forKey: .details) ?? ErrorDetails())
        classOverride = try container.decodeIfPresent(String.self, forKey: .errorClass).flatMap(ErrorClass.init)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(word, forKey: .code)
        try container.encode(message, forKey: .message)
        if !details.isEmpty { try container.encode(details, forKey: .details) }
        try container.encodeIfPresent(classOverride, forKey: .errorClass)
    }
}

/// The facts that go with an error, for programs; the sentence is for people.
package struct ErrorDetails: Hashable, Codable, Sendable {
    /// Status of the response that failed the transfer.
    package var httpStatus: Int?
    /// First bytes of that response's body, as text.
    package var body: String?
    /// The system's error number.
    package var errno: Int32?
    /// Foundation's code where the cause decides it (which certificate fault, which redirect).
    package var urlError: Int?
    /// The problem of a certificate that is not trusted.
    package var certificate: CertificateProblem?
    /// How many tries have failed since the limits last started.
    package var attempts: Int?
    package var nextAttemptAt: Date?
    /// The URL, without userinfo and query values.
    package var url: String?

    /// The digest that the file should have.
    package var expected: Checksum?
    /// The digest that it has.
    package var actual: Checksum?

    /// Which of the transfer's own rules forbids the network: `cellular`, `expensive` or `constrained`.
    package var network: WaitReason?
    /// Why a background transfer was canceled by others than its client; 0 is the user's force-quit.
    package var cancelReason: Int?

    /// Bytes that a file needs, and bytes that are free, where the file is known not to fit.
    package var required: Int64?
    package var available: Int64?

    package init(
        httpStatus: Int? = nil, body: String? = nil, errno: Int32? = nil, urlError: Int? = nil, url: String? = nil
    ) {
        self.httpStatus = httpStatus
        self.body = body
        self.errno = errno
        self.urlError = urlError
        self.url = url
    }

    package var isEmpty: Bool { self == ErrorDetails() }

    enum CodingKeys: String, CodingKey {
        case httpStatus = "http_status"
        case body, errno, certificate, attempts, url, network, expected, actual, required, available
        case cancelReason = "cancel_reason"
        case urlError = "url_error"
        case nextAttemptAt = "next_attempt_at"
    }
}

/// What stays on disk after an error, by what was there.
extension ServiceError {
    /// What a transfer that ended with this error leaves on disk.
    ///
    /// A destination that fails at placement leaves the whole file, which a retry with another name places without fetching.
    package func kept(with facts: TransferFacts) -> KeptBytes {
        switch code {
        case .destinationExists, .destinationUnwritable:
            guard let length = facts.identity?.completeLength, facts.ranges.contains(0..<length), facts.partial != nil
            else {
                return code.row.kept
            }
            return .whole
        // Quit by the user: its client may continue it.
        case .canceled where details.cancelReason != nil: return .partial
        default: return code.row.kept
        }
    }
}

extension ServiceError {
    /// Whether nothing suggests that the next try does better: a connection was refused, a name is unknown, TLS failed.
    package var hasPoorProspect: Bool {
        switch code.row.prospect {
        case .open: false
        case .poor: true
        case .poorIfRefused: details.errno == ECONNREFUSED
        }
    }
}
