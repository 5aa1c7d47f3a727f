import FerryTesting
import Foundation
import Testing

/// The page's flows in Chromium, with a daemon and a scripted origin.
@Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: Browser.isInstalled, "scripts/test installs Chromium"))
struct `The page` {
    private static let held = OriginScript(
        SeededBody(seed: 34, size: 2_000_000),
        .on(.path("/held*"), .hold("held", at: .body(500_000))), .on(.path("/gone"), .status(403)))

    @Test func `adds a download, shows it run, and pauses and resumes it`() async throws {
        try await withPage(Self.held) { bed in
            let browser = bed.browser
            try await bed.open()
            #expect(try await browser.address() == bed.address, "the secret is still in the address")
            try await browser.press("Add")
            try await browser.type(bed.origin.url("/held.bin"), into: "#field-source")
            try await browser.press("Add", in: "dialog")
            try await browser.wait("The row", until: "document.querySelector('.row .name')?.textContent === 'held.bin'")
            await bed.origin.waitForHold("held")
            try await browser.wait("25 %", until: "document.querySelector('.percent').textContent === '25 %'")
            #expect(try await browser.title().contains("1 open"))
            try await browser.press("Pause: held.bin")
            try await browser.wait("The pause", until: "document.querySelector('.words').textContent === 'Paused'")
            let id = try await browser.run("return document.querySelector('.row').id.slice(4)").text ?? ""
            #expect(try await bed.info(id)["state"] == "suspended")
            bed.origin.release("held")
            // The notice's Undo button reverts the pause.
            try await browser.press("Undo")
            try await bed.waitForRow(id, "Finished")
            #expect(try await bed.info(id)["destination"].text == bed.ferry.file("held.bin"))
            try await browser.wait("The title", until: "document.title === 'Ferry'")
        }
    }

    @Test func `says that the daemon is away, keeps what is typed, and continues after the kill`() async throws {
        try await withPage(Self.held) { bed in
            let browser = bed.browser
            try await bed.open()
            let id = try await bed.add("/held.bin")
            try await bed.waitForRow(id, "25 %")
            try await browser.press("Add")
            try await browser.type(bed.origin.url("/other"), into: "#field-source")
            try await bed.ferry.killDaemon()
            try await browser.wait("The banner", until: "!document.querySelector('#away').hidden")
            #expect(try await browser.title().contains("no response"))
            try await browser.press("Add", in: "dialog")
            try await browser.wait(
                "The sentence",
                until: "document.querySelector('dialog .wrong[role]').textContent.includes('Your input is kept')")
            // Also after a reload, once the gateway is back.
            try await bed.ferry.startDaemon()
            try await browser.wait("The banner's end", until: "document.querySelector('#away').hidden")
            try await browser.reload()
            try await browser.wait(
                "The draft", until: "document.querySelector('#field-source')?.value === given[0]",
                .text(bed.origin.url("/other")))
            bed.origin.release("held")
            try await browser.press("Add", in: "dialog")
            try await bed.waitForRow(id, "Finished")
            try await browser.wait("Both", until: "document.querySelectorAll('.row').length === 2")
        }
    }

