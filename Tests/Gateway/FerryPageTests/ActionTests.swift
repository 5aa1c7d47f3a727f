import FerryTesting
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: Browser.isInstalled, "scripts/test installs Chromium"))
struct `The page's actions` {
    private static let held = OriginScript(
        SeededBody(seed: 51, size: 2_000_000),
        .on(.path("/held*"), .hold("held", at: .body(500_000))), .on(.path("/gone"), .status(404)))

    /// A regression: "Clear finished (1)" removed the four that a search had hidden too.
    @Test func `act on the transfers that their buttons count`() async throws {
        try await withPage { bed in
            let browser = bed.browser
            try await bed.open()
            var ids: [String] = []
            for name in ["one", "two", "three", "four"] {
                ids.append(try await bed.add("/\(name)"))
                try await bed.waitForRow(ids[ids.count - 1], "Finished")
            }
            let paused = [try await bed.add("/five", "--paused"), try await bed.add("/six", "--paused")]
            try await bed.waitForRow(paused[1], "Paused")
            try await bed.expectButtons(in: "#actions", ["Resume all 2", "Clear 4 finished"])
            try await browser.type("five", into: "#search")
            try await browser.wait("One", until: "document.querySelector('#list').ariaRowCount === '1'")
            try await bed.expectButtons(in: "#actions", ["Resume 1"])
            try await browser.press("Resume 1")
            try await bed.waitForRow(paused[0], "Finished")
            try await bed.expectButtons(in: "#actions", ["Clear 1 shown"])
            try await browser.press("Clear 1 shown")
            try await browser.wait("None", until: "document.querySelector('#list').ariaRowCount === '0'")
            try await browser.type("", into: "#search")
            try await browser.keys(Key.escape)
            try await browser.wait("Five", until: "document.querySelector('#list').ariaRowCount === '5'")
            try await browser.open("about:blank")
            try await eventually("Only the shown one is removed") {
                let status = try await bed.ferry.run(["daemon", "status", "--json"]).json(JSON.self)
                return status["transfers"]["succeeded"] == 4 && status["transfers"]["suspended"] == 1
            }
        }
    }

    @Test func `are offered for a selection once there is one`() async throws {
        try await withPage { bed in
            let browser = bed.browser
            try await bed.open()
            try await bed.expectButtons(in: "main", ["Add"])
            let id = try await bed.add("/a", "--paused")
            try await bed.waitForRow(id, "Paused")
            try await bed.expectButtons(in: "#actions", ["Resume 1"])
            try await browser.click("#row-\(id) .mark input")
            try await bed.expectButtons(
                in: "#actions", ["Resume", "Cancel", "Remove", "Change", "To the top", "Up", "Down", "To the bottom"])
        }
    }

    @Test func `ask with two different verbs`() async throws {
        try await withPage(Self.held) { bed in
            let browser = bed.browser
            try await bed.open()
            let id = try await bed.add("/held")
            try await bed.waitForRow(id, "25 %")
            try await browser.click("#row-\(id) .name")
            try await browser.press("Cancel", in: "#detail")
            try await browser.wait("The question", until: "document.querySelector('dialog')")
            try await bed.expectButtons(in: "dialog", ["Keep downloading", "Discard"])
            try await browser.press("Keep downloading")
            #expect(try await bed.info(id)["state"] == "running")
            try await browser.press("Cancel", in: "#detail")
            try await browser.press("Discard")
            try await bed.waitForRow(id, "Canceled")
            bed.origin.release("held")
        }
    }

    /// A regression: it was hidden for eight seconds, while it ran on and finished.
    @Test func `stop a running transfer that is removed, and continue it after Undo`() async throws {
        try await withPage(Self.held) { bed in
            let browser = bed.browser
            try await bed.open()
            let id = try await bed.add("/held")
            try await bed.waitForRow(id, "25 %")
            try await browser.click("#row-\(id) .mark input")
            try await browser.press("Remove", in: "#actions")
            try await browser.wait("The notice", until: "document.querySelector('.notice')")
            #expect(try await browser.text(".notice p") == "Removed, with the bytes received so far.")
            #expect(try await bed.info(id)["state"] == "suspended")
            try await browser.press("Undo")
            try await browser.wait("The row", until: "document.querySelector('.row')")
            bed.origin.release("held")
            try await bed.waitForRow(id, "Finished")
        }
    }

    @Test func `continue what could not be removed`() async throws {
        try await withPage(Self.held) { bed in
            let browser = bed.browser
            try await bed.open()
            // The gateway deletes no files in this folder.
            let other = bed.ferry.folder + "-other"
            let id = try await bed.add("/held", "-d", other)
            try await bed.waitForRow(id, "25 %")
            try await browser.click("#row-\(id) .mark input")
            try await browser.keys(Key.delete, holding: [Key.shift])
            try await browser.press("Remove with file", in: "dialog")
            try await browser.wait("The notice", until: "document.querySelector('.notice')")
            try await browser.press("Close", in: "#notices")
            try await browser.wait("The refusal", until: "document.querySelector('.notice.error')")
            bed.origin.release("held")
            try await bed.waitForRow(id, "Finished")
        }
    }

