public import Foundation
public import FoundationNetworking

/// Request parameters by name.
public typealias Parameters = [String: Any]

/// Encodes parameters into a request.
public protocol ParameterEncoding {
    /// Returns the request with the parameters.
    ///
    /// - Throws: ``AFError/parameterEncodingFailed(reason:)``, or an error of a custom encoding.
    func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest
}

/// Encodes parameters as percent-encoded names and values, in the query or as a form in the body.
public struct URLEncoding: ParameterEncoding, Sendable {
    /// The place for the parameters.
    public enum Destination: Sendable {
        /// The query for GET, HEAD and DELETE, and the body for other methods.
        case methodDependent
        case queryString, httpBody
    }

    /// The form of a name for each value of an array.
    public enum ArrayEncoding: Sendable {
        /// As `name[]`.
        case brackets
        case noBrackets
    }

    /// The form of Booleans.
    public enum BoolEncoding: Sendable {
        /// As `1` and `0`.
        case numeric
        /// As `true` and `false`.
        case literal
    }

    public static var `default`: URLEncoding { URLEncoding() }
    public static var methodDependent: URLEncoding { URLEncoding() }
    public static var queryString: URLEncoding { URLEncoding(destination: .queryString) }
    public static var httpBody: URLEncoding { URLEncoding(destination: .httpBody) }

    public let destination: Destination
    public let arrayEncoding: ArrayEncoding
    public let boolEncoding: BoolEncoding

    public init(
        destination: Destination = .methodDependent, arrayEncoding: ArrayEncoding = .brackets,
        boolEncoding: BoolEncoding = .numeric
    ) {
        self.destination = destination
        self.arrayEncoding = arrayEncoding
        self.boolEncoding = boolEncoding
    }

    public func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        var request = try urlRequest.asURLRequest()
        guard let parameters else { return request }
        guard goesIntoQuery(request.httpMethod ?? "GET") else {
            if request.value(forHTTPHeaderField: "Content-Type") == nil {
                request.setValue(
                    "application/x-www-form-urlencoded; charset=utf-8", forHTTPHeaderField: "Content-Type")
            }
            request.httpBody = Data(query(parameters).utf8)
            return request
        }
        guard let url = request.url else { throw AFError.parameterEncodingFailed(reason: .missingURL) }
        if !parameters.isEmpty, var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) {
            parts.percentEncodedQuery = (parts.percentEncodedQuery.map { $0 + "&" } ?? "") + query(parameters)
            request.url = parts.url
        }
        return request
    }

    /// Returns the percent-encoded names and values of a parameter, including those of arrays and dictionaries.
    public func queryComponents(fromKey key: String, value: Any) -> [(String, String)] {
        switch value {
        case let dictionary as [String: Any]:
            dictionary.sorted { $0.key < $1.key }.flatMap {
                queryComponents(fromKey: "\(key)[\($0.key)]", value: $0.value)
            }
        case let array as [Any]:
            array.flatMap { queryComponents(fromKey: arrayEncoding == .brackets ? key + "[]" : key, value: $0) }
        case let flag as Bool:
            [(escape(key), boolEncoding == .numeric ? (flag ? "1" : "0") : "\(flag)")]
        default: [(escape(key), escape("\(value)"))]
        }
    }

    /// Percent-encodes all but letters, digits and `-._~/?` (RFC 3986 §3.4).
    public func escape(_ string: String) -> String {
        string.addingPercentEncoding(withAllowedCharacters: Self.allowed) ?? string
    }

    private static let allowed = CharacterSet.urlQueryAllowed.subtracting(
        CharacterSet(charactersIn: ":#[]@!$&'()*+,;="))

    private func goesIntoQuery(_ method: String) -> Bool {
        switch destination {
        case .queryString: true
        case .httpBody: false
        case .methodDependent: ["GET", "HEAD", "DELETE"].contains(method)
        }
    }

    private func query(_ parameters: Parameters) -> String {
        parameters.sorted { $0.key < $1.key }
            .flatMap { queryComponents(fromKey: $0.key, value: $0.value) }
            .map { "\($0)=\($1)" }.joined(separator: "&")
    }
}

/// Encodes parameters as JSON in the body.
public struct JSONEncoding: ParameterEncoding, Sendable {
    public static var `default`: JSONEncoding { JSONEncoding() }
    public static var prettyPrinted: JSONEncoding { JSONEncoding(options: .prettyPrinted) }

    public let options: JSONSerialization.WritingOptions

    public init(options: JSONSerialization.WritingOptions = []) { self.options = options }

    public func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        try encode(urlRequest, withJSONObject: parameters)
    }

    public func encode(_ urlRequest: any URLRequestConvertible, withJSONObject object: Any? = nil) throws -> URLRequest
    {
        var request = try urlRequest.asURLRequest()
        guard let object else { return request }
        guard JSONSerialization.isValidJSONObject(object) else {
            let cause = CocoaError(.propertyListWriteInvalid)
            throw AFError.parameterEncodingFailed(reason: .jsonEncodingFailed(error: cause))
        }
        do {
            request.httpBody = try JSONSerialization.data(withJSONObject: object, options: options)
        } catch {
            throw AFError.parameterEncodingFailed(reason: .jsonEncodingFailed(error: error))
        }
        if request.value(forHTTPHeaderField: "Content-Type") == nil {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        return request
    }
}
