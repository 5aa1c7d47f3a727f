import FerryCore
import Foundation
import Testing

@Suite struct `Priorities` {
    @Test(arguments: [
        (#""low""#, -5), (#""normal""#, 0), (#""high""#, 5), ("-10", -10), ("10", 10), ("3", 3), ("-5", -5),
        (#""7""#, 7),
    ])
    func `are read as words and as numbers`(json: String, number: Int) throws {
        let priority = try JSONDecoder().decode(Priority.self, from: Data(json.utf8))
        #expect(priority.rawValue == number)
        #expect(try JSONDecoder().decode(Priority.self, from: JSONEncoder().encode(priority)) == priority)
    }

    @Test(arguments: [(-5, #""low""#), (0, #""normal""#), (5, #""high""#), (-10, "-10"), (1, "1")])
    func `are written as words where they have them`(number: Int, json: String) throws {
        let priority = try #require(Priority(rawValue: number))
        #expect(String(decoding: try JSONEncoder().encode(priority), as: UTF8.self) == json)
        #expect(Priority(word: priority.word) == priority)
    }

    @Test(arguments: ["11", "-11", #""urgent""#, "1.5", "null", #""""#])
    func `of other words and numbers are refused`(json: String) {
        #expect(throws: (any Error).self) { try JSONDecoder().decode(Priority.self, from: Data(json.utf8)) }
    }

    @Test func `go from -10 to 10`() {
        #expect(Priority(rawValue: -11) == nil && Priority(rawValue: 11) == nil)
        #expect(Priority(clamping: 99).rawValue == 10 && Priority(clamping: .min).rawValue == -10)
        let all = Priority.allowed.map(Priority.init(clamping:))
        #expect(all == all.sorted() && Set(all).count == 21)
        #expect(all.map(\.weight) == all.map(\.weight).sorted())
        #expect([Priority.low, .normal, .high].map(\.weight) == [1, 2, 4])
    }
}
