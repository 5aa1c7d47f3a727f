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
            // U+2028 and U+2029 end a line in JavaScript, and a JSONP response is a script.
            case "\u{0}"..."\u{1F}", "\u{7F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                output += (#"\u"# + String(repeating: "0", count: 4 - digits.utf8.count) + digits).utf8
            default: output += UTF8.encode(scalar).map(Array.init) ?? []
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}
