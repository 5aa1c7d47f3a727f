// Ferry: FerryCore
// The one error type below the public libraries.

/// What went wrong with a transfer or a call: a code for programs, a sentence for people, facts for both.
package struct TransferError: Error, Hashable, Sendable {
    package let code: ErrorCode
    /// The code's word on the wire; differs from `code` only for a word that this version does not know.
    package let word: String
    /// One plain sentence: what happened, to what, and what to try. Never matched by programs.
    package let message: String
    package var details: ErrorDetails
    /// Overrides the class of the code's row where the situation decides it (404 with bytes on disk is doubtful).
    package var classOverride: ErrorClass?

    package init(
        _ code: ErrorCode, _ message: String, details: ErrorDetails = ErrorDetails(), as errorClass: ErrorClass? = nil
    ) {
        self.code = code
        self.word = code.rawValue
        self.message = message
        self.details = details
        self.classOverride = errorClass
    }

    package var errorClass: ErrorClass { classOverride ?? code.row.errorClass }
}

extension TransferError: CustomStringConvertible {
    package var description: String { "\(message) (\(word))" }
}

extension TransferError: Codable {
    private enum CodingKeys: String, CodingKey {
        case code, message, details
        case errorClass = "class"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        word = try container.decode(String.self, forKey: .code)
        code = ErrorCode(rawValue: word) ?? .unrecognized
        message = try container.decode(String.self, forKey: .message)
        details = try container.decodeIfPresent(ErrorDetails.self, forKey: .details) ?? ErrorDetails()
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
