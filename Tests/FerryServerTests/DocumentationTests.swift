// Ferry: FerryServerTests
// The page and the table agree.

import FerryAPI
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

    @Test func `has no section for a route that is not there`() throws {
        let headings = try page().split(separator: "\n").filter { $0.hasPrefix("### `") }
        #expect(headings.count == Route.all.count)
    }
}
