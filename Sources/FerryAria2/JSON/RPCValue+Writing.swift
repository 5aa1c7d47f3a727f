extension RPCValue {
    /// This value as JSON; the keys of an object stand in their order.
    package var json: [UInt8] {
        var output: [UInt8] = []
        write(to: &output)
        return output
    }

    // No deeper than what was read, and what an answer puts around it.
    private func write(to output: inout [UInt8]) {
        switch self {
        case .null: output += "null".utf8
        case .bool(let isTrue): output += (isTrue ? "true" : "false").utf8
        case .number(let text): output += text.utf8
        case .string(let text): Self.write(text, to: &output)
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
                Self.write(member.key, to: &output)
                output.append(UInt8(ascii: ":"))
                member.value.write(to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": output += #"\""#.utf8
            case "\\": output += #"\\"#.utf8
            case "\n": output += #"\n"#.utf8
            case "\r": output += #"\r"#.utf8
            case "\t": output += #"\t"#.utf8
            // The separators end a line of a script, which an answer to JSONP is.
            case "\u{0}"..."\u{1F}", "\u{7F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                output += (#"\u"# + String(repeating: "0", count: 4 - digits.utf8.count) + digits).utf8
            default: output += UTF8.encode(scalar).map(Array.init) ?? []
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}
