public import Foundation

/// The errors of a chain's own steps, in the shape of Alamofire 4. All other failures are ``FerryError`` or `URLError`.
public enum AFError: Error, @unchecked Sendable {  // SAFETY: values; the URL that an app gave is only shown
    /// Why parameters could not be encoded.
    public enum ParameterEncodingFailureReason {
        case missingURL
        case jsonEncodingFailed(error: any Error)
        case propertyListEncodingFailed(error: any Error)
    }

    /// Why a multipart form could not be encoded. Exists for code that matches it; Ferry encodes no multipart forms
    /// here.
    public enum MultipartEncodingFailureReason {
        case bodyPartURLInvalid(url: URL)
        case bodyPartFilenameInvalid(in: URL)
        case bodyPartFileNotReachable(at: URL)
        case bodyPartFileNotReachableWithError(atURL: URL, error: any Error)
        case bodyPartFileIsDirectory(at: URL)
        case bodyPartFileSizeNotAvailable(at: URL)
        case bodyPartFileSizeQueryFailedWithError(forURL: URL, error: any Error)
        case bodyPartInputStreamCreationFailed(for: URL)
        case outputStreamCreationFailed(for: URL)
        case outputStreamFileAlreadyExists(at: URL)
        case outputStreamURLInvalid(url: URL)
        case outputStreamWriteFailed(error: any Error)
        case inputStreamReadFailed(error: any Error)
    }

    /// Why a response was not accepted.
    public enum ResponseValidationFailureReason {
        case dataFileNil
        case dataFileReadFailed(at: URL)
        case missingContentType(acceptableContentTypes: [String])
        case unacceptableContentType(acceptableContentTypes: [String], responseContentType: String)
        case unacceptableStatusCode(code: Int)
    }

    /// Why a file could not be serialized.
    public enum ResponseSerializationFailureReason {
        case inputDataNil
        case inputDataNilOrZeroLength
        case inputFileNil
        case inputFileReadFailed(at: URL)
        case stringSerializationFailed(encoding: String.Encoding)
        case jsonSerializationFailed(error: any Error)
        case propertyListSerializationFailed(error: any Error)
    }

    case invalidURL(url: any URLConvertible)
    case parameterEncodingFailed(reason: ParameterEncodingFailureReason)
    case multipartEncodingFailed(reason: MultipartEncodingFailureReason)
    case responseValidationFailed(reason: ResponseValidationFailureReason)
    case responseSerializationFailed(reason: ResponseSerializationFailureReason)
}

// MARK: Cases

extension AFError {
    public var isInvalidURLError: Bool { if case .invalidURL = self { true } else { false } }
    public var isParameterEncodingError: Bool { if case .parameterEncodingFailed = self { true } else { false } }
    public var isMultipartEncodingError: Bool { if case .multipartEncodingFailed = self { true } else { false } }
    public var isResponseValidationError: Bool { if case .responseValidationFailed = self { true } else { false } }
    public var isResponseSerializationError: Bool {
        if case .responseSerializationFailed = self { true } else { false }
    }

    /// The value that could not be converted to a URL.
    public var urlConvertible: (any URLConvertible)? { if case .invalidURL(let url) = self { url } else { nil } }

    /// The error's file or URL.
    public var url: URL? {
        switch self {
        case .multipartEncodingFailed(let reason): reason.url
        case .responseValidationFailed(.dataFileReadFailed(let url)): url
        case .responseSerializationFailed(.inputFileReadFailed(let url)): url
        default: nil
        }
    }

    /// The underlying error.
    public var underlyingError: (any Error)? {
        switch self {
        case .parameterEncodingFailed(.jsonEncodingFailed(let error)),
            .parameterEncodingFailed(.propertyListEncodingFailed(let error)),
            .responseSerializationFailed(.jsonSerializationFailed(let error)),
            .responseSerializationFailed(.propertyListSerializationFailed(let error)):
            error
        case .multipartEncodingFailed(let reason): reason.cause
        default: nil
        }
    }

