import FerryTesting
import Foundation
import Testing

/// The extension in a browser of its own, with a native host and a daemon.
struct ExtensionBed: Sendable {
    let page: PageBed
    let kind: BrowserKind
    /// The address of the extension's files, with a slash at the end.
    let base: String

    var browser: Browser { page.browser }
    var ferry: DaemonFixture { page.ferry }
    var origin: ScriptedOrigin { page.origin }
    var browserFolder: String { ferry.home + "/browser/downloads" }

    /// Opens one of the extension's pages, in another tab if this one does not show it.
    func open(_ name: String) async throws {
        do { try await browser.open(base + name) } catch {
            try await browser.show(window: try await browser.openWindow())
            try await browser.open(base + name)
        }
    }

    /// Runs the body of an async function in an open page of the extension, with its interface as `chrome`.
    @discardableResult
    func run(_ body: String, _ given: JSON...) async throws -> JSON {
        // Firefox's commands see the page's own objects behind a wrapper.
        let prelude = "const chrome = window.chrome ?? window.wrappedJSObject.chrome;\n"
        return try await browser.run(prelude + body, given: given)
    }

    /// Waits until the body of an async function returns true.
    func wait(_ what: String, until body: String) async throws {
        try await eventually(what) { try await run(body) == .bool(true) }
    }

    func set(_ settings: JSON) async throws {
        try await run("await chrome.storage.local.set(JSON.parse(given[0]))", .text(try settings.line))
    }
}

extension JSON {
    /// The value as one line of text.
    var line: String {
        get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }
}

/// Runs `body` with the extension in a browser.
func withExtension(
    _ script: OriginScript = OriginScript(rules: []), _ change: (inout Browser.Settings) -> Void = { _ in },
    _ body: (ExtensionBed) async throws -> Void
) async throws {
    var settings = Browser.Settings()
    settings.extensionFolder = Checkout.file("Extras/extension").path
    change(&settings)
    let base =
        switch settings.kind {
        case .chromium: "chrome-extension://goooccgecnlfbafbpcjdiiapikeefmhl/"
        case .firefox: "moz-extension://\(FirefoxDriver.host)/"
        }
    settings.firstPage = base + "options.html"
    try await withPage(script, settings) { [settings] bed in
        let extensionBed = ExtensionBed(page: bed, kind: settings.kind, base: base)
        do {
            try await body(extensionBed)
        } catch {
            try? await extensionBed.open("options.html")
            let stored = try? await extensionBed.run(
                "return { stored: await chrome.storage.local.get(null), items: await chrome.downloads.search({}) }")
            Attachment.record((try? stored?.line) ?? "", named: "extension.json")
            throw TestingError("\(error)\nThe extension has stored \((try? stored?.line) ?? "nothing").")
        }
    }
}
