import FerryAPI
import FerryCore
import FerryTesting
import Foundation
import Testing

@testable import FerryServer

@Suite struct `docs/control-api.md` {
    private func page() throws -> String {
        try String(contentsOf: Checkout.file("docs/control-api.md"), encoding: .utf8)
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

@Suite struct `ferryd's manual page` {
    private func page() throws -> [Substring] {
        try String(contentsOf: Checkout.file("Packaging/man/ferryd.1"), encoding: .utf8)
            .split(separator: "\n")
    }

    /// Returns the terms of a section's list.
    private func terms(of section: String, in page: [Substring]) -> Set<String> {
        let lines = page.drop { $0 != ".SH " + section }.dropFirst().prefix { !$0.hasPrefix(".SH") }
        return Set(zip(lines, lines.dropFirst()).filter { $0.0 == ".TP" }.map { String($0.1.dropFirst(".B ".count)) })
    }

    /// Returns the first word of each line in a section of the help.
    private func words(of section: String) -> Set<String> {
        let lines = Daemon.help.split(separator: "\n", omittingEmptySubsequences: false)
            .drop { $0 != section + ":" && $0 != section }.dropFirst().prefix { $0.hasPrefix("  ") }
        // Continuation lines are indented further.
        return Set(lines.filter { !$0.hasPrefix("   ") }.compactMap { $0.split(separator: " ").first.map(String.init) })
    }

    @Test(arguments: ["ENVIRONMENT", "EXIT STATUS"]) func `lists what the help lists`(section: String) throws {
        let known = words(of: section)
        #expect(known.count >= 4)
        #expect(try terms(of: section, in: page()) == known)
    }
}
