import FerryCore
import Foundation
import Testing

@Suite struct `A daemon's start` {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let earlier = now.addingTimeInterval(-30)
    private static let one = TransferID(rawValue: 1)
    private static let two = TransferID(rawValue: 2)

    struct Row: Sendable {
        var mark: StartMark?
        var note: TrapNote?
        var mode: StartMode
        var next: StartMark
    }

    private static func mark(_ traps: Int, _ atWork: [TransferID] = [], at date: Date = earlier) -> StartMark {
        StartMark(traps: traps, atWork: atWork, startedAt: date)
    }

    @Test(arguments: [
        Row(mode: .usual, next: mark(0, at: now)),
        // It had run for longer than the trial.
        Row(note: TrapNote(atWork: [one]), mode: .usual, next: mark(0, at: now)),
        // Killed.
        Row(mark: mark(0), mode: .usual, next: mark(0, at: now)),
        Row(mark: mark(1, [one]), mode: .usual, next: mark(1, [one], at: now)),
        Row(mark: mark(2, [one]), mode: .held(atWork: [one]), next: mark(2, [one], at: now)),
        // Ended by a trap.
        Row(mark: mark(0), note: TrapNote(atWork: [one]), mode: .usual, next: mark(1, [one], at: now)),
        Row(
            mark: mark(1, [one]), note: TrapNote(atWork: [two]), mode: .held(atWork: [two]),
            next: mark(2, [two], at: now)),
        Row(mark: mark(1, [one]), note: TrapNote(), mode: .held(atWork: [one]), next: mark(2, [one], at: now)),
        Row(mark: mark(2, [one]), note: TrapNote(), mode: .held(atWork: [one]), next: mark(3, [one], at: now)),
        // A file that another program has written.
        Row(mark: mark(.max), note: TrapNote(), mode: .held(atWork: []), next: mark(3, at: now)),
        Row(mark: mark(.min), note: TrapNote(), mode: .usual, next: mark(1, at: now)),
    ])
    func `follows from the mark and the note that it finds`(_ row: Row) {
        let (mode, next) = StartMode.decide(row.mark, row.note, now: Self.now)
        #expect(mode == row.mode)
        #expect(next == row.next)
    }

    @Test func `is never held by kills, however many there are`() {
        var mark: StartMark?
        for _ in 0..<100 {
            let (mode, next) = StartMode.decide(mark, nil, now: Self.now)
            #expect(mode == .usual)
            mark = next
        }
    }

    @Test func `names who was at work, and what to type`() throws {
        #expect(StartMode.usual.warning == nil)
        let warning = try #require(StartMode.held(atWork: [Self.one, Self.two]).warning)
        #expect(warning.contains("`ferry pause 0000000000000001 0000000000000002`"))
        #expect(warning.contains("`ferry resume --all`"))
        let many = StartMode.held(atWork: (1...20).map { TransferID(rawValue: $0) }).warning
        #expect(many?.contains("and 4 more") == true)
        #expect(StartMode.held(atWork: []).warning?.contains("No transfer was at work") == true)
    }

    @Test(arguments: [
        ("", []), ("11\n", []), ("4\n0000000000000002\n0000000000000001\n0000000000000002\n", [one, two]),
        ("4\n0000000000000001\n00000", [one]), ("\u{FFFD}\n\n", []),
    ])
    func `reads what a trap has left`(_ text: String, _ atWork: [TransferID]) {
        #expect(TrapNote(text).atWork == atWork)
    }
}
