import FerryTesting
import Foundation
import Testing

/// A real daemon's page in a browser, with an origin.
struct PageBed: Sendable {
    let ferry: DaemonFixture
    let origin: ScriptedOrigin
    let browser: Browser
    let port: Int
    let secret: String

    var address: String { "http://127.0.0.1:\(port)/" }

    func open() async throws {
        try await browser.open("about:blank")
        try await browser.open(try await codeAddress())
        try await browser.wait(
            "The list",
            until: "document.body.dataset.link === 'live' && performance.getEntriesByName('list').length > 0")
    }

    /// Returns the address that `ferry web` prints, with a new code.
    func codeAddress() async throws -> String { try await ferry.run(["web", "--print"]).lines.first ?? "" }

    /// Adds a transfer with the command line and returns its id.
    @discardableResult
    func add(_ path: String, _ options: String...) async throws -> String {
        let added = try await ferry.run(["add", "-d", ferry.folder] + options + [origin.url(path)])
        #expect(added.status == 0, "\(added)")
        return added.stdout.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Returns the state of a transfer, from the command line.
    func info(_ id: String) async throws -> JSON {
        let shown = try await ferry.run(["info", "--json", id])
        return try JSONDecoder().decode(JSON.self, from: Data(shown.stdout.utf8))
    }

    /// Waits until a transfer's row contains a text.
    func waitForRow(_ id: String, _ text: String) async throws {
        try await browser.wait(
            "“\(text)” in the row of \(id)",
            until: "document.getElementById(`row-${given[0]}`).textContent.includes(given[1])", .text(id), .text(text))
    }

    /// Returns the names of the visible buttons of a part of the page.
    func buttons(in selector: String) async throws -> [String] {
        try await browser.run(
            """
            return [...document.querySelectorAll(`${given[0]} button`)].filter(each => each.checkVisibility())
              .map(each => each.ariaLabel ?? each.innerText);
            """, .text(selector)
        ).strings
    }

    /// Expects these visible buttons. Waits for them: the page draws a change of the list in its next frame.
    func expectButtons(
        in selector: String, _ expected: [String], at location: SourceLocation = #_sourceLocation
    ) async throws {
        try await expect(expected, at: location) { try await buttons(in: selector) }
    }

    /// Expects these names in the list, from the top. Waits for them.
    func expectNames(_ expected: [String], at location: SourceLocation = #_sourceLocation) async throws {
        try await expect(expected, at: location, names)
    }

    private func expect(
        _ expected: [String], at location: SourceLocation, _ shown: () async throws -> [String]
    ) async throws {
        try? await eventually { try await shown() == expected }
        let found = try await shown()
        #expect(found == expected, sourceLocation: location)
    }

    /// Returns the names in the list, from the top.
    func names() async throws -> [String] {
        try await browser.run("return [...document.querySelectorAll('.row .name')].map(each => each.textContent)")
            .strings
    }
}

/// Runs `body` with a daemon, its gateway on a free port, and a browser without an open page.
func withPage(
    _ script: OriginScript = OriginScript(rules: []), _ settings: Browser.Settings = Browser.Settings(),
    _ body: (PageBed) async throws -> Void
) async throws {
    try await withOrigin(script) { origin in
        let ferry = try DaemonFixture()
        do {
            let (port, secret) = try await ferry.openGateway()
            try await withBrowser(ferry, settings) { browser in
                let bed = PageBed(ferry: ferry, origin: origin, browser: browser, port: port, secret: secret)
                do {
                    try await body(bed)
                    let complaints = try await browser.complaints()
                    #expect(complaints == [])
                } catch {
                    if let picture = try? await browser.screenshot() {
                        Attachment.record(picture, named: "page.png")
                    }
                    let complaints = (try? await browser.complaints()) ?? []
                    throw complaints.isEmpty ? error : TestingError("\(error)\n\(complaints.joined(separator: "\n"))")
                }
            }
        } catch {
            await end(ferry)
            throw error
        }
        await end(ferry)
    }
}

private func end(_ ferry: DaemonFixture) async {
    let log = ferry.log
    await ferry.stop()
    Attachment.record(log, named: "ferryd.log")
}
