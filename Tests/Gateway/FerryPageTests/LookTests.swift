import FerryTesting
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: Browser.isInstalled, "scripts/test installs Chromium"))
struct `The page's look` {
    private static let script = OriginScript(
        SeededBody(seed: 57, size: 2_000_000), .on(.path("/held*"), .hold("held", at: .body(500_000))),
        .on(.path("/chunked"), .chunked, .hold("held", at: .body(500_000))), .on(.path("/gone"), .status(404)))

    /// A regression: below 640 pixels, and so at 200 % zoom, rows had no progress.
    @Test(arguments: [320, 360, 640, 768, 1280])
    func `shows the progress at each width`(width: Int) async throws {
        try await withPage(Self.script, Browser.Settings(width: width)) { bed in
            let browser = bed.browser
            try await bed.open()
            let id = try await bed.add("/held")
            try await bed.waitForRow(id, "25 %")
            #expect(
                try await browser.run(
                    """
                    const row = document.querySelector('.row').getBoundingClientRect();
                    return ['.name', '.percent', '.bar', '.bar i', '.do button'].map(each => {
                      const node = document.querySelector(`.row ${each}`), { width, height, top, bottom, left, right } = node.getBoundingClientRect();
                      return node.checkVisibility() && width > 2 && height > 2 && top >= row.top && bottom <= row.bottom && left >= 0 && right <= innerWidth;
                    });
                    """
                ).items == Array(repeating: .bool(true), count: 5))
        }
    }

    @Test func `moves the bar of what has no size, and has none for what does not run`() async throws {
        try await withPage(Self.script) { bed in
            let browser = bed.browser
            try await bed.open()
            let unknown = try await bed.add("/chunked")
            let bad = try await bed.add("/gone")
            let paused = try await bed.add("/a", "--paused")
            try await bed.waitForRow(bad, "404")
            try await bed.waitForRow(paused, "Paused")
            try await browser.wait(
                "The moving bar",
                until: "document.querySelector(`#row-${given[0]} .bar[data-moving]`)?.checkVisibility()",
                .text(unknown))
            for id in [bad, paused] {
                #expect(
                    try await browser.run(
                        "return document.querySelector(`#row-${given[0]} .bar`).checkVisibility()", .text(id))
                        == .bool(false))
            }
            // The cause comes first.
            #expect(try await browser.text("#row-\(bad) .words").hasPrefix("The server responded with 404"))
        }
    }

    @Test func `has rows that grow with the text, and low ones for who wants them`() async throws {
        try await withPage { bed in
            let browser = bed.browser
            try await bed.open()
            let id = try await bed.add("/a")
            try await bed.waitForRow(id, "Finished")
            func height() async throws -> Double {
                try await browser.run("return document.querySelector('.row').getBoundingClientRect().height").number
                    ?? 0
            }
            #expect(try await height() == 64)
            try await browser.keys("d")
            try await browser.wait("Low rows", until: "document.querySelector('.row').offsetHeight === 40")
            try await browser.reload()
            try await browser.wait("Low rows", until: "document.querySelector('.row')?.offsetHeight === 40")
            try await browser.press("Compact")
            try await browser.run("document.documentElement.style.fontSize = '32px'")
            try await browser.wait("High rows", until: "document.querySelector('.row').offsetHeight >= 128")
        }
    }

    @Test func `sorts by a click on a column, which shows the order`() async throws {
        try await withPage { bed in
            let browser = bed.browser
            try await bed.open()
            for name in ["b", "c", "a"] { try await bed.add("/\(name)", "--paused") }
            try await browser.wait("Three rows", until: "document.querySelectorAll('.row').length === 3")
            try await browser.press("Name")
            try await browser.wait("The order", until: "document.querySelector('.name').textContent === 'a'")
            try await browser.press("Name ↓")
            try await browser.wait("The order", until: "document.querySelector('.name').textContent === 'c'")
            #expect(try await browser.run("return document.querySelector('#order').value").text == "name")
            #expect(try await bed.buttons(in: "#columns").contains("Name ↑"))
        }
    }

    @Test func `has notices beside the buttons, and no frame around the list`() async throws {
        try await withPage(OriginScript(rules: []), Browser.Settings(width: 360)) { bed in
            let browser = bed.browser
            try await bed.open()
            #expect(try await browser.run("return document.activeElement === document.body").isTrue)
            for name in ["a", "b", "c", "d", "e", "f", "g", "h", "i"] { try await bed.add("/\(name)", "--paused") }
            try await browser.wait("The rows", until: "document.querySelector('#list').ariaRowCount === '9'")
            try await browser.press("Resume all 9")
            try await browser.wait("The notice", until: "document.querySelector('.notice')")
            #expect(
                try await browser.run(
                    """
                    const notice = document.querySelector('#notices').getBoundingClientRect();
                    return document.querySelector('#list').getBoundingClientRect().bottom <= notice.top && notice.bottom <= innerHeight;
                    """
                ).isTrue)
        }
    }

    @Test func `limits the speed by the menu beside it`() async throws {
        try await withPage { bed in
            let browser = bed.browser
            try await bed.open()
            func choose(_ value: String) async throws {
                try await browser.run(
                    """
                    const node = document.querySelector('#limit');
                    node.value = given[0];
                    node.dispatchEvent(new Event('change'));
                    """, .text(value))
            }
            try await choose("2097152")
            try await eventually("The limit is set") {
                try await bed.ferry.run(["settings", "--json"]).json(JSON.self)["rate_limit"] == 2_097_152
            }
            try await choose("slow")
            try await browser.wait("The switch", until: "document.querySelector('#slow').ariaPressed === 'true'")
            try await choose("0")
            try await browser.wait("The switch", until: "document.querySelector('#slow').ariaPressed === 'false'")
            #expect(try await bed.ferry.run(["settings", "--json"]).json(JSON.self)["rate_limit"] == 0)
            try await choose("other")
            try await browser.wait("The dialog", until: "document.querySelector('#field-rate_limit')")
        }
    }

    @Test func `notifies of ends in the background for who wants it`() async throws {
        try await withPage { bed in
            let browser = bed.browser
            try await browser.beforeEachPage(
                """
                globalThis.told = [];
                globalThis.Notification = class { static permission = 'default'; constructor(title) { told.push(title); }
                  static requestPermission() { this.permission = 'granted'; return Promise.resolve('granted'); } };
                document.hasFocus = () => false;
                """)
            try await bed.open()
            let first = try await bed.add("/a")
            try await bed.waitForRow(first, "Finished")
            try await browser.press("Help")
            try await browser.click("dialog label:nth-of-type(2) input")
            try await browser.press("Close", in: "dialog")
            let second = try await bed.add("/b")
            try await bed.waitForRow(second, "Finished")
            try await browser.wait("The notification", until: "told.length === 1 && told[0] === 'b: Finished'")
        }
    }

    @Test func `loads less than 110 KiB until the list is there, in each language`() async throws {
        for language in ["en", "de"] {
            try await withPage(OriginScript(rules: []), Browser.Settings(language: language)) { bed in
                try await bed.open()
                try await bed.browser.wait("The list", until: "performance.getEntriesByName('list').length > 0")
                let bytes =
                    try await bed.browser.run(
                        """
                        const list = performance.getEntriesByName('list')[0].startTime;
                        const loaded = performance.getEntriesByType('resource').filter(each => each.startTime < list && !each.name.includes('/v1/'));
                        const worker = (await (await fetch('/worker.js')).blob()).size;
                        return worker + [...loaded, ...performance.getEntriesByType('navigation')].reduce((sum, each) => sum + each.decodedBodySize, 0);
                        """
                    ).number ?? 0
                #expect(bytes > 50_000 && bytes < 110 * 1024, "\(language): \(bytes) bytes")
            }
        }
    }

    @Test func `has a style whose rules use its scale`() throws {
        let style = try #require(page(named: "/style.css"))
        let parts = style.components(separatedBy: "/* Elements */")
        #expect(parts.count == 2)
        for line in parts[1].split(separator: "\n") where !line.hasPrefix("@") {
            #expect(line.firstMatch(of: /:[^{;]*(#[0-9a-f]{3,8}\b|\brgba?\(|\d(px|rem|em)\b)/) == nil, "\(line)")
            for name in line.matches(of: /var\((--[a-z]+)\)/) {
                #expect(parts[0].contains("\(name.output.1):"), "\(name.output.1) is not in the scale")
            }
        }
    }

    private func page(named path: String) -> String? {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        return try? String(
            contentsOf: folder.appending(path: "Sources/Gateway/FerryPage/files" + path), encoding: .utf8)
    }
}
