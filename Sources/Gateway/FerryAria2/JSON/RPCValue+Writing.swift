import FerryCore

/// JSONP responses are scripts, so their strings escape the scalars that end a line in JavaScript.
extension RPCValue {
    /// This value as JSON, with an object's keys sorted.
    package var json: [UInt8] {
        var output: [UInt8] = []
        write(to: &output)
        return output
    }

    // Recursion is bounded by the parser's depth limit plus the levels that a response adds.
    private func write(to output: inout [UInt8]) {
        switch self {
        case .null: output += "null".utf8
        case .bool(let isTrue): output += (isTrue ? "true" : "false").utf8
        case .number(let text): output += text.utf8
        case .string(let text): output.appendJSONString(text, escapesLines: true)
        case .written(let bytes): output += bytes
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (place, element) in elements.enumerated() {
                if place > 0 { output.append(UInt8(ascii: ",")) }
                element.write(to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            for (place, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if place > 0 { output.append(UInt8(ascii: ",")) }
                output.appendJSONString(member.key, escapesLines: true)
                output.append(UInt8(ascii: ":"))
                member.value.write(to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }
}
