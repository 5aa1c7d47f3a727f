// Ferry: FerryCore
// What an If-Range field says.

/// A strong validator, exactly as it stands in an `If-Range` field (RFC 9110 §13.1.5).
package enum Validator: Hashable, Sendable {
    case etag(String)
    case date(String)

    package var fieldValue: String {
        switch self {
        case .etag(let value), .date(let value): value
        }
    }
}
