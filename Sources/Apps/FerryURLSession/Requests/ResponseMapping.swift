package import FerryCore
import FerryRules
import Foundation
package import FoundationNetworking

/// Converts responses to Foundation's types.
package enum ResponseMapping {
    package static func response(_ facts: ResponseFacts) -> HTTPURLResponse? {
        guard let url = URL(string: facts.url) else { return nil }
        return NamedResponse(
            url: url, statusCode: facts.status, httpVersion: facts.version, headerFields: fields(facts.fields))
    }

    static func response(_ head: ResponseHead) -> HTTPURLResponse? {
        guard let url = URL(string: head.url) else { return nil }
        return NamedResponse(
            url: url, statusCode: head.status, httpVersion: head.version,
            headerFields: fields(head.fields))
    }

    /// Returns the response of a cache entry.
    static func response(_ kept: CachedURLResponse) -> HTTPURLResponse? {
        guard let response = kept.response as? HTTPURLResponse, let url = response.url else { return nil }
        var fields: [String: String] = [:]
        for (name, value) in response.allHeaderFields { fields["\(name)"] = value as? String ?? "\(value)" }
        return NamedResponse(url: url, statusCode: response.statusCode, httpVersion: "HTTP/1.1", headerFields: fields)
    }

    /// Returns one value per name. Several fields of a name are joined (RFC 9110 §5.3).
    package static func fields(_ fields: [HeaderField]) -> [String: String] {
        var result: [String: String] = [:]
        var names: [String: String] = [:]
        for field in fields {
            let name = names[field.name.lowercased(), default: field.name]
            names[field.name.lowercased()] = name
            result[name] = result[name].map { "\($0), \(field.value)" } ?? field.value
        }
        return result
    }
}

/// A response with the suggested file name of Apple's systems: the server's, else the URL's last component.
/// swift-corelibs-foundation suggests `Unknown` without a `Content-Disposition`.
final class NamedResponse: HTTPURLResponse, @unchecked Sendable {  // SAFETY: adds no state to an immutable class
    override var suggestedFilename: String? {
        guard let text = url?.absoluteString, let address = try? HTTPURL(parsing: text) else {
            return super.suggestedFilename
        }
        return FileName.choose(
            callerName: nil, contentDisposition: value(forHTTPHeaderField: "Content-Disposition"),
            originalURL: address, finalURL: address)
    }
}

/// Converts TLS versions between Foundation and Ferry.
enum TLSMapping {
    static func version(_ version: TLSVersion) -> tls_protocol_version_t {
        switch version {
        case .v1_0: .TLSv10
        case .v1_1: .TLSv11
        case .v1_2: .TLSv12
        case .v1_3: .TLSv13
        }
    }

    static func version(_ version: tls_protocol_version_t) -> TLSVersion? {
        switch version {
        case .TLSv10: .v1_0
        case .TLSv11: .v1_1
        case .TLSv12: .v1_2
        case .TLSv13: .v1_3
        default: nil
        }
    }
}