    /// A regression: after a rename, which cannot be undone, the keys undid an older move.
    @Test func `undo nothing that is older than a change without undo`() async throws {
        try await withPage { bed in
            let browser = bed.browser
            try await bed.open()
            let ids = [try await bed.add("/a", "--paused"), try await bed.add("/b", "--paused")]
            try await bed.waitForRow(ids[1], "Paused")
            try await browser.click("#row-\(ids[1]) .name")
            try await browser.keys(Key.home, holding: [Key.alt])
            try await browser.wait("The order", until: "document.querySelector('.name').textContent === 'b'")
            try await browser.press("Change", in: "#detail")
            try await browser.type(bed.origin.url("/c"), into: "#field-url")
            try await browser.press("Save", in: "dialog")
            try await browser.wait("The change", until: "!document.querySelector('dialog')")
            try await browser.keys("z", holding: [Key.control])
            try await browser.wait(
                "The sentence",
                until: "[...document.querySelectorAll('.notice')].at(-1).textContent.includes('Nothing to undo')")
            #expect(try await bed.names().first != "a")
        }
    }

    @Test func `take a folder with a final slash`() async throws {
        try await withPage { bed in
            let browser = bed.browser
            try await bed.open()
            try await browser.press("Add")
            try await browser.type(bed.origin.url("/a"), into: "#field-source")
            try await browser.type(bed.ferry.folder + "/", into: "#field-folder")
            try await browser.press("Add", in: "dialog")
            try await browser.wait("The end", until: "document.querySelector('.words')?.textContent === 'Finished'")
            // Other clients type them too.
            let added = try await browser.run(
                """
                const headers = { Authorization: `Bearer ${sessionStorage['ferry.secret']}`, 'Content-Type': 'application/json' };
                const answer = await fetch('/v1/transfers', { method: 'POST', headers, body: JSON.stringify({ url: given[0], folder: given[1] }) });
                return (await answer.json()).folder;
                """, .text(bed.origin.url("/b")), .text(bed.ferry.folder + "//"))
            #expect(added.text == bed.ferry.folder)
        }
    }

    @Test func `sign in where the server asks for a password`() async throws {
        let script = OriginScript(
            SeededBody(seed: 52, size: 1000),
            .on(.not(.has("Authorization")), .status(401), .field("WWW-Authenticate", #"Basic realm="Archive""#)))
        try await withPage(script) { bed in
            let browser = bed.browser
            try await bed.open()
            let ids = [try await bed.add("/a"), try await bed.add("/b")]
            for id in ids { try await bed.waitForRow(id, "401") }
            try await browser.press("Sign in: a")
            try await browser.press("Sign in", in: "dialog")
            try await browser.wait("The sentence", until: "document.querySelector('#field-user-wrong').textContent")
            try await browser.type("me", into: "#field-user")
            try await browser.type("secret", into: "#field-password")
            try await browser.press("Sign in", in: "dialog")
            try await bed.waitForRow(ids[0], "Finished")
            #expect(bed.origin.requests.last { $0.path == "/a" }?.value("Authorization") == "Basic bWU6c2VjcmV0")
            // The dialog of changes has the same fields.
            try await browser.click("#row-\(ids[1]) .name")
            try await browser.press("Change", in: "#detail")
            try await browser.click("dialog summary")
            try await browser.type("me", into: "#field-user")
            try await browser.type("secret", into: "#field-password")
            try await browser.press("Save", in: "dialog")
            try await bed.waitForRow(ids[1], "Finished")
        }
    }

    @Test func `take back the sentence about a daemon that is away once it is back`() async throws {
        try await withPage { bed in
            let browser = bed.browser
            try await bed.open()
            let id = try await bed.add("/a", "--paused")
            try await bed.waitForRow(id, "Paused")
            try await bed.ferry.killDaemon()
            try await browser.press("Resume: a")
            try await browser.wait("The sentence", until: "document.querySelector('.notice.error')")
            try await bed.ferry.startDaemon()
            try await browser.wait("Its end", until: "!document.querySelector('.notice.error')")
            // The command that failed is offered once more.
            try await browser.press("Try again", in: "#notices")
            try await bed.waitForRow(id, "Finished")
        }
    }

    @Test func `refuse a dropped torrent with a sentence`() async throws {
        try await withPage { bed in
            let browser = bed.browser
            try await bed.open()
            try await browser.run(
                """
                const dataTransfer = new DataTransfer();
                dataTransfer.items.add(new File(['d8:announce30:http://tracker.example/announce'], 'film.torrent'));
                dispatchEvent(new DragEvent('drop', { dataTransfer }));
                """)
            try await browser.wait("The sentence", until: "document.querySelector('.notice.error')")
            #expect(
                try await browser.text(".notice p") == "film.torrent is a torrent. Ferry fetches files over HTTP only.")
            #expect(try await browser.run("return document.querySelector('dialog') === null").isTrue)
        }
    }
}
