import FerryTesting
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: Browser.isInstalled, "scripts/test installs Chromium"))
struct `The page's address` {
    @Test func `has a code that opens the page once, and never the secret`() async throws {
        try await withPage { bed in
            let browser = bed.browser
            let address = try await bed.codeAddress()
            #expect(address.hasPrefix(bed.address + "#code=") && !address.contains(bed.secret))
            try await browser.open(address)
            try await browser.wait("The list", until: "document.body.dataset.link === 'live'")
            #expect(try await browser.address() == bed.address)
            // A new tab has no secret, and the address from the history must not give it one.
            try await browser.show(window: try await browser.openWindow())
            try await browser.open(address)
            try await browser.wait("The question", until: "document.querySelector('#field-secret')")
            #expect(try await browser.text("dialog").contains("ferry web"))
            #expect(try await browser.run("return sessionStorage.length").number == 0)
            // The gateway has refused the code with 403.
            _ = try await browser.complaints()
        }
    }

    @Test func `keeps the filter, the search, the order and the detail, which Back closes`() async throws {
        try await withPage { bed in
            let browser = bed.browser
            try await bed.open()
            let ids = [try await bed.add("/first", "--paused"), try await bed.add("/second", "--paused")]
            try await bed.waitForRow(ids[1], "Paused")
            try await browser.click("#row-\(ids[0]) .name")
            try await browser.wait("The detail", until: "!document.querySelector('#detail').hidden")
            #expect(try await browser.address() == "\(bed.address)#id=\(ids[0])")
            try await browser.run("history.back()")
            try await browser.wait("Its end", until: "document.querySelector('#detail').hidden")
            #expect(try await browser.address() == bed.address)
            try await browser.run("history.forward()")
            try await browser.wait("The detail", until: "!document.querySelector('#detail').hidden")
            try await browser.type("first", into: "#search")
            try await browser.run(
                "const node = document.querySelector('#order'); node.value = 'name'; node.dispatchEvent(new Event('change'))"
            )
            try await browser.click("#filters button:nth-child(5)")
            try await browser.wait("One", until: "document.querySelector('#list').ariaRowCount === '1'")
            let address = try await browser.address()
            try await browser.reload()
            try await browser.wait(
                "The detail", until: "document.querySelector('#detail-name')?.textContent === 'first'")
            #expect(try await browser.address() == address)
            try await bed.expectNames(["first"])
            #expect(
                try await browser.run(
                    "return ['#search', '#order'].map(each => document.querySelector(each).value)"
                ).strings == ["first", "name"])
            // Closing keeps what was chosen while the detail was open.
            try await browser.keys(Key.escape)
            try await browser.click("#filters button:nth-child(1)")
            try await browser.click("#search")
            try await browser.keys(Key.escape)
            try await browser.click("#row-\(ids[1]) .name")
            try await browser.wait("The detail", until: "!document.querySelector('#detail').hidden")
            try await browser.click("#direction")
            try await browser.click("#detail header button")
            try await browser.wait("Its end", until: "document.querySelector('#detail').hidden")
            try await bed.expectNames(["second", "first"])
            // The address of a transfer that is gone says so, and shows the list.
            try await browser.open("about:blank")
            try await browser.open(bed.address + "#id=00000000000000ff")
            try await browser.wait(
                "The sentence", until: "document.querySelector('.notice')?.textContent.includes('no longer')")
            #expect(try await browser.address() == bed.address)
        }
    }

    @Test func `works below a path of a reverse proxy`() async throws {
        try await withPage { bed in
            let forward = "location /ferry/ { proxy_pass http://127.0.0.1:\(bed.port)/; }"
            try await withNginx(locations: forward) { nginx in
                let page = nginx.url("ferry/")
                let origin = try #require(URL(string: page)?.origin)
                #expect(try await bed.ferry.run(["gateway", "allow", origin]).status == 0)
                let code = try await bed.codeAddress().drop { $0 != "#" }
                try await bed.browser.open(page + code)
                try await bed.browser.wait("The list", until: "document.body.dataset.link === 'live'")
                let id = try await bed.add("/a")
                try await bed.waitForRow(id, "Finished")
                #expect(try await bed.browser.address() == page)
            }
        }
    }

    @Test func `says what to type behind a reverse proxy that is not allowed`() async throws {
        try await withPage { bed in
            let forward = "location / { proxy_pass http://127.0.0.1:\(bed.port); }"
            try await withNginx(locations: forward) { nginx in
                let browser = bed.browser
                let page = nginx.url("")
                let origin = try #require(URL(string: page)?.origin)
                try await browser.open(page)
                try await browser.wait("The advice", until: "document.querySelector('#blocked')")
                let command = try await browser.text("#blocked pre")
                #expect(command == "ferry gateway allow \(origin)")
                _ = try await browser.complaints()
                let words = command.split(separator: " ").dropFirst().map(String.init)
                #expect(try await bed.ferry.run(words).status == 0)
                try await browser.open("about:blank")
                try await browser.open(page + (try await bed.codeAddress().drop { $0 != "#" }))
                try await browser.wait("The list", until: "document.body.dataset.link === 'live'")
            }
        }
    }

    @Test func `is refused with words where a reverse proxy passes its own name on`() async throws {
        try await withPage { bed in
            let forward = "location / { proxy_pass http://127.0.0.1:\(bed.port); proxy_set_header Host nas.test; }"
            try await withNginx(locations: forward) { nginx in
                try await bed.browser.open(nginx.url(""))
                #expect(try await bed.browser.text("body").contains("ferry gateway allow --host nas.test"))
                _ = try await bed.browser.complaints()
            }
        }
    }
}

extension URL {
    /// The origin as browsers write it.
    fileprivate var origin: String? {
        guard let scheme, let host, let port else { return nil }
        return "\(scheme)://\(host):\(port)"
    }
}
