// Ferry: FerryCore
// Values as JSON, written as they are encoded.

package import Foundation

/// Writes values as JSON while they are encoded, without a tree of them in between.
///
/// Whoever encodes must be done with a nested container before the one around it goes on, as a type does that encodes its
/// properties one after the other. Keys stand in the order in which they are encoded.
package struct JSONWriter: Sendable {
    /// How a date is written.
    package var date: @Sendable (Date) -> Int64

    package init(date: @escaping @Sendable (Date) -> Int64) { self.date = date }

    /// The bytes of a value as JSON.
    ///
    /// - Throws: what the value throws, or `EncodingError` for a number that JSON has no form of.
    package func bytes(_ value: some Encodable) throws -> [UInt8] {
        let output = JSONOutput(date: date)
        try JSONValueEncoder(output: output, codingPath: []).write(value)
        output.close(to: 0)
        return output.bytes
    }
}

/// What has been written, and which containers are open.
final class JSONOutput {
    private(set) var bytes: [UInt8] = []
    private var containers: [(isObject: Bool, isEmpty: Bool)] = []
    let date: (Date) -> Int64

    init(date: @escaping (Date) -> Int64) {
        self.date = date
        bytes.reserveCapacity(512)
    }

    var depth: Int { containers.count }

    func begin(isObject: Bool) {
        bytes.append(isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
        containers.append((isObject, true))
    }

    /// Ends the containers that are inside the one of a depth.
    func close(to depth: Int) {
        while containers.count > depth {
            bytes.append(containers.removeLast().isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
        }
    }

    /// Begins the next element of the container of a depth.
    func next(in depth: Int) {
        close(to: depth)
        if !containers[depth - 1].isEmpty { bytes.append(UInt8(ascii: ",")) }
        containers[depth - 1].isEmpty = false
    }

    func key(_ name: String, in depth: Int) {
        next(in: depth)
        text(name)
        bytes.append(UInt8(ascii: ":"))
    }

    func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

    func number(_ value: some BinaryInteger) { bytes.append(contentsOf: value.description.utf8) }

    func number(_ value: Double, _ path: [any CodingKey]) throws {
        guard value.isFinite else {
            throw EncodingError.invalidValue(
                value, EncodingError.Context(codingPath: path, debugDescription: "JSON has no form of \(value)."))
        }
        if let whole = Int64(exactly: value) { return number(whole) }
        bytes.append(contentsOf: value.description.utf8)
    }

    func text(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        if text.utf8.contains(where: Self.isEscaped) {
            for byte in text.utf8 {
                if Self.isEscaped(byte) { escape(byte) } else { bytes.append(byte) }
            }
        } else {
            bytes.append(contentsOf: text.utf8)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        guard byte < 0x20 else { return bytes.append(byte) }
        let digits = Array("0123456789abcdef".utf8)
        raw("u00")
        bytes.append(digits[Int(byte >> 4)])
        bytes.append(digits[Int(byte & 15)])
    }
}
