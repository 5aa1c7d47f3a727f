import Foundation

/// A typed reader of a property list's dictionary. Foundation itself converts between numbers and Booleans.
struct StrictList {
    private let values: [String: Any]

    init(_ values: [String: Any]) { self.values = values }

    /// Reads the dictionary at the top of an XML property list.
    init?(_ data: Data) {
        // Only the XML format is read.
        guard data.starts(with: Data("<?xml".utf8)), Self.isShallow(data),
            let list = unsafe try? PropertyListSerialization.propertyList(from: data, options: [], format: nil),
            let values = list as? [String: Any]
        else { return nil }
        self.values = values
    }

    /// Maximum nesting depth. Foundation's parser uses stack space for each level.
    private static let deepest = 32

    private static func isShallow(_ data: Data) -> Bool {
        var depth = 0
        var last: UInt8 = 0
        var isInTag = false
        var isOpening = false
        for byte in data {
            switch byte {
            case UInt8(ascii: "<"): (isInTag, isOpening) = (true, true)
            case UInt8(ascii: ">") where isInTag:
                // An element that ends with a slash is empty.
                if isOpening, last != UInt8(ascii: "/") { depth += 1 }
                isInTag = false
            case UInt8(ascii: "/") where last == UInt8(ascii: "<") && isInTag:
                depth -= 1
                isOpening = false
            case UInt8(ascii: "!") where last == UInt8(ascii: "<"), UInt8(ascii: "?") where last == UInt8(ascii: "<"):
                isOpening = false
            default: break
            }
            if depth > deepest { return false }
            last = byte
        }
        return true
    }

    /// The untyped value.
    subscript(key: String) -> Any? { values[key] }

    func text(_ key: String) -> String? { values[key] as? String }

    func list(_ key: String) -> StrictList? { (values[key] as? [String: Any]).map(StrictList.init) }

    func texts(_ key: String) -> [String: String]? { values[key] as? [String: String] }

    func flag(_ key: String) -> Bool? {
        guard let number = number(key), NumberKind(number) == .flag else { return nil }
        return number.boolValue
    }

    func integer(_ key: String) -> Int? {
        guard let number = number(key), NumberKind(number) == .integer else { return nil }
        return Int(exactly: number)
    }

    /// Returns a finite number, or nil for any other value.
    func real(_ key: String) -> Double? {
        guard let number = number(key), NumberKind(number) != .flag, number.doubleValue.isFinite else { return nil }
        return number.doubleValue
    }

    private func number(_ key: String) -> NSNumber? { values[key] as? NSNumber }
}

/// The type that an `NSNumber` was created from.
private enum NumberKind {
    case flag, integer, real

    init(_ number: NSNumber) {
        switch unsafe UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c"), UInt8(ascii: "B"): self = .flag
        case UInt8(ascii: "d"), UInt8(ascii: "f"): self = .real
        default: self = .integer
        }
    }
}
