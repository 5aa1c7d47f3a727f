import FerryCore
import Foundation
import Testing

@Suite struct `Ranges of numbers` {
    @Test(arguments: SettingRange<Int>.all.map(\.key))
    func `a whole number is allowed up to both ends and not beyond`(key: String) throws {
        try check(#require(SettingRange<Int>.all.first { $0.key == key }), step: 1, beyond: [.min, .max])
    }

    @Test(arguments: SettingRange<Int64>.all.map(\.key))
    func `a number of bytes is allowed up to both ends and not beyond`(key: String) throws {
        try check(#require(SettingRange<Int64>.all.first { $0.key == key }), step: 1, beyond: [.min, .max])
    }

    @Test(arguments: SettingRange<Double>.all.map(\.key))
    func `a number of seconds is allowed up to both ends and not beyond`(key: String) throws {
        let range = try #require(SettingRange<Double>.all.first { $0.key == key })
        try check(
            range, step: 0.0001,
            beyond: [-.infinity, -1e300, -.leastNonzeroMagnitude, 1e300, .greatestFiniteMagnitude, .infinity])
        #expect(!range.contains(.nan) && range.clamp(.nan) == range.allowed.lowerBound)
        #expect(range.contains(-0.0) == range.contains(0.0))
    }

    private func check<Number: Numeric & Comparable>(
        _ range: SettingRange<Number>, step: Number, beyond: [Number]
    ) throws {
        let (low, high) = (range.allowed.lowerBound, range.allowed.upperBound)
        for inside in [low, high, range.special].compactMap(\.self) {
            try range.check(inside)
            #expect(range.clamp(inside) == inside)
        }
        var outside = beyond
        if let least = beyond.min(), low > least { outside.append(low - step) }
        if let most = beyond.max(), high < most { outside.append(high + step) }
        for value in outside where value != range.special && !(low...high).contains(value) {
            let error = #expect(throws: ServiceError.self) { try range.check(value) }
            let message = error?.message ?? ""
            #expect(error?.code == .invalidRequest && message.hasPrefix("\(range.key) is \(range.words), not "))
            #expect(range.contains(range.clamp(value)))
            #expect(range.clamp(value) == (value > high ? high : range.special ?? low) || range.clamp(value) == low)
        }
    }

    @Test(arguments: [("1 to 64", 0), ("1 to 64", 65)])
    func `a refusal says what is allowed`(words: String, value: Int) {
        let error = #expect(throws: ServiceError.self) { try SettingRange<Int>.connections.check(value) }
        #expect(error?.message == "connections is \(words), not \(value).")
        #expect(SettingRange<Int64>.rateLimit.words == "0 or at least 1024")
        #expect(SettingRange<Double>.giveUpAfter.words == "0 to 31536000")
    }

    @Test(arguments: [Double.nan, -.infinity, -1, -0.0, 0, 0.5, 1e9, 1e300, .infinity])
    func `every delay has a moment`(seconds: Double) {
        let wait = Duration.wait(seconds: seconds)
        #expect(wait >= .zero && wait <= .seconds(Duration.endless))
        #expect(ContinuousClock.now + wait >= ContinuousClock.now - .seconds(1))
    }

    @Test func `sums and products end at the largest number`() {
        #expect(Int64.max.addingSaturated(1) == .max && Int64.min.addingSaturated(-1) == .min)
        #expect(Int64.max.addingSaturated(-1) == .max - 1 && UInt64.max.addingSaturated(1) == .max)
        #expect(Int64.max.multipliedSaturated(by: 2) == .max && Int64.min.multipliedSaturated(by: 2) == .min)
        #expect(Int64.min.multipliedSaturated(by: -1) == .max && Int64(-3).multipliedSaturated(by: 2) == -6)
        #expect(Int64(seconds: 253_402_300_799, nanoseconds: 5) == .max)
        #expect(Int64(seconds: -9_300_000_000, nanoseconds: 0) == .min)
        #expect(Int64(seconds: 2, nanoseconds: 3) == 2_000_000_003)
    }
}
