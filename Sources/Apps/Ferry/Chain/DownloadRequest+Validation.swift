public import Foundation
public import FoundationNetworking
import Synchronization

extension DownloadRequest {
    /// Validates a response. The last two parameters are the file's temporary URL and its destination.
    public typealias Validation =
        @Sendable (URLRequest?, HTTPURLResponse, _ temporaryURL: URL?, _ destinationURL: URL?) -> ValidationResult

    /// Fails the download unless a closure accepts its response. Called on the operation queue after the file was moved
    /// to its destination, where it stays.
    @discardableResult
    public func validate(_ validation: @escaping Validation) -> Self {
        state.withLock { $0.checks.closures.append(validation) }
        return self
    }

    /// Fails the download unless the response has one of these statuses. The default is 200 to 299.
    @discardableResult
    public func validate<S: Sequence>(statusCode acceptable: S) -> Self where S.Element == Int {
        let statuses = Set(acceptable)
        state.withLock { $0.checks.statuses.append(statuses) }
        return self
    }

    /// Fails the download unless the response has one of these content types. `*` stands for any type or subtype. An
    /// empty file may have any type.
    @discardableResult
    public func validate<S: Sequence>(contentType acceptable: S) -> Self where S.Element == String {
        let types = Array(acceptable)
        state.withLock { $0.checks.contentTypes.append(types) }
        return self
    }

    /// Fails the download unless the response has a status from 200 to 299 and a content type of the request's `Accept`
    /// field.
    @discardableResult
    public func validate() -> Self {
        let accepted = request?.value(forHTTPHeaderField: "Accept")?.split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        return validate(statusCode: 200..<300).validate(contentType: accepted ?? ["*/*"])
    }
}

/// The validations of a response.
struct ResponseChecks {
    /// Default acceptable statuses.
    private static let success = 200..<300

    /// The app's sets of acceptable statuses, all of which must match.
    var statuses: [Set<Int>] = []
    var contentTypes: [[String]] = []
    var closures: [DownloadRequest.Validation] = []

    /// Returns why a response is not accepted, or nil. Called before its file is moved.
    func refusal(of response: HTTPURLResponse, isEmpty: Bool) -> (any Error)? {
        let code = response.statusCode
        guard !statuses.isEmpty || Self.success.contains(code) else {
            return FerryError.unacceptableStatusCode(code: code)
        }
        guard statuses.allSatisfy({ $0.contains(code) }) else {
            return AFError.responseValidationFailed(reason: .unacceptableStatusCode(code: code))
        }
        guard !isEmpty else { return nil }
        let type = response.mimeType
        guard let types = contentTypes.first(where: { !ContentTypes.accepts(type, among: $0) }) else { return nil }
        guard let type else {
            return AFError.responseValidationFailed(reason: .missingContentType(acceptableContentTypes: types))
        }
        return AFError.responseValidationFailed(
            reason: .unacceptableContentType(acceptableContentTypes: types, responseContentType: type))
    }

    /// Returns why the app does not accept a response whose file was moved, or nil.
    func refusal(of result: DefaultDownloadResponse) -> (any Error)? {
        guard let response = result.response else { return nil }
        for closure in closures {
            let verdict = closure(result.request, response, result.temporaryURL, result.destinationURL)
            if case .failure(let error) = verdict { return error }
        }
        return nil
    }
}

/// Matches content types (RFC 9110 §12.5.1).
enum ContentTypes {
    /// Whether a pattern accepts a type. A response without a type is accepted only by `*/*`.
    static func accepts(_ type: String?, among patterns: [String]) -> Bool {
        let parts = type.flatMap(Self.parts)
        return patterns.contains { pattern in
            guard let wanted = Self.parts(pattern) else { return false }
            guard let parts else { return wanted == ("*", "*") }
            return (wanted.0 == "*" || wanted.0 == parts.0) && (wanted.1 == "*" || wanted.1 == parts.1)
        }
    }

    /// Returns type and subtype in lower case, without parameters.
    private static func parts(_ text: String) -> (String, String)? {
        let bare = text.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        let parts = bare.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        return (String(parts[0]), String(parts[1]))
    }
}
