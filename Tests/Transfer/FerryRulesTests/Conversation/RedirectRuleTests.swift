import FerryCore
import FerryRules
import Testing

@Suite struct `Redirects` {
    @Test func `X1 twenty redirects are followed and the next is not`() throws {
        var url = try HTTPURL(parsing: "http://h/0")
        var chain = RedirectChain(start: url, method: "GET")
        for hop in 1...20 {
            url = try next(url, "/\(hop)", chain: &chain).url
        }
        #expect(chain.count == 20 && chain.urls.last == url)
        #expect(code { _ = try next(url, "/21", chain: &chain) } == .tooManyRedirects)
    }

    @Test(arguments: ["/a", "http://H:80/a", "#x", "/b/../a", "?"])
    func `X1 a circle ends after three looks`(location: String) throws {
        let url = try HTTPURL(parsing: "http://h/a")
        var chain = RedirectChain(start: url, method: "GET")
        guard location != "?" else {
            #expect(try next(url, location, chain: &chain).url.string == "http://h/a?")
            return
        }
        for _ in 2...RedirectChain.looks { #expect(try next(url, location, chain: &chain).url.path == "/a") }
        #expect(code { _ = try next(url, location, chain: &chain) } == .tooManyRedirects)
        #expect(chain.count == RedirectChain.looks - 1)
    }

    @Test func `X1 the same URL is asked again if cookies changed or the method did`() throws {
        let url = try HTTPURL(parsing: "http://h/a")
        var chain = RedirectChain(start: url, method: "POST", secrets: nil)
        for _ in 1...RedirectChain.looks { _ = try next(url, "/a", method: "POST", chain: &chain) }
        for _ in 1...RedirectChain.looks {
            _ = try RedirectRule.next(
                from: url, to: "/a", status: 302, method: "GET", policy: RedirectPolicy(), chain: &chain,
                secrets: { _ in "a=1" })
        }
        #expect(
            code {
                _ = try RedirectRule.next(
                    from: url, to: "/a", status: 302, method: "GET", policy: RedirectPolicy(), chain: &chain,
                    secrets: { _ in "a=1" })
            } == .tooManyRedirects)
    }

