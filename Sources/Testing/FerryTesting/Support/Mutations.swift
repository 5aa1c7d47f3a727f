import Foundation
import SeedKit

/// Random mutations of samples, reproducible from a seed.
///
/// With their default rounds, the tests that use them take about a minute together. Two environment variables apply to
/// all of them: `FERRY_FUZZ_ROUNDS` sets the number of rounds of each, `FERRY_FUZZ_SEED` the seed:
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

    /// Returns the time limit of a suite in minutes, given the usual one. With `FERRY_FUZZ_ROUNDS` set, it is 600.
    package static func minutes(_ usual: Int) -> Int { chosenRounds == nil ? usual : 600 }

    /// Runs rounds of a test, and checks that the process's memory does not grow.
    ///
    /// - Parameters:
    ///   - usual: Number of rounds, unless the environment sets another.
    ///   - growth: Maximum growth of the process's memory at any moment, in MiB. Small enough to detect a small leak
    ///     per round over many rounds, and to detect the allocation of most sizes that an input can claim.
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

    /// Texts that often break parsers.
    private static let texts: [String] =
        [
            "-1", "-0", "-0.0", "0", "1e300", "-1e300", "1e309", "1e-400", "9007199254740993", "9223372036854775807",
            "-9223372036854775808", "9223372036854775808", "18446744073709551616", "NaN", "null", "true", "{}", "[]",
            "\"\"",
            "\"\\u0000\"", "\"\\ud800\"", "\u{FEFF}", "\u{2028}", "]", "}", ",", ":", "\"", "\\", "../", "\u{0}", "%00",
            "0000000000000001+9223372036854775807", "+5", "+16", "7fffffffffffffff", "ffffffffffffffffffff", "\r\n",
            "\n",
        ] + ["[", "{\"a\":", "<dict>", "<array>"].map { String(repeating: $0, count: 5000) }

    /// The same texts as bytes, and some invalid UTF-8.
    private static let tokens: [[UInt8]] =
        texts.map { Array($0.utf8) } + [[0xFF], [0xC3], [0xE2, 0x80], [0xED, 0xA0, 0x80]]

    /// Integers at the limits of columns and fields.
    package static let integers: [Int64] = [
        .min, .min + 1, -1_000_000_000_000, -1, 0, 1, 2, 5, 6, 255, 1 << 31, 1 << 53, 1 << 60, .max - 1, .max,
    ]

    /// Returns a sample with one to three changes.
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

    /// Replaces the next number by a token, since most readers compute with numbers.
    private mutating func replaceNumber(_ bytes: inout [UInt8], from start: Int, with token: [UInt8]) {
        let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        guard let first = bytes[start...].firstIndex(where: isDigit) else { return }
        let end = bytes[first...].firstIndex { !isDigit($0) } ?? bytes.endIndex
        bytes.replaceSubrange(first..<end, with: token)
    }
}
