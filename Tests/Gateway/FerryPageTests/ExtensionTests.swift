import FerryTesting
import Foundation
import Testing

/// The extension in Chromium, with the native host that the browser starts.
@Suite(.serialized, .timeLimit(.minutes(2)), .enabled(if: Browser.isInstalled, "scripts/test installs Chromium"))
struct `The browser's extension` {
    private static let folder = Checkout.file("Extras/extension").path

    @Test func `decides by size, site and origin what it takes over`() async throws {
        try await withExtension(OriginScript(rules: [])) { bed, page in
            let cases = try await bed.browser.run(
                #"""
                const { takesOver, urlOf, fieldsOf, badge, referrerFor, usual } = await import('./rules.js');
                const item = { url: 'https://a.example/f', finalUrl: 'https://a.example/f', referrer: 'https://www.a.example/', totalBytes: 2e7, state: 'in_progress' };
                const takes = (change, settings = {}) => takesOver({ ...item, ...change }, { ...usual, ...settings });
                return [
                  ['large', takes({}), true], ['small', takes({ totalBytes: 1e6 }), false], ['unknown size', takes({ totalBytes: -1 }), false],
                  ['all', takes({ totalBytes: -1 }, { leastBytes: 0 }), true], ['off', takes({}, { isOn: false }), false],
                  ['a site that is off', takes({}, { sites: { 'www.a.example': false } }), false],
                  ['of the browser', takes({ url: 'blob:https://a.example/1', finalUrl: 'blob:https://a.example/1' }), false],
                  ['private', takes({ incognito: true }), false], ['complete', takes({ state: 'complete' }), false],
                  ['first URL', urlOf({ url: 'https://a.example/f', finalUrl: 'https://cdn.example/f?sig=1' }, []), 'https://a.example/f'],
                  ['last URL', urlOf({ url: 'https://a.example/f', finalUrl: 'https://b.example/f' }, [{}]), 'https://b.example/f'],
                  ['fields', fieldsOf({ cookies: [{ name: 'a', value: '1' }, { name: 'b', value: '2' }], referrer: '', userAgent: 'U' }),
                    [{ name: 'Cookie', value: 'a=1; b=2' }, { name: 'User-Agent', value: 'U' }]],
                  ['referrer', referrerFor('https://a.example/f', 'https://a.example/p?q#f'), 'https://a.example/p?q'],
                  ['of another site', referrerFor('https://b.example/f', 'https://a.example/p?q'), 'https://a.example/'],
                  ['not safe', referrerFor('http://a.example/f', 'https://a.example/p'), ''],
                  ['percent', badge({ running: 2, received: 1, expected: 4 }), '25%'], ['count', badge({ running: 2, received: 1, expected: 0 }), '2'],
                  ['rest', badge({ running: 0 }), ''],
                ];
                """#
            ).items
            #expect(!cases.isEmpty)
            for each in cases { #expect(each[1] == each[2], "\(each[0].text ?? "")") }
        }
    }

    /// A private page with a login cookie. Without the cookie, the file is a 403.
    @Test func `takes a download over with its cookies and referrer, and shows it`() async throws {
        let script = OriginScript(
            SeededBody(seed: 38, size: 11_000_000),
            .on(.path("/login"), .raw(Self.page)), .on(.path("/file.bin").and(.not(.has("Cookie"))), .status(403)),
            .on(.path("/file.bin"), .contentType("application/octet-stream"), .throttle(bytesPerSecond: 4_000_000)))
        try await withExtension(script) { bed, page in
            let browser = bed.browser
            try await browser.open(bed.origin.url("/login"))
            try await browser.click("#file")
            try await eventually("Ferry has it") {
                try await bed.ferry.run(["list", "--json"]).stdout.contains(#""state":"succeeded""#)
            }
            let asked = bed.origin.requests.filter { $0.path == "/file.bin" && $0.value("User-Agent") != nil }
            let last = try #require(asked.last)
            #expect(last.value("Cookie") == "session=abc" && last.value("Referer")?.hasSuffix("/login") == true)
            #expect(last.value("User-Agent")?.contains("Chrome") == true)
            #expect(FileManager.default.fileExists(atPath: bed.ferry.file("file.bin")))
            try await browser.open(page)
            try await browser.wait(
                "The row", until: "document.querySelector('#transfers li')?.textContent.includes('file.bin')")
            try await browser.wait(
                "Its end", until: "document.querySelector('#transfers li').textContent.includes('Finished')")
            // The browser's own download list is empty.
            #expect(try await browser.run("return (await chrome.downloads.search({})).length") == 0)
        }
    }

    @Test func `leaves a download to the browser where Ferry is not there`() async throws {
        let script = OriginScript(
            SeededBody(seed: 39, size: 11_000_000), .on(.path("/login"), .raw(Self.page)),
            .on(.path("/file.bin"), .contentType("application/octet-stream")))
        try await withExtension(script, isHostBroken: true) { bed, page in
            let browser = bed.browser
            try await browser.open(bed.origin.url("/login"))
            try await browser.click("#file")
            try await browser.open(page)
            try await browser.wait(
                "The browser's own file", until: "(await chrome.downloads.search({ state: 'complete' })).length === 1")
        }
    }

    private static let page: [UInt8] = {
        let body = "<!DOCTYPE html><title>Files</title><a id=file href=/file.bin>file</a>"
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: session=abc; Path=/; HttpOnly\r\n"
        return Array((head + "Content-Length: \(body.utf8.count)\r\n\r\n" + body).utf8)
    }()

    /// Runs `body` with the extension in a separate browser and the address of its popup.
    private func withExtension(
        _ script: OriginScript, isHostBroken: Bool = false, _ body: (PageBed, String) async throws -> Void
    ) async throws {
        var settings = Browser.Settings()
        settings.extensionFolder = Self.folder
        settings.isHostBroken = isHostBroken
        try await withPage(script, settings) { bed in
            let manifest = try await bed.ferry.run(["native-host", "--manifest", "chromium"]).json(JSON.self)
            let page = (manifest["allowed_origins"][0].text ?? "") + "popup.html"
            try await bed.browser.open(page)
            try await body(bed, page)
        }
    }
}
