// Ferry: FerryServer
// Decoding that refuses keys it does not know.

import FerryAPI
import FerryCore

/// A body that has been read with every key checked.
struct Strict<Body: StrictBody>: Decodable {
    let body: Body

    init(from decoder: any Decoder) throws {
        for key in try decoder.container(keyedBy: AnyKey.self).allKeys where !Body.keys.contains(key.stringValue) {
            throw TransferError(
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
