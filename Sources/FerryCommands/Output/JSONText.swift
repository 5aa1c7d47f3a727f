// Ferry: FerryCommands
// JSON on standard output.

import FerryAPI
import FerryCore
import Foundation

/// Writes values as JSON for scripts.
enum JSONText {
    /// One value on one line.
    static func line(_ value: some Encodable) throws(TransferError) -> String {
        do {
            return String(decoding: try APIJSON.encoder.encode(value), as: UTF8.self)
        } catch {
            throw TransferError(.internal, "The answer cannot be written as JSON: \(error)")
        }
    }

    /// One array, an element a line.
    static func array(_ values: [some Encodable]) throws(TransferError) -> String {
        guard !values.isEmpty else { return "[]" }
        var lines: [String] = []
        for value in values { lines.append(try line(value)) }
        return "[\n" + lines.joined(separator: ",\n") + "\n]"
    }
}
