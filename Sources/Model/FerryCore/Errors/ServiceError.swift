package import FerryFoundation

/// An error of a transfer or a call: a code for programs, a message for people, details for both.
package struct ServiceError: Error, Hashable, Sendable {
    package let code: ErrorCode
    /// The code on the wire. Differs from `code` only for a code that this version does not know.
    package let word: String
    /// One sentence: what happened, to what, and what to try. Programs never parse it.
    package let message: String
    /// Boxed, because each throwing call reserves space for an error.
    @Boxed package var details: ErrorDetails
    /// Overrides the error class of the code's row, for example doubtful for a 404 when bytes are on disk.
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

/// Details of an error for programs.
package struct ErrorDetails: Hashable, Codable, Sendable {
    /// Status of the failed response.
    package var httpStatus: Int?
    /// The beginning of the failed response's body, as text.
    package var body: String?
    /// The system's `errno`.
    package var errno: Int32?
    /// Raw value of `URLError.Code` where the cause determines it, such as which certificate fault or redirect.
    package var urlError: Int?
    /// The problem with an untrusted certificate.
    package var certificate: CertificateProblem?
    /// Failed attempts since the retry limits were last reset.
    package var attempts: Int?
    package var nextAttemptAt: Date?
    /// The URL, without userinfo and query values.
    package var url: String?

    /// The expected digest.
    package var expected: Checksum?
    /// The computed digest.
    package var actual: Checksum?

    /// The transfer's own policy that forbids the network: `cellular`, `expensive` or `constrained`.
    package var network: WaitReason?
    /// Why a background transfer was canceled other than by its client. 0 is the user's force-quit.
    package var cancelReason: Int?

    /// Required and free space in bytes, if the file is known not to fit.
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

extension ServiceError {
    /// Whether the next attempt will probably fail too: the connection was refused, the name is unknown, or TLS failed.
    package var hasPoorProspect: Bool {
        switch code.row.prospect {
        case .open: false
        case .poor: true
        case .poorIfRefused: details.errno == ECONNREFUSED
        }
    }
}