    @Test func `mends an expired link with a new one, and keeps the bytes`() async throws {
        let script = OriginScript(
            SeededBody(seed: 35, size: 2_000_000),
            .on(.path("/old").and(.unranged), .cut(after: 600_000)), .on(.path("/old").and(.ranged), .status(403)))
        try await withPage(script) { bed in
            let browser = bed.browser
            try await bed.open()
            let id = try await bed.add("/old", "-o", "film.mkv")
            try await browser.wait(
                "The button",
                until: "[...document.querySelectorAll('.row button')].some(each => each.innerText === 'Give a new URL')"
            )
            try await browser.press("Give a new URL: film.mkv")
            try await browser.wait("The focus", until: "document.activeElement?.id === 'field-url'")
            // Another server gets none of the former headers, and the form says so.
            #expect(
                try await browser.run("return document.querySelector('#field-headers').offsetParent === null").isTrue)
            try await browser.type("https://other.example/new", into: "#field-url")
            #expect(try await browser.text("#field-headers-hint").contains("another server"))
            try await browser.type(bed.origin.url("/new"), into: "#field-url")
            #expect(
                try await browser.run("return document.querySelector('#field-headers').offsetParent === null").isTrue)
            try await browser.press("Save", in: "dialog")
            try await bed.waitForRow(id, "Finished")
            let first = bed.origin.requests.first { $0.path == "/new" }
            #expect(first?.value("Range")?.hasPrefix("bytes=") == true, "the bytes were fetched again")
        }
    }

    @Test func `shows names and errors with markup and control characters as text`() async throws {
        let name = #"<img src=x onerror=window.owned=1>.bin"#
        let script = OriginScript(
            SeededBody(seed: 36, size: 1000), .on(.path("/bad"), .status(404, body: "<script>window.owned=2</script>")))
        try await withPage(script) { bed in
            let browser = bed.browser
            try await bed.open()
            let id = try await bed.add("/good", "-o", name)
            let other = try await bed.add("/rtl", "-o", "photo\u{202E}gpj.exe")
            let bad = try await bed.add("/bad", "-o", "<b>bold")
            try await bed.waitForRow(id, "Finished")
            try await bed.waitForRow(other, "Finished")
            try await bed.waitForRow(bad, "Failed")
            let names = try await bed.names()
            #expect(names.contains(name))
            #expect(names.contains { $0.hasPrefix("photo") && !$0.contains("\u{202E}") })
            for id in [id, other, bad] {
                try await browser.click("#row-\(id)")
                try await browser.wait("The detail", until: "document.querySelector('#detail-name')?.textContent")
            }
            let found = try await browser.run(
                "return [document.querySelectorAll('main img, main script, main b').length, window.owned ?? 0]")
            #expect(found.items == [0, 0])
        }
    }

    @Test func `takes a pasted curl command with its cookies and headers`() async throws {
        let script = OriginScript(
            SeededBody(seed: 40, size: 1000), .on(.path("/private").and(.not(.has("Cookie"))), .status(403)))
        try await withPage(script) { bed in
            let browser = bed.browser
            try await bed.open()
            let command = "curl '\(bed.origin.url("/private"))' -H 'x-note: a b' -b 'session=abc' --compressed"
            try await browser.run(
                """
                const data = new DataTransfer();
                data.setData('text/plain', given[0]);
                dispatchEvent(new ClipboardEvent('paste', { clipboardData: data }));
                """, .text(command))
            try await browser.wait(
                "What was found", until: "document.querySelector('.found')?.textContent.includes('2 headers')")
            try await browser.press("Add", in: "dialog")
            try await browser.wait("The end", until: "document.querySelector('.words')?.textContent === 'Finished'")
            let request = bed.origin.requests.last
            #expect(request?.value("Cookie") == "session=abc" && request?.value("x-note") == "a b")
        }
    }

    @Test func `takes a dropped Metalink document with its mirrors and digest`() async throws {
        try await withPage(OriginScript(SeededBody(seed: 41, size: 1000), rules: [])) { bed in
            let browser = bed.browser
            try await bed.open()
            let digest = SeededBody(seed: 41, size: 1000).sha256Hex
            let document = """
                <?xml version="1.0"?><metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="set.bin"><size>1000</size>
                <hash type="sha-256">\(digest)</hash><url>\(bed.origin.url("/one"))</url><url>\(bed.origin.url("/two"))</url></file></metalink>
                """
            try await browser.run(
                """
                const dataTransfer = new DataTransfer();
                dataTransfer.items.add(new File([given[0]], 'set.meta4'));
                dispatchEvent(new DragEvent('drop', { dataTransfer }));
                """, .text(document))
            try await browser.wait(
                "What was found", until: "document.querySelector('.found')?.textContent.includes('set.bin')")
            try await browser.press("Add", in: "dialog")
            try await browser.wait(
                "The end", until: "document.querySelector('.words')?.textContent === 'Finished · sha256 verified'")
        }
    }

    @Test func `says in the form which input is wrong, and loses nothing`() async throws {
        try await withPage { bed in
            let browser = bed.browser
            try await bed.open()
            try await browser.press("Add")
            try await browser.type(bed.origin.url("/a"), into: "#field-source")
            try await browser.type("/etc", into: "#field-folder")
            try await browser.press("Add", in: "dialog")
            try await browser.wait(
                "The sentence",
                until: "document.querySelector('#field-folder-wrong').textContent.includes('writes no files to /etc')")
            try await browser.type(bed.ferry.folder, into: "#field-folder")
            try await browser.type("123", into: "#field-checksums")
            try await browser.press("Add", in: "dialog")
            try await browser.wait(
                "The sentence", until: "document.querySelector('#field-checksums-wrong').textContent.includes('123')")
            try await browser.wait("The focus", until: "document.activeElement?.id === 'field-checksums'")
            try await browser.type("", into: "#field-checksums")
            try await browser.press("Add", in: "dialog")
            try await browser.wait("The end", until: "document.querySelector('.words')?.textContent === 'Finished'")
        }
    }

    @Test func `offers what helps where another file is there`() async throws {
        try await withPage { bed in
            let browser = bed.browser
            try await bed.open()
            try Data("mine".utf8).write(to: URL(fileURLWithPath: bed.ferry.file("a")))
            let id = try await bed.add("/a", "--on-conflict", "fail")
            try await bed.waitForRow(id, "Failed")
            try await browser.click("#row-\(id) .name")
            try await browser.press("Replace", in: "#detail")
            try await bed.waitForRow(id, "Finished")
            let size = try FileManager.default.attributesOfItem(atPath: bed.ferry.file("a"))[.size] as? Int
            #expect(size == 300_000)
        }
    }

    /// A regression: the row below a removed one was selected, and the next key acted on it.
    @Test func `chooses no other row when a chosen one goes`() async throws {
        try await withPage { bed in
            let browser = bed.browser
            try await bed.open()
            var ids: [String] = []
            for name in ["a", "b", "c"] { ids.append(try await bed.add("/\(name)", "--paused")) }
            try await browser.wait("Three rows", until: "document.querySelectorAll('.row').length === 3")
            try await browser.click("#row-\(ids[1]) .name")
            try await browser.keys(Key.escape)
            #expect(try await bed.ferry.run(["remove", ids[1]]).status == 0)
            try await browser.wait("Two rows", until: "document.querySelectorAll('.row').length === 2")
            try await browser.keys(Key.delete)
            try await browser.keys("z")
            try await browser.wait(
                "No removal", until: "document.querySelector('.notice')?.textContent.includes('Nothing to undo')")
            try await bed.expectNames(["a", "c"])
        }
    }

    @Test func `adds once, however often the keys are pressed`() async throws {
        try await withPage { bed in
            let browser = bed.browser
            try await bed.open()
            try await browser.press("Add")
            try await browser.type(bed.origin.url("/a"), into: "#field-source")
            try await browser.keys(Key.enter, Key.enter, Key.enter, holding: [Key.control])
            try await browser.wait("The end", until: "document.querySelector('.words')?.textContent === 'Finished'")
            try await bed.expectNames(["a"])
            let status = try await bed.ferry.run(["daemon", "status", "--json"]).json(JSON.self)
            #expect(status["transfers"]["succeeded"] == 1)
        }
    }

    @Test func `orders the line by keys and by dragging`() async throws {
        try await withPage { bed in
            let browser = bed.browser
            try await bed.open()
            var ids: [String] = []
            for name in ["a", "b", "c", "d"] { ids.append(try await bed.add("/\(name)", "--paused")) }
            try await browser.wait("Four rows", until: "document.querySelectorAll('.row').length === 4")
            try await bed.expectNames(["a", "b", "c", "d"])
            // With keys: the last row moves up by one, then to the top.
            try await browser.click("#list")
            try await browser.keys(Key.end)
            try await browser.keys(Key.up, holding: [Key.alt])
            try await waitForNames(bed, ["a", "b", "d", "c"])
            try await browser.keys(Key.home, holding: [Key.alt])
            try await waitForNames(bed, ["d", "a", "b", "c"])
            #expect(try await line(bed) == ["d", "a", "b", "c"])
            // With the pointer: the first row moves below the second.
            let y =
                try await browser.run(
                    "return document.getElementById(`row-${given[0]}`).getBoundingClientRect().bottom", .text(ids[0])
                ).number ?? 0
            try await browser.drag("#row-\(ids[3]) .handle", toX: 300, y: y)
            try await waitForNames(bed, ["a", "d", "b", "c"])
            #expect(try await line(bed) == ["a", "d", "b", "c"])
            try await browser.keys("z", holding: [Key.control])
            try await waitForNames(bed, ["d", "a", "b", "c"])
        }
    }

    private func waitForNames(_ bed: PageBed, _ names: [String]) async throws {
        try await bed.browser.wait(
            "The order \(names)",
            until:
                "[...document.querySelectorAll('.row .name')].map(each => each.textContent).join() === given[0].join()",
            .list(names.map { .text($0) }))
    }

    /// Returns the names of the waiting transfers, in queue order.
    private func line(_ bed: PageBed) async throws -> [String] {
        let fields = "{ headers: { Authorization: `Bearer ${sessionStorage['ferry.secret']}` } }"
        return try await bed.browser.run(
            "const answer = await fetch('/v1/queue?part=waiting&session=cli', \(fields)); "
                + "return (await answer.json()).transfers.map(each => each.url.split('/').pop())"
        ).strings
    }
}
