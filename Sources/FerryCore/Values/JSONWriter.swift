// Ferry: FerryCore
// Values as JSON, written as they are encoded.

package import Foundation

/// Writes values as JSON while they are encoded, without a tree of them in between.
///
/// Whoever encodes must be done with a nested container before the one around it goes on, as a type does that encodes its
/// properties one after the other.
package struct JSONWriter: Sendable {
    /// How a date is written.
    package enum DateForm: Sendable {
        case number(@Sendable (Date) -> Int64)
        case text(@Sendable (Date) -> String)
    }

    /// How a date is written.
    package var date: DateForm
    /// Whether the keys of each object stand in their order; else in the order in which they are encoded.
    package var sortsKeys: Bool

    package init(date: DateForm, sortsKeys: Bool = false) {
        self.date = date
        self.sortsKeys = sortsKeys
    }

    /// The bytes of a value as JSON.
    ///
    /// - Throws: what the value throws, or `EncodingError` for a number that JSON has no form of.
    package func bytes(_ value: some Encodable) throws -> [UInt8] {
        let output = JSONOutput(date: date, sortsKeys: sortsKeys)
        try JSONValueEncoder(output: output, codingPath: []).write(value)
        output.close(to: 0)
        return output.text.bytes
    }
}
