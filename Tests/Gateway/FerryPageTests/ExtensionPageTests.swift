import FerryTesting
import Foundation
import Testing

/// The extension's pages: the popup, the settings, the list of links, and the question.
@Suite(.serialized, .timeLimit(.minutes(4)), .enabled(if: Browser.areInstalled, "scripts/test installs browsers"))
struct `The extension's pages` {
    private static let page: [UInt8] = {
        let body = """
            <!DOCTYPE html><title>Files</title><a href=/a.iso>Disk one</a> <a href=/b.zip>Source</a>
            <a href=/login.iso>Disk two</a> <a id=file href=/file.bin>file</a>
            """
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n"
        return Array((head + "Content-Length: \(body.utf8.count)\r\n\r\n" + body).utf8)
    }()
    private static let script = OriginScript(
        SeededBody(seed: 5, size: 1_500_000), .on(.path("/page"), .raw(page)), .on(.path("/login.iso"), .raw(page)),
        .on(.path("/gone.bin"), .status(404)),
        // The browser's own download is not whole before the question is answered.
        .on(
            .path("/file.bin").and(.has("Sec-Fetch-Mode")).and(.pathRequests(1...1)), .hold("never", at: .body(100_000))
        ),
        .always(.contentType("application/octet-stream"), .throttle(bytesPerSecond: 1_000_000)))

    @Test(arguments: BrowserKind.allCases)
    func `settings keep what was typed, and refuse what is no number`(kind: BrowserKind) async throws {
        try await withExtension(Self.script) {
            $0.kind = kind
        } _: { bed in
            let browser = bed.browser
            try await browser.wait(
                "The connection", until: "document.querySelector('#state').textContent.includes('Connected to Ferry')")
            try await browser.wait("The stored settings", until: "!document.querySelector('main').inert")
            try await browser.retype("2.5", into: "#leastBytes")
            try await browser.type("iso zip", into: "#types")
            try await browser.type("Example.com", into: "#new-site")
            try await browser.press("Add")
            try await browser.retype(Key.delete, into: "#patience")
            try await browser.click("#asks")
            try await bed.wait(
                "the settings",
                until: """
                    const { leastBytes, types, asks, sites, patience } = await chrome.storage.local.get(null);
                    return leastBytes === 2621440 && types === 'iso zip' && asks && sites?.['example.com'] === false && (patience ?? 15) === 15;
                    """)
            try await browser.wait(
                "The site", until: "document.querySelector('#sites').textContent.includes('example.com')")
            try await Self.audit(bed, "options")
        }
    }

    @Test(arguments: BrowserKind.allCases)
    func `links are chosen by a filter, and a page in place of a file is a failure`(kind: BrowserKind) async throws {
        try await withExtension(Self.script) {
            $0.kind = kind
        } _: { bed in
            let browser = bed.browser
            try await browser.open(bed.origin.url("/page"))
            let (first, _) = try await browser.openTab()
            try await bed.open("options.html")
            let tab = try await bed.run(
                "return (await chrome.tabs.query({})).find(each => each.url?.endsWith('/page')).id")
            try await bed.open("links.html?tab=\(tab.number.map { Int($0) } ?? 0)&page=\(bed.origin.url("/page"))")
            try await browser.wait("The links", until: "document.querySelectorAll('#choices li').length === 4")
            try await browser.type(".iso", into: "#filter")
            try await browser.wait("The filter", until: "document.querySelectorAll('#choices li').length === 2")
            #expect(try await browser.text("#count") == "2 of 2 chosen")
            try await Self.audit(bed, "links")
            try await browser.press("Download with Ferry")
            try await browser.show(window: first)
            try await eventually("Ferry has the file") {
                FileManager.default.fileExists(atPath: bed.ferry.file("a.iso"))
            }
            try await bed.open("popup.html")
            try await browser.wait(
                "The failure",
                until: "document.querySelector('#failures').textContent.includes('web page in place of a file')")
            #expect(!FileManager.default.fileExists(atPath: bed.ferry.file("login.iso")))
            #expect(try await bed.run("return await chrome.action.getBadgeText({})") == "!")
            try await Self.audit(bed, "failure")
            try await browser.press("Try in the browser: login.iso", in: "#failures")
            try await eventually("the browser's own try") {
                bed.origin.requests.contains {
                    $0.path == "/login.iso" && $0.value("Accept-Encoding")?.contains("gzip") == true
                }
            }
            try await browser.wait("No failure", until: "document.querySelector('#failures').children.length === 0")
        }
    }

