import FerryCore

/// Option values by aria2's names. A repeatable option's values are the lines of one text.
struct OptionValues: Hashable, Sendable {
    private(set) var values: [String: String] = [:]

    init() {}

    init(_ values: [String: String]) { self.values = values }

    /// Parses a client's options: strings, numbers, Booleans, and lists of them for repeatable options.
    ///
    /// Ignores values of other types, as aria2 does.
    init(reading members: [String: RPCValue]) {
        for (name, value) in members {
            if let text = value.liberalText {
                values[name] = text
            } else if OptionNames.repeated.contains(name), let elements = value.elements {
                values[name] = elements.compactMap(\.liberalText).joined(separator: "\n")
            }
        }
    }

    subscript(_ name: String) -> String? {
        get { values[name] }
        set { values[name] = newValue }
    }

    var isEmpty: Bool { values.isEmpty }

    var names: Set<String> { Set(values.keys) }

    /// Size of all names and values, in bytes.
    var size: Int { values.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } }

    /// Returns these options merged with others. The others' values take precedence.
    func merging(_ others: OptionValues) -> OptionValues {
        OptionValues(values.merging(others.values) { _, other in other })
    }

    func filter(_ isIncluded: (String) -> Bool) -> OptionValues {
        OptionValues(values.filter { isIncluded($0.key) })
    }

    var value: RPCValue { .object(values.mapValues { .string($0) }) }
}

// MARK: Reading values

extension OptionValues {
    /// Returns the values as aria2 stores and shows them.
    ///
    /// - Throws: ``RPCFault`` naming the first option with an invalid value.
    func canonical() throws(RPCFault) -> OptionValues {
        var canonical = self
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let row = OptionTable[name] else { continue }
            guard let text = row.form.canonical(value) else { throw .option(name) }
            canonical.values[name] = text
        }
        return canonical
    }

    /// Returns the value of a flag, or `nil` if it is missing.
    func flag(_ name: String) throws(RPCFault) -> Bool? {
        guard let text = values[name] else { return nil }
        guard let canonical = OptionForm.flag.canonical(text) else { throw .option(name) }
        return canonical == "true"
    }

    func whole(_ name: String, _ allowed: ClosedRange<Int>) throws(RPCFault) -> Int? {
        guard let text = values[name] else { return nil }
        guard let number = Int(text), allowed.contains(number) else { throw .option(name) }
        return number
    }

    func seconds(_ name: String) throws(RPCFault) -> Double? {
        guard let text = values[name] else { return nil }
        guard let number = Double(text), (0...86_400).contains(number) else { throw .option(name) }
        return number
    }

    /// Returns a number of bytes. The suffix K multiplies by 1024, M by 1024².
    func bytes(_ name: String) throws(RPCFault) -> Int64? {
        guard let text = values[name] else { return nil }
        guard let bytes = OptionForm.bytes(text) else { throw .option(name) }
        return bytes
    }

    /// Returns a value unless it is missing or empty.
    func text(_ name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }
}
