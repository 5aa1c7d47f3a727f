/// The positional parameters of a call, without the secret.
struct RPCParameters {
    private let values: [RPCValue]

    init(_ values: [RPCValue]) { self.values = values }

    private func value(at index: Int) -> RPCValue? { values.indices.contains(index) ? values[index] : nil }

    /// Reads a parameter that may be missing but must have the right type.
    private func optional<Value>(
        at index: Int, _ read: (RPCValue) -> Value?
    ) throws(RPCFault) -> Value? {
        guard let value = value(at: index) else { return nil }
        guard let result = read(value) else { throw .wrongType(at: index) }
        return result
    }

    private func required<Value>(at index: Int, _ read: (RPCValue) -> Value?) throws(RPCFault) -> Value {
        guard let value = try optional(at: index, read) else { throw .missing(at: index) }
        return value
    }

    func text(at index: Int) throws(RPCFault) -> String { try required(at: index, \.text) }

    func elements(at index: Int) throws(RPCFault) -> [RPCValue] { try required(at: index, \.elements) }

    /// Returns the strings of a list. Ignores other elements.
    func texts(at index: Int) throws(RPCFault) -> [String] { try elements(at: index).compactMap(\.text) }

    func options(at index: Int) throws(RPCFault) -> [String: RPCValue] { try required(at: index, \.members) }

    func optionalOptions(at index: Int) throws(RPCFault) -> [String: RPCValue] {
        try optional(at: index, \.members) ?? [:]
    }

    /// Returns the requested keys. An empty set means all keys.
    func keys(at index: Int) throws(RPCFault) -> Set<String> {
        Set(try optional(at: index, \.elements)?.compactMap(\.text) ?? [])
    }

    func integer(at index: Int, atLeast least: Int = .min) throws(RPCFault) -> Int {
        let number = try required(at: index, Self.integer)
        guard number >= least else { throw .below(least, at: index) }
        return number
    }

    /// Returns a position in the queue, or `nil` if the parameter is missing.
    func position(at index: Int) throws(RPCFault) -> Int? {
        guard let position = try optional(at: index, Self.integer) else { return nil }
        guard position >= 0 else { throw .negativePosition }
        return position
    }

    /// Returns a whole number, clamped to the range of `Int`.
    private static func integer(_ value: RPCValue) -> Int? {
        guard case .number(let text) = value else { return nil }
        if let whole = value.wholeNumber { return whole }
        guard !text.utf8.contains(where: { ".eE".utf8.contains($0) }) else { return nil }
        return text.hasPrefix("-") ? .min : .max
    }
}