    @Test(arguments: BrowserKind.allCases)
    func `the popup pauses, resumes and cancels, and says how many more there are`(kind: BrowserKind) async throws {
        let script = OriginScript(
            SeededBody(seed: 6, size: 1_500_000), always: .hold("end", at: .body(700_000)))
        try await withExtension(script) {
            $0.kind = kind
        } _: { bed in
            let browser = bed.browser
            for number in 1...32 { _ = try await bed.page.add("/\(number).bin", "--paused") }
            let id = try await bed.page.add("/file.bin")
            try await bed.open("popup.html")
            try await browser.wait("The rest", until: "document.querySelector('#more').textContent === 'and 3 more'")
            try await browser.press("Pause: file.bin")
            try await eventually("paused") { try await bed.page.info(id)["state"].text == "suspended" }
            try await browser.wait(
                "The pause", until: "document.querySelector('#transfers').textContent.includes('Paused')")
            try await Self.audit(bed, "popup")
            _ = try await bed.ferry.run(["cancel", "--all"])
            _ = try await bed.ferry.run(["resume", id])
            try await browser.press("Try again: file.bin")
            try await browser.press("Cancel: file.bin")
            try await eventually("canceled") { try await bed.page.info(id)["state"].text == "canceled" }
            try await browser.press("Remove: file.bin")
            try await browser.wait(
                "Its removal", until: "!document.querySelector('#transfers').textContent.includes('file.bin')")
        }
    }

    @Test(arguments: BrowserKind.allCases)
    func `a question decides who gets the file, and Alt leaves a click to the browser`(kind: BrowserKind) async throws {
        try await withExtension(Self.script) {
            $0.kind = kind
        } _: { bed in
            let browser = bed.browser
            try await bed.set(["leastBytes": 0, "asks": true])
            let first = try await browser.window()
            let second = try await browser.openWindow()
            try await browser.open(bed.origin.url("/page"))
            try await browser.clickDownload("#file")
            try await browser.show(window: second)
            try await bed.open("options.html")
            let questions = "(await chrome.tabs.query({})).filter(each => each.url?.includes('/ask.html'))"
            try await bed.wait("the question", until: "return \(questions).length === 1")
            // WebDriver does not list the question's own window.
            try await browser.open(try await bed.run("return \(questions)[0].url").text ?? "")
            try await browser.wait("The name", until: "document.querySelector('#name').textContent === 'file.bin'")
            try await Self.audit(bed, "the question")
            try await browser.press("With Ferry")
            try await browser.show(window: first)
            try await eventually("Ferry has it") { FileManager.default.fileExists(atPath: bed.ferry.file("file.bin")) }
            try await bed.open("options.html")
            try await bed.wait(
                "the question's window is closed",
                until: "return (await chrome.windows.getAll()).every(each => each.type !== 'popup')")

            try await browser.open(bed.origin.url("/page"))
            try await browser.clickDownload("#file", holding: Key.alt)
            try await eventually("the browser has it") {
                (FileManager.default.contents(atPath: bed.browserFolder + "/file.bin")?.count ?? 0) == 1_500_000
            }
        }
    }

    @Test(arguments: [false, true])
    func `popup, settings and failures have no finding of axe-core, light and dark`(isDark: Bool) async throws {
        try await withExtension(Self.script) {
            $0.isDark = isDark
        } _: { bed in
            let look = isDark ? "dark" : "light"
            _ = try await bed.page.add("/a.iso")
            _ = try await bed.page.add("/gone.bin")
            _ = try await bed.page.add("/later.zip", "--paused")
            try await bed.open("popup.html")
            try await bed.browser.wait("The list", until: "document.querySelectorAll('#transfers li').length === 3")
            try await bed.browser.wait(
                "The end",
                until: "document.body.textContent.includes('Finished') && document.body.textContent.includes('404')")
            try await Self.audit(bed, "popup-\(look)", hasPicture: true)
            let failures: JSON = [
                "refused-1": [
                    "name": "film.mkv", "why": "Ferry has not answered in time.", "isKept": true,
                ],
                "refused-2": [
                    "name": "report.pdf", "url": .text(bed.origin.url("/report.pdf")),
                    "why": "The server responded with 403 Forbidden for http://files.example/report.pdf.",
                ],
            ]
            let note: JSON = [
                "name": "archive.zip", "reason": "form", "url": .text(bed.origin.url("/form")),
                "text": "The browser keeps it: it came from a form, and sending the form again could have effects.",
            ]
            try await bed.set(["failures": failures, "note": note])
            try await bed.browser.wait("The failures", until: "document.querySelectorAll('#failures li').length === 2")
            try await Self.audit(bed, "failure-\(look)", hasPicture: true)
            try await bed.set(["sites": ["example.com": false, "files.example.com": true]])
            try await bed.open("options.html")
            try await bed.browser.wait("The sites", until: "document.querySelectorAll('#sites tr').length === 2")
            try await Self.audit(bed, "options-\(look)", hasPicture: true)
        }
    }

    // MARK: Looks

    /// Audits the page (axe), in Chromium. With a picture, attaches it, and writes it to the folder `FERRY_PICTURES`.
    private static func audit(_ bed: ExtensionBed, _ name: String, hasPicture: Bool = false) async throws {
        guard bed.kind == .chromium else { return }
        let found = try await bed.browser.audit()
        #expect(found == [], "\(name): \(found)")
        guard hasPicture else { return }
        let picture = try await bed.browser.screenshot()
        Attachment.record(picture, named: name + ".png")
        guard let folder = ProcessInfo.processInfo.environment["FERRY_PICTURES"] else { return }
        try picture.write(to: URL(filePath: "\(folder)/\(name).png"))
    }
}