    @Test(arguments: [
        (301, "GET", "GET"), (302, "GET", "GET"), (303, "GET", "GET"), (307, "GET", "GET"), (308, "GET", "GET"),
        (303, "HEAD", "HEAD"), (302, "HEAD", "HEAD"), (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"),
        (307, "POST", "POST"), (308, "POST", "POST"), (303, "PUT", "GET"), (302, "PUT", "PUT"),
        (301, "DELETE", "DELETE"),
    ])
    func `X1 the method after a redirect`(status: Int, method: String, after: String) throws {
        let url = try HTTPURL(parsing: "http://h/a")
        var chain = RedirectChain(start: url, method: method)
        let redirect = try RedirectRule.next(
            from: url, to: "/b", status: status, method: method, policy: RedirectPolicy(), chain: &chain)
        #expect(redirect.method == after && !redirect.changesOrigin)
    }

    @Test(arguments: [300, 304, 305, 306, 200, 399])
    func `X2 other statuses are no redirects`(status: Int) throws {
        let url = try HTTPURL(parsing: "http://h/a")
        var chain = RedirectChain(start: url, method: "GET")
        let error = failure {
            _ = try RedirectRule.next(
                from: url, to: "/b", status: status, method: "GET", policy: RedirectPolicy(), chain: &chain)
        }
        #expect(error?.code == .redirectRefused && error?.details.urlError == -1010)
    }

    @Test(
        arguments: [
            (nil, -1010), ("", -1010), ("http://", -1010), ("http://a b/", -1010), ("/x\r\nSet-Cookie: a=b", -1010),
            ("http:/x", -1010), ("/" + String(repeating: "a", count: 20_000), -1010),
            ("http://h/", -1022), ("//u@h:0/", -1010),
        ] as [(String?, Int)])
    func `X2 a Location that is no URL is refused`(location: String?, urlError: Int) throws {
        let url = try HTTPURL(parsing: "https://h/a")
        var chain = RedirectChain(start: url, method: "GET")
        let error = failure { _ = try next(url, location, chain: &chain) }
        #expect(error?.code == .redirectRefused && error?.details.urlError == urlError)
        #expect(chain.count == 0)
    }

    @Test(arguments: [
        "file:///etc/passwd", "scp://h/x", "ftp://h/x", "data:text/plain,x", "unix:///run/docker.sock", "FTP://h/",
    ])
    func `CVE_2009_0037 CVE_2026_15146 redirects to other schemes are refused`(location: String) throws {
        let url = try HTTPURL(parsing: "http://h/a")
        var chain = RedirectChain(start: url, method: "GET")
        let error = failure { _ = try next(url, location, chain: &chain) }
        #expect(error?.code == .redirectRefused && error?.details.urlError == -1002)
    }

    @Test func `X3 https leads to http only where that is allowed`() throws {
        let url = try HTTPURL(parsing: "https://h/a")
        var chain = RedirectChain(start: url, method: "GET")
        let error = failure { _ = try next(url, "http://h/b?token=geheim", chain: &chain) }
        #expect(error?.code == .redirectRefused && error?.details.urlError == -1022)
        #expect(error?.message.contains("geheim") == false && error?.details.url == "http://h/b?token=")
        let redirect = try RedirectRule.next(
            from: url, to: "http://h/b", status: 302, method: "GET", policy: RedirectPolicy(allowDowngrade: true),
            chain: &chain)
        #expect(redirect.changesOrigin)
    }

    @Test(arguments: [
        "localhost", "LOCALHOST", "localhost.", "a.localhost", "localhost.localdomain", "127.0.0.1", "127.1",
        "127.255.0.3",
        "2130706433", "0x7f000001", "0177.0.0.01", "0x7f.1", "0", "0.0.0.0", "10.0.0.1", "012.1.1.1", "172.16.0.1",
        "172.31.255.255", "192.168.1.1", "3232235777", "169.254.169.254", "0xA9FEA9FE", "100.64.0.1", "198.18.0.1",
        "224.0.0.1", "255.255.255.255", "127。0.0.1", "%31%32%37.0.0.1", "127.0.0.1.",
        "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:10.1.2.3]",
        "[::127.0.0.1]",
        "[64:ff9b::10.0.0.1]", "[64:ff9b:1::1]", "[2002:7f00:1::]", "[2002:c0a8:101::1]", "[fe80::1]",
        "[fe80::1%25eth0]", "[febf::1]",
        "[fc00::1]", "[fd12:3456::1]", "[fec0::1]", "[ff02::1]", "[2001:0:1:2:3:4:80ff:fffe]", "[::ffff:0:127.0.0.1]",
    ])
    func `X4 a public host leads to no private address`(host: String) throws {
        let url = try HTTPURL(parsing: "http://example.com/a")
        var chain = RedirectChain(start: url, method: "GET")
        #expect(code { _ = try next(url, "http://\(host)/x", chain: &chain) } == .redirectRefused)
        let allowed = RedirectPolicy(allowPrivateRedirects: true)
        _ = try RedirectRule.next(
            from: url, to: "http://\(host)/x", status: 302, method: "GET", policy: allowed, chain: &chain)
        // A private address may redirect to another one on the user's own network, except to services that trust every
        // client.
        let isMetadata = try HTTPURL(parsing: "http://\(host)/").isLinkLocalLiteral
        for home in ["192.168.0.1", "127.0.0.1", "localhost", "[::1]"] {
            let url = try HTTPURL(parsing: "http://\(home)/")
            var chain = RedirectChain(start: url, method: "GET")
            let code = code { _ = try next(url, "http://\(host)/y", chain: &chain) }
            #expect(code == (isMetadata ? .redirectRefused : nil))
        }
    }

    @Test(arguments: [
        "169.254.169.254", "0xA9FEA9FE", "2852039166", "169.254.169.254.", "[::ffff:169.254.169.254]",
        "[64:ff9b::169.254.169.254]", "[2002:a9fe:a9fe::]", "[fe80::1]", "[fe80::1%25eth0]", "100.100.100.200",
        "[fd00:ec2::254]",
    ])
    func `only a link-local host leads to a link-local or metadata address`(host: String) throws {
        for (home, expected) in [("127.0.0.1", ErrorCode.redirectRefused), ("169.254.0.7", nil), ("[fe80::2]", nil)] {
            let url = try HTTPURL(parsing: "http://\(home)/")
            var chain = RedirectChain(start: url, method: "GET")
            #expect(code { _ = try next(url, "http://\(host)/y", chain: &chain) } == expected)
            _ = try RedirectRule.next(
                from: url, to: "http://\(host)/z", status: 302, method: "GET",
                policy: RedirectPolicy(allowPrivateRedirects: true), chain: &chain)
        }
    }

    @Test(arguments: [
        "example.org", "1.1.1.1", "172.32.0.1", "172.15.0.1", "192.169.0.1", "100.128.0.1", "169.253.0.1", "11.0.0.1",
        "[2606:4700::1111]", "[::ffff:1.1.1.1]", "[64:ff9b::1.1.1.1]", "[2002:101:101::]", "localhost.example",
        "notlocalhost",
        "[2001:0:1:2:3:4:fefe:fefe]", "10.example",
    ])
    func `X4 public addresses are no private ones`(host: String) throws {
        let url = try HTTPURL(parsing: "http://example.com/a")
        var chain = RedirectChain(start: url, method: "GET")
        _ = try next(url, "http://\(host)/x", chain: &chain)
    }

    @Test func `X12 the chain is shown without userinfo and values`() throws {
        let url = try HTTPURL(parsing: "https://u:p@h/a?k=v")
        var chain = RedirectChain(start: url, method: "GET")
        _ = try next(url, "https://x:y@o/b?sig=s", chain: &chain)
        #expect(chain.redacted == ["https://h/a?k=", "https://o/b?sig="])
    }

    // MARK: Helpers

    private func next(
        _ url: HTTPURL, _ location: String?, method: String = "GET", chain: inout RedirectChain
    ) throws(ServiceError) -> Redirect {
        try RedirectRule.next(
            from: url, to: location, status: 302, method: method, policy: RedirectPolicy(), chain: &chain)
    }

    private func failure(_ body: () throws -> Void) -> ServiceError? {
        do {
            try body()
            return nil
        } catch { return error as? ServiceError }
    }

    private func code(_ body: () throws -> Void) -> ErrorCode? { failure(body)?.code }
}
