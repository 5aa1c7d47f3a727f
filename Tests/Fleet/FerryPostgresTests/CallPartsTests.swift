import Testing

@testable import FerryPostgres

@Suite struct `A call in parts` {
    private static let refusal = PostgresFailure(state: "P0001", message: "no")
    private static let loss = PostgresFailure(state: "", message: "gone")

    /// Performs a call for the numbers below `count`, and counts the calls.
    private static func parts(
        _ count: Int, refused: Set<Int>, plain: Bool = false, lossAt: Int? = nil
    ) throws(PostgresFailure) -> (parts: CallParts<Int, Int>, calls: Int) {
        var calls = 0
        // The plain form of a number is a negative one.
        let parts = try CallParts(Array(1...count), plain: { value, _ in plain ? -value : nil }) {
            (values: [Int]) throws(PostgresFailure) -> [Int] in
            calls += 1
            if let lossAt, values == [lossAt] { throw loss }
            if values.contains(where: refused.contains) { throw refusal }
            return values
        }
        return (parts, calls)
    }

    @Test(arguments: [1, 2, 3, 7, 64, 1000])
    func `performs it once for all, and finds those that are refused in few calls`(count: Int) throws {
        let whole = try Self.parts(count, refused: [])
        #expect(whole.parts.answers == Array(1...count) && whole.calls == 1 && whole.parts.failure == nil)
        for refused in [Set([1]), [count], [count / 2 + 1], [1, count]] {
            let (parts, calls) = try Self.parts(count, refused: refused)
            #expect(parts.answers == (1...count).filter { !refused.contains($0) })
            #expect(Set(parts.refused) == refused && parts.failure?.state == "P0001")
            #expect(calls <= 42, "\(calls) calls for \(count) values")
        }
    }

    @Test func `uses the plain form of a refused value`() throws {
        let (parts, _) = try Self.parts(100, refused: [3, 99], plain: true)
        #expect(parts.answers.count == 100 && parts.answers.filter { $0 < 0 } == [-3, -99])
        #expect(parts.refused.isEmpty && parts.failure == nil)
    }

    @Test func `gives up soon if every value is refused`() throws {
        let (parts, calls) = try Self.parts(10_000, refused: Set(1...10_000))
        #expect(parts.answers.isEmpty && parts.refused.count == 10_000 && calls < 50)
    }

    @Test func `throws a loss before anything was done, and keeps what was done before a later one`() throws {
        #expect(throws: PostgresFailure.self) { try Self.parts(1, refused: [], lossAt: 1) }
        let (parts, _) = try Self.parts(4, refused: [4], lossAt: 3)
        #expect(parts.answers == [1, 2] && parts.refused == [3, 4] && parts.failure?.isLoss == true)
    }
}
