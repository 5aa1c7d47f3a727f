// Ferry: FerryAPI
// How values are written as JSON.

import FerryCore
package import Foundation

/// Writes and reads the JSON of the control API.
///
/// Keys are sorted, so that equal values are equal bytes; dates are RFC 3339 in UTC with milliseconds.
package enum APIJSON {
    private static let writer = JSONWriter(date: .text { WireDate.text($0) }, sortsKeys: true)

    /// The bytes of a value.
    ///
    /// - Throws: what the value throws, or `EncodingError` for a number that JSON has no form of.
    package static func bytes(_ value: some Encodable) throws -> [UInt8] { try writer.bytes(value) }

    package static let decoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let box = try decoder.singleValueContainer()
            guard let date = WireDate.date(try box.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(
                    in: box, debugDescription: "a date is written as in 2026-01-31T12:00:00Z")
            }
            return date
        }
        return decoder
    }()
}
