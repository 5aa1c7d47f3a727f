// The list as text.

import Ferry
import Testing

@testable import DownloadDemo

@Suite struct `The list as text` {
    static func row(
        _ status: Status, remark: String = "", fraction: Double? = nil, speed: String = "0 B/s", remaining: String = ""
    ) -> Overview.Row {
        Overview.Row(
            id: DownloadTask.ID(rawValue: "a"), number: 2, name: "film.mp4", status: status, remark: remark,
            fraction: fraction, received: 12, speed: speed, remaining: remaining)
    }

    @Test(arguments: [
        (
            row(.running, fraction: 0.35, speed: "1.5 MB/s", remaining: "01:10"),
            "2   ███······· 35%  running     film.mp4  1.5 MB/s, 01:10 left"
        ),
        (row(.running, speed: "1.5 MB/s"), "2   12 bytes        running     film.mp4  1.5 MB/s"),
        (row(.waiting, remark: "for its turn"), "2   12 bytes        waiting     film.mp4  for its turn"),
        (
            row(.succeeded, remark: "/x/film.mp4", fraction: 1),
            "2   ██████████ 100% succeeded   film.mp4  /x/film.mp4"
        ),
    ])
    func `a row shows how far it is and what it waits for`(row: Overview.Row, text: String) {
        #expect(row.text == text)
    }

    @Test func `all together come first`() {
        let overview = Overview(
            rows: [Self.row(.running, fraction: 0), Self.row(.suspended)], speed: "1.5 MB/s", remaining: "01:10",
            limit: 3)
        let lines = overview.lines(width: 100)
        #expect(lines.count == 3)
        #expect(lines.first == "2 downloads, 1 running of at most 3 · 1.5 MB/s, 01:10 left")
    }

    @Test func `no line is wider than the terminal`() {
        let overview = Overview(rows: [Self.row(.failed, remark: String(repeating: "x", count: 200))])
        #expect(overview.lines(width: 40).allSatisfy { $0.count <= 40 })
        #expect(overview.lines(width: 0).allSatisfy { $0.count <= 1 })
    }
}
