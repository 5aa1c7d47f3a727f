// Ferry: FerryURLSession
// Responses in Foundation's words.

package import FerryCore
import Foundation
package import FoundationNetworking

/// Shows a response as Foundation does.
package enum ResponseMapping {
    package static func response(_ facts: ResponseFacts) -> HTTPURLResponse? {
        guard let url = URL(string: facts.url) else { return nil }
        return NamedResponse(
            url: url, statusCode: facts.status, httpVersion: facts.version, headerFields: fields(facts.fields))
    }

    static func response(_ head: ResponseHead) -> HTTPURLResponse? {
        guard let url = URL(string: head.url) else { return nil }
        return NamedResponse(
            url: url, statusCode: head.status, httpVersion: head.major >= 2 ? "HTTP/2" : "HTTP/1.1",
            headerFields: fields(head.fields))
    }

    /// One value for each name; several fields of a name are joined (RFC 9110 §5.3).
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
