import FerryTesting
import Foundation
import Testing

@Suite struct `The properties of configurations and requests` {
    private static let begin = "<!-- printed by PropertyTableTests -->\n"
    private static let end = "<!-- end -->"

    @Test(arguments: PropertyTable.configuration + PropertyTable.request)
    func `count alike for sessions, managers and chains, or the table says why not`(row: PropertyRow) throws {
        for way in Way.allCases {
            let hasEffect = try row.hasEffect(in: way)
            #expect(hasEffect == (row.reasons[way] == nil), "\(row.name) in \(way)")
        }
    }

    /// The list of `scripts/members` has the names of Apple's properties.
    @Test(arguments: [("URLSessionConfiguration", PropertyTable.configuration), ("URLRequest", PropertyTable.request)])
    func `are all in the table`(type: String, rows: [PropertyRow]) throws {
        let list = try String(contentsOf: Checkout.file("scripts/lib/apple/urlsession.txt"), encoding: .utf8)
        let section = try #require(list.split(separator: "[\(type)]\n").last?.split(separator: "\n\n").first)
        let lines = section.split(separator: "\n")
        let names = lines.filter { !$0.contains("(") && !$0.contains(" = ") && !$0.contains(".") }.map(String.init)
        #expect(Set(names).subtracting(["default", "ephemeral", "identifier"]) == Set(rows.map(\.name)))
    }

    /// Run with `FERRY_WRITE_TABLES=1` to write the tables.
    @Test func `are documented as they count`() throws {
        let page = Checkout.file("docs/behaviour/url-session.md")
        var text = try String(contentsOf: page, encoding: .utf8)
        let begin = try #require(text.firstRange(of: Self.begin)?.upperBound)
        let end = try #require(text[begin...].firstRange(of: Self.end)?.lowerBound)
        let tables =
            "\n" + Self.table("`URLSessionConfiguration`", PropertyTable.configuration) + "\n"
            + Self.table("`URLRequest`", PropertyTable.request) + "\n"
        if ProcessInfo.processInfo.environment["FERRY_WRITE_TABLES"] != nil {
            text.replaceSubrange(begin..<end, with: tables)
            try text.write(to: page, atomically: true, encoding: .utf8)
            return
        }
        #expect(text[begin..<end] == tables)
    }

    private static func table(_ type: String, _ rows: [PropertyRow]) -> String {
        var lines = [
            "| \(type) | foreground session | background session | manager | chain |", "|---|---|---|---|---|",
        ]
        for row in rows {
            let cells = Way.allCases.map { row.reasons[$0] ?? "counts" }
            lines.append("| `\(row.name)` | \(cells.joined(separator: " | ")) |")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
