import FerryTesting
import Foundation
import Testing

/// Folder of the axe-core audit (Deque), which scripts/test installs from PyPI: rules for names, roles, focus order and
/// contrast.
private let axe = ProcessInfo.processInfo.environment["FERRY_AXE"] ?? ""

@Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: Browser.isInstalled, "scripts/test installs Chromium"))
struct `The page for everybody` {
    private static let script = OriginScript(
        SeededBody(seed: 37, size: 2_000_000), .on(.path("/held"), .hold("held", at: .body(500_000))),
        .on(.path("/gone"), .status(404)), .on(.path("/busy"), .status(503)))

    @Test func `works with the keyboard alone`() async throws {
        try await withPage(Self.script) { bed in
            let browser = bed.browser
            try await bed.open()
            try await browser.keys("n")
            try await browser.wait("The dialog", until: "document.activeElement?.id === 'field-source'")
            for character in bed.origin.url("/held") { try await browser.keys(String(character)) }
            try await browser.keys(Key.enter, holding: [Key.control])
            try await browser.wait("The row", until: "document.querySelector('.row')")
            let id = try await browser.run("return document.querySelector('.row').id.slice(4)").text ?? ""
            try await bed.waitForRow(id, "25 %")
            // The focus has returned to the list.
            try await browser.wait("The focus", until: "document.activeElement.id === 'list'")
            try await browser.keys(Key.down)
            try await browser.keys("p")
            try await bed.waitForRow(id, "Paused")
            try await browser.keys("e")
            try await browser.wait("The name", until: "document.activeElement?.id === 'field-name'")
            try await browser.keys("a", holding: [Key.control])
            for character in "new" { try await browser.keys(String(character)) }
            try await browser.keys(Key.enter)
            try await bed.waitForRow(id, "new")
            try await browser.keys(Key.enter)
            try await browser.wait("The detail", until: "!document.querySelector('#detail').hidden")
            try await browser.keys(Key.escape)
            try await browser.wait("Its end", until: "document.querySelector('#detail').hidden")
            bed.origin.release("held")
            try await browser.keys("r")
            try await bed.waitForRow(id, "Finished")
            #expect(try await bed.info(id)["name"] == "new")
            // Each tab stop is visible, and the focus returns to the first one.
            var stops: [String] = []
            for _ in 0..<40 {
                try await browser.keys(Key.tab)
                let stop =
                    try await browser.run(
                        "const node = document.activeElement; return node === document.body ? '' : "
                            + "[node.id || [...document.querySelectorAll('*')].indexOf(node), node.checkVisibility(), getComputedStyle(node).outlineStyle].join(' ')"
                    ).text ?? ""
                if stops.contains(stop), !stop.isEmpty { break }
                if !stop.isEmpty { stops.append(stop) }
            }
            #expect(stops.contains { $0.hasPrefix("add ") } && stops.contains { $0.hasPrefix("list ") }, "\(stops)")
            #expect(stops.allSatisfy { $0.hasSuffix("true solid") || $0.hasSuffix("true auto") }, "\(stops)")
        }
    }

    @Test func `says how transfers end, and how far they are at each tenth`() async throws {
        try await withPage(Self.script) { bed in
            let browser = bed.browser
            try await bed.open()
            try await browser.run(
                """
                window.said = [];
                new MutationObserver(() => said.push(document.querySelector('#speech').textContent))
                  .observe(document.querySelector('#speech'), { childList: true, characterData: true, subtree: true });
                """)
            let id = try await bed.add("/held")
            try await bed.waitForRow(id, "25 %")
            try await browser.click("#row-\(id) .name")
            try await browser.wait("The progress", until: "said.includes('held: 25 %')")
            bed.origin.release("held")
            try await browser.wait("The end", until: "said.includes('held: Finished')")
        }
    }

    /// Widths of phones, tablets and screens, and those of 1280 pixels at a zoom of 200 % (640) and 400 % (320).
    @Test(
        .enabled(if: !axe.isEmpty, "scripts/test installs axe-core"),
        arguments: [
            "320 dark en", "360 light de", "360 dark en", "640 light en", "768 light de", "1280 light en",
            "1280 dark de", "1920 dark en",
        ])
    func `has no finding of axe-core`(window: String) async throws {
        let parts = window.split(separator: " ")
        let settings = Browser.Settings(
            width: Int(parts[0]) ?? 0, language: String(parts[2]), isDark: parts[1] == "dark")
        let words: (finished: String, add: String, help: String) =
            parts[2] == "de" ? ("Fertig", "Hinzufügen", "Hilfe") : ("Finished", "Add", "Help")
        try await withPage(Self.script, settings) { bed in
            let browser = bed.browser
            try await bed.open()
            let good = try await bed.add("/good", "--tag", "music")
            let held = try await bed.add("/held")
            let bad = try await bed.add("/gone")
            try await bed.add("/busy")
            try await bed.add("/later", "--paused", "--session", "other")
            try await bed.waitForRow(good, words.finished)
            try await browser.wait(
                "The failure", until: "document.querySelector(`#row-${given[0]}[data-state=failed]`)", .text(bad))
            try await bed.waitForRow(held, "25 %")
            try await browser.wait("All", until: "document.querySelectorAll('.row').length === 5")
            func audit(_ where: String) async throws {
                #expect(try await browser.audit() == [], "\(`where`)")
                #expect(
                    try await browser.run("return document.documentElement.scrollWidth <= innerWidth").isTrue,
                    "\(`where`) is wider than the window")
            }
            try await audit("the list")
            for id in [held, bad, good] {
                try await browser.click("#row-\(id) .name")
                try await audit("the detail of \(id)")
                try await browser.keys(Key.escape)
            }
            try await browser.click("#row-\(held) .mark input")
            try await audit("a selection")
            try await browser.keys(Key.escape)
            try await browser.keys("d")
            try await audit("low rows")
            try await browser.press(words.add)
            try await browser.click("dialog summary")
            try await audit("adding")
            try await browser.keys(Key.escape)
            try await browser.keys("l")
            try await browser.wait("The dialog", until: "document.querySelector('dialog')")
            try await audit("limits")
            try await browser.keys(Key.escape)
            try await browser.press(words.help)
            try await browser.wait("The dialog", until: "document.querySelector('dialog')")
            try await audit("help")
        }
    }
}
