// Ferry: FerryAPI
// How values are written as JSON.

package import Foundation

/// Writes and reads the JSON of the control API.
///
/// Keys are sorted, so that equal values are equal bytes; dates are RFC 3339 in UTC with milliseconds.
package enum APIJSON {
    package static let encoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var box = encoder.singleValueContainer()
            try box.encode(WireDate.text(date))
        }
        return encoder
    }()

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
