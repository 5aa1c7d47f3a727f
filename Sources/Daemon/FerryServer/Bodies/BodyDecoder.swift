import FerryAPI
import FerryCore
import Foundation

/// Decodes one JSON value, and reports where an invalid one is wrong.
enum BodyDecoder {
    /// - Throws: ``ServiceError`` with code `invalid_request`.
    static func decode<Body: StrictBody>(_: Body.Type, from bytes: Data) throws(ServiceError) -> Body {
        do {
            return try APIJSON.decoder.decode(Strict<Body>.self, from: bytes).body
        } catch let error as ServiceError {
            throw error
        } catch let error as DecodingError {
            throw ServiceError(.invalidRequest, sentence(error, bytes))
        } catch {
            throw ServiceError(.invalidRequest, "The body cannot be read: \("\(error)".escapingControls)")
        }
    }

    private static func sentence(_ error: DecodingError, _ bytes: Data) -> String {
        switch error {
        case .keyNotFound(let key, let context):
            "The body has no \(path(context.codingPath + [key]))."
        case .valueNotFound(_, let context):
            "\(subject(context.codingPath)) is null and needs a value."
        case .typeMismatch(let type, let context):
            "\(subject(context.codingPath)) is not \(name(type))."
        case .dataCorrupted(let context) where context.codingPath.isEmpty:
            "The body is not JSON. \(position(bytes))"
        case .dataCorrupted(let context):
            "\(subject(context.codingPath)) is wrong: \(context.debugDescription.escapingControls)."
        @unknown default:
            "The body cannot be read."
        }
    }

    /// Returns the parser's description of the position, which `JSONDecoder` does not report.
    private static func position(_ bytes: Data) -> String {
        do {
            _ = try JSONSerialization.jsonObject(with: bytes, options: .fragmentsAllowed)
            return "A number or a text in it cannot be read."
        } catch {
            return ((error as NSError).userInfo["NSDebugDescription"] as? String)?.escapingControls ?? ""
        }
    }

    private static func subject(_ path: [any CodingKey]) -> String {
        path.isEmpty ? "The body" : self.path(path)
    }

    /// Returns a path such as `checksums[0]`.
    private static func path(_ keys: [any CodingKey]) -> String {
        var result = ""
        for key in keys {
            if let index = key.intValue {
                result += "[\(index)]"
            } else {
                result += (result.isEmpty ? "" : ".") + key.stringValue
            }
        }
        return result.escapingControls
    }

    private static func name(_ type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a text"
        case is Bool.Type: "true or false"
        case is Int.Type, is Int64.Type: "a whole number"
        case is Double.Type: "a number"
        case is [String: Any].Type: "an object"
        case is [Any].Type: "a list"
        default: "of the right type"
        }
    }
}

/// A decoded body. All of its keys were checked.
struct Strict<Body: StrictBody>: Decodable {
    let body: Body

    init(from decoder: any Decoder) throws {
        for key in try decoder.container(keyedBy: AnyKey.self).allKeys where !Body.keys.contains(key.stringValue) {
            throw ServiceError(
                .invalidRequest,
                "The body has the key “\(key.stringValue.escapingControls)”, which ferryd \(FerryVersion.current) does "
                    + "not know; it knows \(Body.keys.sorted().joined(separator: ", ")).")
        }
        body = try Body(from: decoder)
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

/// A batch of templates and items. Unknown keys are rejected.
struct StrictBatch: StrictBody {
    static let keys = Set(CodingKeys.allCases.map(\.rawValue))

    private let templates: [Strict<TransferRequest>]
    private let items: Strict<TransferBatch.Columns>
    private let starts: [Strict<TransferBatch.Start>]?

    private enum CodingKeys: String, CodingKey, CaseIterable { case templates, items, starts }

    /// - Throws: ``ServiceError`` with code `invalid_request` if the items' lists differ in length.
    func batch() throws(ServiceError) -> TransferBatch {
        TransferBatch(templates: templates.map(\.body), items: try items.body.items(), starts: starts?.map(\.body))
    }
}
