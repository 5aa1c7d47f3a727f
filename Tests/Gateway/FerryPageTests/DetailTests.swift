import FerryTesting
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: Browser.isInstalled, "scripts/test installs Chromium"))
struct `The page's detail` {
    @Test func `begins with the actions and with what went wrong, and shortens a long URL`() async throws {
        let script = OriginScript(SeededBody(seed: 55, size: 1000), always: .status(404))
        try await withPage(script) { bed in
            let browser = bed.browser
            try await bed.open()
            let id = try await bed.add("/gone?signature=" + String(repeating: "abcdef0123", count: 90))
            try await bed.waitForRow(id, "Failed")
            try await browser.click("#row-\(id) .name")
            try await browser.wait("The detail", until: "document.querySelector('.told h3')?.textContent")
            #expect(try await browser.text(".told h3") == "What went wrong")
            try await bed.expectButtons(in: "#detail .remedies", ["Give a new URL", "Try again", "Remove", "Change"])
            let heights = """
                const url = document.querySelector('#detail .long'), top = document.querySelector('#detail dl').getBoundingClientRect();
                return [url.firstChild.getBoundingClientRect().height < 3 * parseFloat(getComputedStyle(url).lineHeight),
                  document.querySelector('.told').getBoundingClientRect().bottom <= top.top,
                  [...document.querySelectorAll('#detail .chart, #detail .map')].some(each => each.checkVisibility())];
                """
            #expect(try await browser.run(heights).items == [.bool(true), .bool(true), .bool(false)])
            try await browser.press("Show all", in: "#detail")
            #expect(try await browser.run(heights).items.first == .bool(false))
        }
    }

    /// Regressions: the error stood in the line "added", and long digests were cut off.
    @Test func `tells the history, and shows long digests whole`() async throws {
        let body = SeededBody(seed: 56, size: 1000)
        let script = OriginScript(body, .on(.path("/gone"), .status(404)))
        try await withPage(script, Browser.Settings(width: 360)) { bed in
            let browser = bed.browser
            try await bed.open()
            let bad = try await bed.add("/gone")
            let digest = String(repeating: "ab", count: 64)
            let good = try await bed.add("/good", "--checksum", "sha256:\(body.sha256Hex)")
            let wrong = try await bed.add("/wrong", "--checksum", "sha512:\(digest)")
            try await bed.waitForRow(good, "Finished")
            try await bed.waitForRow(wrong, "Failed")
            try await browser.click("#row-\(bad) .name")
            try await browser.wait("The history", until: "document.querySelectorAll('#detail ol li').length === 3")
            let lines = try await browser.run(
                "return [...document.querySelectorAll('#detail ol li')].map(each => each.textContent)"
            ).strings
            #expect(!lines[0].contains("404") && lines[0].hasSuffix("added") && lines[2].contains("404"), "\(lines)")
            for id in [good, wrong] {
                try await browser.keys(Key.escape)
                try await browser.wait("The list", until: "document.querySelector('#detail').hidden")
                try await browser.click("#row-\(id) .name")
                try await browser.wait("The detail", until: "!document.querySelector('#detail').hidden")
                #expect(
                    try await browser.run(
                        """
                        return [...document.querySelectorAll('#detail, #detail *')]
                          .filter(each => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0 && !each.closest('.long, h2'))
                          .map(each => each.className || each.tagName);
                        """
                    ).strings == [])
            }
        }
    }

    @Test func `gives the command with all options but without secrets`() async throws {
        try await withPage { bed in
            let browser = bed.browser
            try await bed.open()
            let id = try await bed.add(
                "/a", "--paused", "-H", "X-Note: a b", "-H", "Authorization: Bearer s3cret", "-b", "id=s3cret",
                "--connections",
                "3", "--tag", "music")
            try await bed.waitForRow(id, "Paused")
            try await browser.click("#row-\(id) .name")
            try await browser.wait(
                "The command", until: "document.querySelector('#detail .command')?.textContent.includes('X-Note')")
            let command = try await browser.text("#detail .command")
            #expect(
                command.contains("-H 'X-Note: a b'") && command.contains("--connections 3")
                    && command.contains("--tag music"))
            let shown = try await browser.run("return document.querySelector('#detail').textContent").text ?? ""
            #expect(!shown.contains("s3cret") && shown.contains("Left out: Authorization, Cookie."), "\(shown)")
        }
    }
}
