import FerryCore
import FerryQueue
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
        // It had run for longer than the trial period.
        Row(note: TrapNote(atWork: [one]), mode: .usual, next: mark(0, at: now)),
        // Killed.
        Row(mark: mark(0), mode: .usual, next: mark(0, at: now)),
        Row(mark: mark(1, [one]), mode: .usual, next: mark(1, [one], at: now)),
        Row(mark: mark(2, [one]), mode: .afterTraps(atWork: [one]), next: mark(2, [one], at: now)),
        // Ended by a trap.
        Row(mark: mark(0), note: TrapNote(atWork: [one]), mode: .usual, next: mark(1, [one], at: now)),
        Row(
            mark: mark(1, [one]), note: TrapNote(atWork: [two]), mode: .afterTraps(atWork: [two]),
            next: mark(2, [two], at: now)),
        Row(mark: mark(1, [one]), note: TrapNote(), mode: .afterTraps(atWork: [one]), next: mark(2, [one], at: now)),
        Row(mark: mark(2, [one]), note: TrapNote(), mode: .afterTraps(atWork: [one]), next: mark(3, [one], at: now)),
        // A file written by another program.
        Row(mark: mark(.max), note: TrapNote(), mode: .afterTraps(atWork: []), next: mark(3, at: now)),
        Row(mark: mark(.min), note: TrapNote(), mode: .usual, next: mark(1, at: now)),
    ])
    func `follows from the mark and the note that it finds`(_ row: Row) {
        let (mode, next) = StartMode.decide(row.mark, row.note, now: Self.now)
        #expect(mode == row.mode)
        #expect(next == row.next)
    }

    @Test func `fails no transfer after kills, however many there are`() {
        var mark: StartMark?
        for _ in 0..<100 {
            let (mode, next) = StartMode.decide(mark, nil, now: Self.now)
            #expect(mode == .usual)
            mark = next
        }
    }

    @Test func `names the transfers that were at work, and what to type`() throws {
        #expect(StartMode.usual.warning == nil && StartMode.usual.suspects == [])
        let mode = StartMode.afterTraps(atWork: [Self.one, Self.two])
        let warning = try #require(mode.warning)
        #expect(warning.contains("0000000000000001 0000000000000002. All others continue. `ferry retry ID`"))
        #expect(mode.suspects == [Self.one, Self.two])
        let many = StartMode.afterTraps(atWork: (1...20).map { TransferID(rawValue: $0) }).warning
        #expect(many?.contains("and 4 more") == true)
        #expect(StartMode.afterTraps(atWork: []).warning?.contains("No transfer was running") == true)
    }

    @Test(arguments: [
        ("", []), ("11\n", []), ("4\n0000000000000002\n0000000000000001\n0000000000000002\n", [one, two]),
        ("4\n0000000000000001\n00000", [one]), ("\u{FFFD}\n\n", []),
    ])
    func `reads what a trap has left`(_ text: String, _ atWork: [TransferID]) {
        #expect(TrapNote(text).atWork == atWork)
    }
}
