import FerryAPI
import FerryCore
import Foundation
import Testing

@Suite struct `docs/control-api.md` {
    private func page() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "docs/control-api.md"), encoding: .utf8)
    }

    @Test(arguments: Route.all) func `has a section for every route`(route: Route) throws {
        let page = try page()
        #expect(page.contains("### `\(route.method.rawValue) \(route.path)`\n\n\(route.summary)"))
    }

    @Test func `says the range of every number`() throws {
        let page = try page()
        let rows =
            SettingRange<Int>.all.map { ($0.key, $0.words) } + SettingRange<Int64>.all.map { ($0.key, $0.words) }
            + SettingRange<Double>.all.map { ($0.key, $0.words) }
        #expect(Set(rows.map(\.0)).count == rows.count)
        for (key, words) in rows { #expect(page.contains("| `\(key)` | \(words) |"), "\(key)") }
    }

    @Test func `has no section for a route that is not there`() throws {
        let headings = try page().split(separator: "\n").filter { $0.hasPrefix("### `") }
        #expect(headings.count == Route.all.count)
    }
}
