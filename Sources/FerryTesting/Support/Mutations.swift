// Ferry: FerryTesting
// Bytes that are almost right.

import Foundation

/// Mutations of samples, the same in every run of one seed.
///
/// `FERRY_FUZZ_SEED` sets another seed, `FERRY_FUZZ_COUNT` makes that many times as many.
package struct Mutations: RandomNumberGenerator {
    package let seed: UInt64
    private let factor: Int
    private var state: UInt64

    package init(seed: UInt64) {
        let environment = ProcessInfo.processInfo.environment
        self.seed = environment["FERRY_FUZZ_SEED"].flatMap { UInt64($0) } ?? seed
        factor = environment["FERRY_FUZZ_COUNT"].flatMap { Int($0) }.map { max(1, $0) } ?? 1
        state = self.seed
    }

    /// How many are to be made, where so many are usual.
    package func count(_ usual: Int) -> Int { usual * factor }

    /// SplitMix64.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word &>> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word &>> 31)
    }

    /// Texts that readers trip over.
    private static let tokens: [String] =
        [
            "-1", "-0", "-0.0", "0", "1e300", "-1e300", "1e309", "1e-400", "9007199254740993", "9223372036854775807",
            "-9223372036854775808", "9223372036854775808", "18446744073709551616", "NaN", "null", "true", "{}", "[]",
            "\"\"",
            "\"\\u0000\"", "\"\\ud800\"", "\u{FEFF}", "\u{2028}", "]", "}", ",", ":", "\"", "\\", "../", "\u{0}", "%00",
            "0000000000000001+9223372036854775807",
        ] + ["[", "{\"a\":", "<dict>", "<array>"].map { String(repeating: $0, count: 5000) }

    /// Whole numbers at the ends of what a column or a field may hold.
    package static let numbers: [Int64] = [
        .min, .min + 1, -1_000_000_000_000, -1, 0, 1, 2, 5, 6, 255, 1 << 31, 1 << 53, 1 << 60, .max - 1, .max,
    ]

    /// A sample with one to three changes.
    package mutating func mutate(_ sample: [UInt8]) -> [UInt8] {
        var bytes = sample
        for _ in 0..<Int.random(in: 1...3, using: &self) { change(&bytes) }
        return bytes
    }

    package mutating func mutate(_ text: String) -> String { String(decoding: mutate(Array(text.utf8)), as: UTF8.self) }

    private mutating func change(_ bytes: inout [UInt8]) {
        let token = Array(Self.tokens[Int.random(in: 0..<Self.tokens.count, using: &self)].utf8)
        guard !bytes.isEmpty else {
            bytes = token
            return
        }
        let start = Int.random(in: 0..<bytes.count, using: &self)
        let end = min(bytes.count, start + Int.random(in: 1...16, using: &self))
        switch Int.random(in: 0..<8, using: &self) {
        case 0: bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &self)
        case 1: bytes[start] = UInt8.random(in: 0...255, using: &self)
        case 2: bytes.removeSubrange(start..<end)
        case 3: bytes.insert(contentsOf: bytes[start..<end], at: start)
        case 4: bytes.removeSubrange(start...)
        case 5: bytes.insert(contentsOf: token, at: start)
        case 6: bytes.replaceSubrange(start..<end, with: token)
        default: replaceNumber(&bytes, from: start, with: token)
        }
    }

    /// Puts a token in the place of the next number, which is what most readers compute with.
    private mutating func replaceNumber(_ bytes: inout [UInt8], from start: Int, with token: [UInt8]) {
        let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        guard let first = bytes[start...].firstIndex(where: isDigit) else { return }
        let end = bytes[first...].firstIndex { !isDigit($0) } ?? bytes.endIndex
        bytes.replaceSubrange(first..<end, with: token)
    }
}