    /// The acceptable content types of a failed validation.
    public var acceptableContentTypes: [String]? {
        switch self {
        case .responseValidationFailed(.missingContentType(let types)),
            .responseValidationFailed(.unacceptableContentType(let types, _)):
            types
        default: nil
        }
    }

    /// The unacceptable content type of a response.
    public var responseContentType: String? {
        guard case .responseValidationFailed(.unacceptableContentType(_, let type)) = self else { return nil }
        return type
    }

    /// The unacceptable status of a response.
    public var responseCode: Int? {
        guard case .responseValidationFailed(.unacceptableStatusCode(let code)) = self else { return nil }
        return code
    }

    /// The encoding with which a file could not be decoded.
    public var failedStringEncoding: String.Encoding? {
        guard case .responseSerializationFailed(.stringSerializationFailed(let encoding)) = self else { return nil }
        return encoding
    }
}

extension AFError.MultipartEncodingFailureReason {
    fileprivate var url: URL? {
        switch self {
        case .bodyPartURLInvalid(let url), .bodyPartFilenameInvalid(let url), .bodyPartFileNotReachable(let url),
            .bodyPartFileIsDirectory(let url), .bodyPartFileSizeNotAvailable(let url),
            .bodyPartInputStreamCreationFailed(let url), .outputStreamCreationFailed(let url),
            .outputStreamFileAlreadyExists(let url), .outputStreamURLInvalid(let url),
            .bodyPartFileNotReachableWithError(let url, _), .bodyPartFileSizeQueryFailedWithError(let url, _):
            url
        case .outputStreamWriteFailed, .inputStreamReadFailed: nil
        }
    }

    fileprivate var cause: (any Error)? {
        switch self {
        case .bodyPartFileNotReachableWithError(_, let error), .bodyPartFileSizeQueryFailedWithError(_, let error),
            .outputStreamWriteFailed(let error), .inputStreamReadFailed(let error):
            error
        default: nil
        }
    }
}

// MARK: Sentences

extension AFError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .invalidURL(let url): "The text “\(url)” is not an http or https URL with a host."
        case .parameterEncodingFailed(.missingURL): "The request has no URL whose query could hold the parameters."
        case .parameterEncodingFailed(.jsonEncodingFailed(let error)):
            "The parameters cannot be written as JSON: \(FerryError.sentence(of: error))"
        case .parameterEncodingFailed(.propertyListEncodingFailed(let error)):
            "The parameters cannot be written as a property list: \(FerryError.sentence(of: error))"
        case .multipartEncodingFailed: "The multipart form cannot be written."
        case .responseValidationFailed(let reason): reason.sentence
        case .responseSerializationFailed(let reason): reason.sentence
        }
    }
}

extension AFError.ResponseValidationFailureReason {
    fileprivate var sentence: String {
        switch self {
        case .dataFileNil: "There is no file whose response could be validated."
        case .dataFileReadFailed(let url): "The file \(url.path) cannot be read."
        case .missingContentType(let types):
            "The response has no content type, and only these are accepted: \(types.joined(separator: ", "))."
        case .unacceptableContentType(let types, let type):
            "The response has the content type \(type), and only these are accepted: \(types.joined(separator: ", "))."
        case .unacceptableStatusCode(let code): "The server responded with status \(code)."
        }
    }
}

extension AFError.ResponseSerializationFailureReason {
    fileprivate var sentence: String {
        switch self {
        case .inputDataNil, .inputDataNilOrZeroLength: "The response has no bytes."
        case .inputFileNil: "There is no file that could be read."
        case .inputFileReadFailed(let url): "The file \(url.path) cannot be read."
        case .stringSerializationFailed(let encoding): "The file is not text in the encoding \(encoding)."
        case .jsonSerializationFailed(let error): "The file is not valid JSON: \(FerryError.sentence(of: error))"
        case .propertyListSerializationFailed(let error):
            "The file is not a property list: \(FerryError.sentence(of: error))"
        }
    }
}
