/// Random numbers that are the same in every run.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word &>> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word &>> 31)
    }
}

/// What a reader of numbers and text may stumble over.
private enum Pitfalls {
    static let all: [[UInt8]] = [
        [0xFF], [0xC3], [0xE2, 0x80], [0xED, 0xA0, 0x80], [0], Array("\r\n".utf8), Array("\n".utf8),
        Array("-1".utf8), Array("+5".utf8), Array("9223372036854775807".utf8), Array("-9223372036854775808".utf8),
        Array("18446744073709551616".utf8), Array("7fffffffffffffff".utf8), Array("ffffffffffffffffffff".utf8),
        Array("1e400".utf8), Array("null".utf8), Array("[[[[[[[[".utf8), Array("\"".utf8), Array("+16".utf8),
    ]
}

extension [UInt8] {
    /// These bytes with a few faults.
    func mutated(_ random: inout SplitMix) -> [UInt8] {
        var bytes = self
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            let end = Swift.min(bytes.count, place + Int.random(in: 0...12, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes.replaceSubrange(place..<end, with: Pitfalls.all.randomElement(using: &random) ?? [])
            case 1: bytes.insert(contentsOf: Pitfalls.all.randomElement(using: &random) ?? [], at: place)
            case 2: bytes.removeSubrange(place..<end)
            case 3: bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
            case 4 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
            default: bytes.removeSubrange(Swift.max(place, bytes.count / 2)...)
            }
        }
        return bytes
    }
}
