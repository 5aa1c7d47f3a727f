import FerryTesting
import Foundation
import Testing

/// Folder for pictures of the page. Without it, none are taken.
private let folder = ProcessInfo.processInfo.environment["FERRY_PICTURES"] ?? ""

/// Pictures to look at, and for the documentation.
@Suite(.serialized, .enabled(if: Browser.isInstalled && !folder.isEmpty, "FERRY_PICTURES names the folder"))
struct `Pictures of the page` {
    private static let script = OriginScript(
        SeededBody(seed: 58, size: 60_000_000),
        .on(.path("/debian-13.2.0-amd64-netinst.iso"), .throttle(bytesPerSecond: 4_000_000)),
        .on(.path("/export-without-size.csv"), .chunked, .throttle(bytesPerSecond: 400_000)),
        .on(.path("/nightly-build.tar.zst"), .status(503, retryAfter: "290")),
        .on(.path("/annual-report.pdf"), .status(404)))

    @Test(arguments: [360, 768, 1280, 1920], ["light en", "dark en", "light de", "dark de"])
    func `are taken`(width: Int, kind: String) async throws {
        let settings = Browser.Settings(
            width: width, height: width < 600 ? 740 : width < 1000 ? 900 : width < 1500 ? 800 : 1000,
            language: kind.hasSuffix("de") ? "de" : "en", isDark: kind.hasPrefix("dark"))
        try await withPage(Self.script, settings) { bed in
            let browser = bed.browser
            let name = "\(width)-\(kind.replacing(" ", with: "-"))"
            func take(_ part: String) async throws {
                // The pointer is nowhere, and all pictures have arrived at their end.
                try await browser.run(
                    "await Promise.all(document.getAnimations().filter(each => each.effect.getTiming().iterations < 9).map(each => each.finished))"
                )
                try await browser.screenshot().write(to: URL(filePath: "\(folder)/\(part)-\(name).png"))
            }
            try await bed.open()
            try await take("empty")
            try await fill(bed)
            try await take("list")
            for row in 1...2 {
                try await browser.run(
                    "document.querySelectorAll('.mark input')[given[0]].click()", .number(Double(row)))
            }
            try await take("selection")
            try await browser.keys(Key.escape)
            try await browser.run("document.querySelector('[data-state=failed] .name').click()")
            try await browser.wait("The detail", until: "document.querySelectorAll('#detail ol li').length > 2")
            try await take("failure")
            try await browser.keys(Key.escape)
            try await browser.keys("n")
            try await browser.type("https://cdimage.example/debian-13.2.0-arm64-netinst.iso", into: "#field-source")
            try await take("adding")
            try await browser.keys(Key.escape)
            try await browser.wait("No dialog", until: "!document.querySelector('dialog')")
            try await browser.keys("l")
            try await browser.wait("The dialog", until: "document.querySelector('#field-rate_limit')")
            try await take("limits")
        }
    }

    /// Adds a transfer in each state.
    private func fill(_ bed: PageBed) async throws {
        let browser = bed.browser
        for (name, state) in [("photos-2026-summer.zip", "succeeded"), ("annual-report.pdf", "failed")] {
            let id = try await bed.add("/\(name)")
            try await browser.wait(
                name, until: "document.querySelector(`#row-${given[0]}[data-state=${given[1]}]`)", .text(id),
                .text(state))
        }
        // Another host: a server that asks for a pause holds all of its transfers.
        let busy = bed.origin.url("/nightly-build.tar.zst").replacing("127.0.0.1", with: "localhost")
        #expect(try await bed.ferry.run(["add", "-d", bed.ferry.folder, busy]).status == 0)
        try await browser.wait(
            "The wait", until: "document.querySelector('[data-state=waiting]')?.textContent.includes(' 4 min ')")
        try await browser.run(
            """
            const headers = { Authorization: `Bearer ${sessionStorage['ferry.secret']}`, 'Content-Type': 'application/json' };
            await fetch('/v1/settings', { method: 'PATCH', headers, body: '{"active_transfers": 2}' });
            """)
        let running = try await bed.add("/debian-13.2.0-amd64-netinst.iso")
        try await browser.wait(
            "It runs", until: "document.querySelector(`#row-${given[0]}[data-state=running]`)", .text(running))
        let unknown = try await bed.add("/export-without-size.csv")
        try await browser.wait(
            "It runs", until: "document.querySelector(`#row-${given[0]}[data-state=running]`)", .text(unknown))
        try await bed.add("/ubuntu-26.04-desktop-amd64.iso", "--on-conflict", "fail")
        try await bed.add("/podcast-episode-112.mp3", "--paused")
        let canceled = try await bed.add("/trailer-2160p.mkv", "--paused")
        _ = try await bed.ferry.run(["cancel", canceled])
        // Ten seconds of speeds, for the chart.
        try await browser.wait(
            "Some progress", until: "parseInt(document.querySelector(`#row-${given[0]} .percent`)?.textContent) > 60",
            .text(running))
    }
}
