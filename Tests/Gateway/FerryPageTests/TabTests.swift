import FerryTesting
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: Browser.isInstalled, "scripts/test installs Chromium"))
struct `The page in many tabs` {
    private static let script = OriginScript(
        SeededBody(seed: 53, size: 2_000_000), .on(.path("/held"), .hold("held", at: .body(500_000))))

    /// A regression: each tab had a stream of its own, and a browser opens six connections to a server at most.
    @Test func `is live in each of eight`() async throws {
        try await withPage(Self.script) { bed in
            let browser = bed.browser
            try await bed.open()
            var tabs = [try await browser.window()]
            for _ in 1..<8 {
                let tab = try await browser.openWindow()
                try await browser.show(window: tab)
                try await bed.open()
                tabs.append(tab)
            }
            let id = try await bed.add("/held")
            for tab in tabs {
                try await browser.show(window: tab)
                try await bed.waitForRow(id, "25 %")
            }
            try await browser.press("Pause: held")
            for tab in tabs {
                try await browser.show(window: tab)
                try await bed.waitForRow(id, "Paused")
            }
            // A tab that is closed, reloaded or left takes nothing from the others.
            try await browser.reload()
            try await browser.wait("The list", until: "document.body.dataset.link === 'live'")
            try await browser.closeWindow()
            try await browser.show(window: tabs[0])
            try await browser.open("about:blank")
            try await browser.show(window: tabs[1])
            bed.origin.release("held")
            try await browser.press("Resume: held")
            for tab in tabs[1..<7] {
                try await browser.show(window: tab)
                try await bed.waitForRow(id, "Finished")
            }
        }
    }

    @Test func `is live again in all after the daemon's end`() async throws {
        try await withPage(Self.script) { bed in
            let browser = bed.browser
            try await bed.open()
            let (first, second) = try await browser.openTab()
            try await bed.open()
            try await bed.ferry.killDaemon()
            for tab in [first, second] {
                try await browser.show(window: tab)
                try await browser.wait("The banner", until: "!document.querySelector('#away').hidden")
            }
            try await bed.ferry.startDaemon()
            let id = try await bed.add("/a")
            for tab in [first, second] {
                try await browser.show(window: tab)
                try await browser.wait("The list", until: "document.body.dataset.link === 'live'")
                try await bed.waitForRow(id, "Finished")
            }
        }
    }

    @Test func `gives events to no tab that has another secret`() async throws {
        try await withPage(Self.script) { bed in
            let browser = bed.browser
            try await bed.open()
            let (first, second) = try await browser.openTab()
            try await browser.open(bed.address + "style.css")
            try await browser.run("sessionStorage['ferry.secret'] = 'wrong'")
            try await browser.open(bed.address)
            try await browser.wait("The question", until: "document.querySelector('#field-secret')")
            let id = try await bed.add("/a")
            try await browser.show(window: first)
            try await bed.waitForRow(id, "Finished")
            try await browser.show(window: second)
            #expect(try await browser.run("return document.querySelectorAll('.row').length").number == 0)
        }
    }

    /// Some browsers of phones have no shared workers.
    @Test func `works in a browser without shared workers`() async throws {
        try await withPage(Self.script) { bed in
            let browser = bed.browser
            try await browser.beforeEachPage("delete globalThis.SharedWorker")
            try await bed.open()
            #expect(try await browser.run("return globalThis.SharedWorker === undefined").isTrue)
            let id = try await bed.add("/a")
            try await bed.waitForRow(id, "Finished")
            try await bed.ferry.killDaemon()
            try await browser.wait("The banner", until: "!document.querySelector('#away').hidden")
            try await bed.ferry.startDaemon()
            try await browser.wait("The list", until: "document.body.dataset.link === 'live'")
        }
    }

    /// A regression: durations came from the browser's clock.
    @Test func `tells durations by the daemon's clock`() async throws {
        let script = OriginScript(
            SeededBody(seed: 54, size: 1000), always: .status(503, retryAfter: "300"))
        try await withPage(script) { bed in
            let browser = bed.browser
            try await browser.beforeEachPage(
                "const now = Date.now.bind(Date); Date.now = () => now() - 3_600_000;")
            try await bed.open()
            let id = try await bed.add("/a")
            try await bed.waitForRow(id, "Next attempt in")
            let words = try await browser.text("#row-\(id) .state")
            #expect(words.contains(" min ") && !words.contains(" h "), "\(words)")
        }
    }
}
