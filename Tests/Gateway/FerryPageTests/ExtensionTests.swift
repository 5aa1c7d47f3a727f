import FerryTesting
import Foundation
import Testing

/// The extension with the native host that the browser starts.
@Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: Browser.areInstalled, "scripts/test installs browsers"))
struct `The browser's extension` {
    /// A page with a login cookie. Without the cookie, the file is a 403.
    private static let script = OriginScript(
        SeededBody(seed: 38, size: 11_000_000),
        .on(.path("/login"), .raw(page)), .on(.path("/file.bin").and(.not(.has("Cookie"))), .status(403)),
        .on(.path("/file.bin"), .contentType("application/octet-stream"), .throttle(bytesPerSecond: 4_000_000)))

    private static let page: [UInt8] = {
        let body = """
            <!DOCTYPE html><title>Files</title><a id=file href=/file.bin>file</a> <a id=iso href=/other.iso>disk</a>
            """
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: session=abc; Path=/; HttpOnly\r\n"
        return Array((head + "Content-Length: \(body.utf8.count)\r\n\r\n" + body).utf8)
    }()

    @Test(arguments: BrowserKind.allCases)
    func `takes a download over with the fields of the browser's own request, and shows it`(
        kind: BrowserKind
    ) async throws {
        try await withExtension(Self.script) {
            $0.kind = kind
        } _: { bed in
            let browser = bed.browser
            try await browser.open(bed.origin.url("/login"))
            try await browser.clickDownload("#file")
            try await eventually("Ferry has it") {
                FileManager.default.fileExists(atPath: bed.ferry.file("file.bin"))
            }
            // Only browsers send this field.
            let asked = bed.origin.requests.filter { $0.path == "/file.bin" }
            let own = try #require(asked.first { $0.value("Sec-Fetch-Mode") != nil })
            let others = asked.filter { $0.value("Sec-Fetch-Mode") == nil }
            #expect(!others.isEmpty)
            for name in ["Cookie", "Referer", "User-Agent", "Accept-Language"] {
                #expect(own.value(name) != nil, "\(name)")
                for other in others { #expect(other.value(name) == own.value(name), "\(name)") }
            }
            try await bed.open("popup.html")
            try await browser.wait(
                "The row", until: "document.querySelector('#transfers li')?.textContent.includes('file.bin')")
            try await browser.wait(
                "Its end", until: "document.querySelector('#transfers li').textContent.includes('Finished')")
            // The browser's own download list is empty.
            #expect(try await bed.run("return (await chrome.downloads.search({})).length") == 0)
        }
    }
}
