import FerryTesting
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: Browser.isInstalled, "scripts/test installs Chromium"))
struct `The page with much or many` {
    @Test func `shows ten thousand transfers with few rows, and finds, chooses and removes`() async throws {
        try await withPage { bed in
            let browser = bed.browser
            let list = (1...10_000).map { bed.origin.url("/file\($0)") }.joined(separator: "\n")
            let added = try await bed.ferry.run(["add", "--paused", "-d", bed.ferry.folder, "-i", "-"], input: list)
            #expect(added.status == 0, "\(added.stderr)")
            try await bed.open()
            try await browser.wait("All", until: "document.querySelector('#list').ariaRowCount === '10000'")
            #expect(try await browser.run("return document.querySelectorAll('.row').length < 40").isTrue)
            try await browser.run("document.querySelector('#list').scrollTop = 1e9")
            try await browser.wait(
                "The last row", until: "[...document.querySelectorAll('.name')].at(-1).textContent === 'file10000'")
            #expect(try await browser.run("return document.querySelectorAll('.row').length < 40").isTrue)
            try await browser.type("file777", into: "#search")
            try await browser.wait("What was found", until: "document.querySelector('#list').ariaRowCount === '11'")
            try await browser.click("#list")
            try await browser.keys("a", holding: [Key.control])
            try await browser.keys(Key.delete)
            // More than ten that were not chosen one by one are removed after a question only.
            try await browser.wait("The question", until: "document.querySelector('dialog')")
            #expect(try await browser.run("return document.querySelector('#list').ariaRowCount").text == "11")
            try await browser.press("Remove", in: "dialog")
            try await browser.wait("The removal", until: "document.querySelector('#list').ariaRowCount === '0'")
            try await browser.keys("z")
            try await browser.wait("Its end", until: "document.querySelector('#list').ariaRowCount === '11'")
            try await browser.keys("a", holding: [Key.control])
            try await browser.keys(Key.delete)
            try await browser.press("Remove", in: "dialog")
            try await browser.wait("The removal again", until: "document.querySelector('#list').ariaRowCount === '0'")
            // A page that is closed still performs the actions that it has shown as done.
            try await browser.open("about:blank")
            try await eventually("9,989 are left") {
                let status = try await bed.ferry.run(["daemon", "status", "--json"]).json(JSON.self)
                return status["transfers"]["suspended"] == 9989
            }
        }
    }

    @Test func `shows the same in two pages`() async throws {
        try await withPage { bed in
            let browser = bed.browser
            try await bed.open()
            let (first, second) = try await browser.openTab()
            try await bed.open()
            let ids = [try await bed.add("/a", "--paused"), try await bed.add("/b", "--paused")]
            try await bed.waitForRow(ids[1], "Paused")
            // Renamed and moved on this page, visible on the other one.
            try await browser.click("#row-\(ids[1]) .name")
            try await browser.keys(Key.up, holding: [Key.alt])
            try await browser.press("Change", in: "#detail")
            try await browser.type("renamed", into: "#field-name")
            try await browser.press("Save", in: "dialog")
            try await browser.wait("The name", until: "document.querySelector('.name').textContent === 'renamed'")
            try await browser.show(window: first)
            try await browser.wait(
                "The order and the name",
                until: "[...document.querySelectorAll('.name')].map(each => each.textContent).join() === 'renamed,a'")
            try await browser.press("Resume all 2")
            try await browser.show(window: second)
            for id in ids { try await bed.waitForRow(id, "Finished") }
        }
    }

    @Test func `asks for the new secret when it is replaced, and continues where it was`() async throws {
        try await withPage { bed in
            let browser = bed.browser
            try await bed.open()
            let id = try await bed.add("/a", "--paused")
            try await bed.waitForRow(id, "Paused")
            try await browser.type("a", into: "#search")
            let new = try await bed.ferry.run(["gateway", "secret", "--new"]).stdout.trimmingCharacters(
                in: .whitespacesAndNewlines)
            try await browser.wait("The question", until: "document.querySelector('#field-secret')")
            try await browser.type("wrong", into: "#field-secret")
            try await browser.press("Open", in: "dialog")
            try await browser.wait("The question again", until: "document.querySelector('#field-secret')?.value === ''")
            try await browser.type(new, into: "#field-secret")
            try await browser.press("Open", in: "dialog")
            try await browser.wait("The list", until: "document.body.dataset.link === 'live'")
            #expect(try await browser.run("return document.querySelector('#search').value") == "a")
            try await browser.press("Resume: a")
            try await bed.waitForRow(id, "Finished")
        }
    }

    @Test func `is opened by a pairing code`() async throws {
        try await withPage { bed in
            let browser = bed.browser
            let code = try await bed.ferry.run(["gateway", "pair"]).stdout.trimmingCharacters(
                in: .whitespacesAndNewlines)
            try await browser.open(bed.address)
            try await browser.wait("The question", until: "document.querySelector('#field-secret')")
            // People type it as they read it.
            try await browser.type("\(code.prefix(4)) \(code.dropFirst(4))".lowercased(), into: "#field-secret")
            try await browser.press("Open", in: "dialog")
            try await browser.wait("The list", until: "document.body.dataset.link === 'live'")
            #expect(try await bed.ferry.run(["gateway", "clients"]).stdout.contains("Browser"))
        }
    }

    @Test func `changes limits, the slow switch and the language`() async throws {
        try await withPage { bed in
            let browser = bed.browser
            try await bed.open()
            try await browser.press("Limits")
            try await browser.type("nonsense", into: "#field-rate_limit")
            try await browser.press("Save", in: "dialog")
            try await browser.wait(
                "The sentence",
                until: "document.querySelector('#field-rate_limit-wrong').textContent.includes('nonsense')")
            try await browser.type("8M", into: "#field-rate_limit")
            try await browser.type("3", into: "#field-active_transfers")
            try await browser.press("Save", in: "dialog")
            try await browser.wait("The end of the dialog", until: "!document.querySelector('dialog')")
            try await browser.press("Slow")
            try await browser.wait("The switch", until: "document.querySelector('#slow').ariaPressed === 'true'")
            let settings = try await bed.ferry.run(["settings", "--json"]).json(JSON.self)
            #expect(settings["rate_limit"] == 8_388_608 && settings["active_transfers"] == 3 && settings["slow"].isTrue)
            try await browser.keys("?")
            try await browser.wait("The help", until: "document.querySelector('#field-language')")
            try await browser.run("document.querySelector('#field-language').value = 'de'")
            try await browser.run(
                "document.querySelector('#field-language').dispatchEvent(new Event('change', { bubbles: true }))")
            try await browser.wait("German", until: "document.querySelector('#add').textContent === 'Hinzufügen'")
            #expect(try await browser.run("return document.documentElement.lang") == "de")
        }
    }
}
