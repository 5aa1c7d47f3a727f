import Foundation

/// Mutations of samples, the same in every run of one seed.
///
/// By themselves the tests that use them take about a minute together. Two variables concern all of them:
/// `FERRY_FUZZ_ROUNDS` makes so many rounds of each in place of its usual number, `FERRY_FUZZ_SEED` takes another seed:
/// ```sh
/// FERRY_FUZZ_ROUNDS=10000 scripts/test 'Mutated|Hostile'
/// ```
package struct Mutations: RandomNumberGenerator, Sendable {
    private var numbers: SplitMix

    package init(seed: UInt64) { numbers = SplitMix(seed: Self.variable("FERRY_FUZZ_SEED") ?? seed) }

    package mutating func next() -> UInt64 { numbers.next() }

    private static func variable<Number: FixedWidthInteger>(_ name: String) -> Number? {
        ProcessInfo.processInfo.environment[name].flatMap { Number($0) }
    }

    // MARK: Rounds

    private static let chosenRounds: Int? = variable("FERRY_FUZZ_ROUNDS")

    /// The time limit of a suite in minutes, where so many are usual.
    package static func minutes(_ usual: Int) -> Int { chosenRounds == nil ? usual : 600 }

    /// Makes rounds of a test, and checks that the process does not grow with them.
    ///
    /// - Parameters:
    ///   - usual: how many, unless the environment says another number.
    ///   - growth: MiB that the process may have at most, at any moment, beyond what it had before. Less than what a small leak of
    ///     each round comes to in many of them, and than what most numbers ask for that an input can claim.
    package mutating func rounds(
        _ usual: Int, growth: Int = 128, _ body: (inout Mutations, _ round: Int) async throws -> Void
    ) async throws {
        let memory = ResidentMemory()
        for round in 0..<(Self.chosenRounds ?? usual) { try await body(&self, round) }
        guard memory.growth <= growth else {
            throw TestingError("The process had \(memory.growth) MiB more than before the rounds.")
        }
    }

    // MARK: Mutations

    /// Texts that readers trip over.
    private static let texts: [String] =
        [
            "-1", "-0", "-0.0", "0", "1e300", "-1e300", "1e309", "1e-400", "9007199254740993", "9223372036854775807",
            "-9223372036854775808", "9223372036854775808", "18446744073709551616", "NaN", "null", "true", "{}", "[]",
            "\"\"",
            "\"\\u0000\"", "\"\\ud800\"", "\u{FEFF}", "\u{2028}", "]", "}", ",", ":", "\"", "\\", "../", "\u{0}", "%00",
            "0000000000000001+9223372036854775807", "+5", "+16", "7fffffffffffffff", "ffffffffffffffffffff", "\r\n",
            "\n",
        ] + ["[", "{\"a\":", "<dict>", "<array>"].map { String(repeating: $0, count: 5000) }

    /// The same as bytes, and some that are no UTF-8.
    private static let tokens: [[UInt8]] =
        texts.map { Array($0.utf8) } + [[0xFF], [0xC3], [0xE2, 0x80], [0xED, 0xA0, 0x80]]

    /// Whole numbers at the ends of what a column or a field may hold.
    package static let integers: [Int64] = [
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
        let token = Self.tokens[Int.random(in: 0..<Self.tokens.count, using: &self)]
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

/// Random numbers that follow from a seed (SplitMix64), so that a run can be repeated.
package struct SplitMix: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word &>> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word &>> 31)
    }
}
