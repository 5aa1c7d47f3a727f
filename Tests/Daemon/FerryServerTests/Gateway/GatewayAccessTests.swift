import FerryAPI
import FerryCore
import HTTPTypes
import Testing

@testable import FerryServer

@Suite(.timeLimit(.minutes(1))) struct `The door of the gateway` {
    private static func door(_ change: (inout GatewaySettings) -> Void = { _ in }) -> GatewayAccess {
        var settings = GatewaySettings(folders: ["/d"])
        change(&settings)
        return GatewayAccess(settings)
    }

    @Test(arguments: [
        "127.0.0.1:6800", "localhost:6800", "LOCALHOST:6800", "localhost", "[::1]:6800", "[::1]", "nas.local:6800",
    ])
    func `takes its own names`(host: String) {
        let door = Self.door { $0.names = ["nas.local"] }
        #expect(door.judge(host: host, origin: nil) == .allowed(origin: nil))
    }

    @Test(arguments: [
        nil, "", "evil.example", "evil.example:6800", "localhost:6801", "localhost.evil.example", "127.0.0.1:6800:1",
        "127.0.0.2:6800", "[::1", "::1:6800", "[::1]x:6800", "localhost:", "user@localhost:6800", "192.168.1.2:6800",
    ])
    func `takes no other name`(host: String?) {
        let verdict = Self.door().judge(host: host, origin: nil)
        guard case .refused = verdict else {
            Issue.record("\(verdict)")
            return
        }
    }

    @Test func `takes each address of the machine where it listens on all, and no name`() {
        let door = Self.door { $0.addresses = ["0.0.0.0"] }
        #expect(door.judge(host: "192.168.1.2:6800", origin: nil) == .allowed(origin: nil))
        guard case .refused = door.judge(host: "evil.example:6800", origin: nil) else {
            Issue.record("A name was taken.")
            return
        }
    }

    @Test(
        arguments: [
            ("http://localhost:6800", true), ("http://127.0.0.1:6800", true), ("http://[::1]:6800", true),
            ("https://ariang.example", true), ("HTTPS://ARIANG.EXAMPLE", true), ("https://localhost:6800", false),
            ("http://localhost", false), ("http://localhost:6801", false), ("https://evil.example", false),
            ("null", false), ("", false), ("https://ariang.example.evil.example", false),
            ("http://ariang.example", false), ("file://", false),
        ] as [(String, Bool)])
    func `takes its own origin and allowed ones`(origin: String, isAllowed: Bool) {
        let door = Self.door { $0.origins = ["https://ariang.example"] }
        let verdict = door.judge(host: "localhost:6800", origin: origin)
        if isAllowed {
            #expect(verdict == .allowed(origin: origin))
        } else if case .allowed = verdict {
            Issue.record("\(origin) was let in.")
        }
        let all = Self.door { $0.origins = ["*"] }
        #expect(all.judge(host: "localhost:6800", origin: origin) == .allowed(origin: origin))
    }

    /// A browser leaves the default port out of an origin.
    @Test(
        arguments: [
            (80, false, "http://localhost", true), (80, false, "http://localhost:80", false),
            (80, false, "https://localhost", false), (443, true, "https://localhost", true),
            (443, true, "http://localhost", false), (6800, true, "https://localhost:6800", true),
            (80, true, "https://localhost:80", true),
        ] as [(Int, Bool, String, Bool)])
    func `takes its own page on default ports`(port: Int, hasTLS: Bool, origin: String, isAllowed: Bool) {
        let door = Self.door { settings in
            settings.port = port
            if hasTLS { settings.certificate = "/c.pem" }
        }
        #expect((door.judge(host: "localhost", origin: origin) == .allowed(origin: origin)) == isAllowed)
    }

    /// A reverse proxy may pass its own name on or not, and may serve the page on a port of its own.
    @Test(
        arguments: [
            ("dl.example", "https://dl.example", true), ("127.0.0.1:6800", "https://dl.example", true),
            ("127.0.0.1:6800", "http://dl.example", true), ("dl.example:8443", "https://dl.example:8443", true),
            ("dl.example", "http://dl.example:6800", true), ("127.0.0.1:6800", "https://dl.example:8443", false),
            ("dl.example", "https://evil.example", false), ("evil.example", "https://dl.example", false),
            ("dl.example:x", "https://dl.example:x", false), ("evil.example:443", "https://evil.example:443", false),
        ] as [(String, String, Bool)])
    func `takes its page behind a reverse proxy of an allowed name`(host: String, origin: String, isAllowed: Bool) {
        let door = Self.door { $0.names = ["dl.example"] }
        #expect((door.judge(host: host, origin: origin) == .allowed(origin: origin)) == isAllowed)
    }

    @Test func `says which command allows what it refuses`() {
        for (host, origin, command) in [
            ("nas.local", nil, "ferry gateway allow --host nas.local"),
            ("localhost:6800", "https://a.example", "ferry gateway allow https://a.example"),
        ] {
            guard case .refused(let why) = Self.door().judge(host: host, origin: origin) else {
                Issue.record("\(host) was let in.")
                continue
            }
            #expect(why.contains(command))
        }
    }

    @Test func `refuses what a page of another site asks for without an origin`() {
        for (site, isAllowed) in [("cross-site", false), ("same-site", false), ("same-origin", true), ("none", true)] {
            let verdict = Self.door().judge(host: "localhost:6800", origin: nil, site: site)
            #expect((verdict == .allowed(origin: nil)) == isAllowed, "\(site)")
        }
        #expect(!Self.door().allowsScript(origin: nil))
        #expect(Self.door { $0.origins = ["*"] }.allowsScript(origin: nil))
    }

    @Test func `answers a preflight with the requested fields`() {
        var fields = HTTPFields()
        fields[.accessControlRequestHeaders] = "content-type, authorization"
        fields[.requestPrivateNetwork] = "true"
        let answer = GatewayAccess.preflight(for: "https://a.example", requested: fields)
        #expect(answer[.accessControlAllowOrigin] == "https://a.example")
        #expect(answer[.accessControlAllowHeaders] == "content-type, authorization")
        #expect(answer[.accessControlAllowMethods]?.contains("POST, GET, OPTIONS") == true)
        #expect(answer[.accessControlMaxAge].flatMap(Int.init) ?? 0 > 86_400)
        #expect(answer[.allowPrivateNetwork] == "true")
        #expect(answer[.vary] == "Origin")
    }
}

@Suite(.timeLimit(.minutes(1))) struct `Settings of the gateway` {
    private let settings = GatewaySettings(folders: ["/home/u/Downloads"])

    private func change(_ body: (inout GatewayChange) -> Void) throws -> GatewaySettings {
        var change = GatewayChange()
        body(&change)
        return try settings.applying(change)
    }

    @Test func `change the named properties, and no others`() throws {
        #expect(try change { _ in } == settings)
        let changed = try change {
            $0.isOn = true
            $0.port = 7000
            $0.addedOrigins = ["https://a.example/", "moz-extension://0-1"]
            $0.addedFolders = ["/srv/media/", "/srv/media"]
            $0.addedNames = ["nas"]
        }
        #expect(changed.isOn && changed.port == 7000)
        #expect(changed.origins == ["https://a.example", "moz-extension://0-1"])
        #expect(changed.folders == ["/home/u/Downloads", "/srv/media"])
        var removal = GatewayChange()
        removal.removedOrigins = ["https://a.example"]
        removal.removedFolders = ["/home/u/Downloads"]
        removal.removedNames = ["nas", "other"]
        let less = try changed.applying(removal)
        #expect(less.origins == ["moz-extension://0-1"] && less.folders == ["/srv/media"] && less.names.isEmpty)
    }

    @Test func `refuse what cannot be`() {
        let changes: [(inout GatewayChange) -> Void] = [
            { $0.port = 0 }, { $0.port = 65536 }, { $0.addresses = [] }, { $0.addresses = ["localhost"] },
            { $0.addedOrigins = ["ariang.example"] }, { $0.addedOrigins = ["https://a/b"] },
            { $0.addedOrigins = ["https://"] }, { $0.addedOrigins = ["://a"] }, { $0.addedNames = ["a b"] },
            { $0.addedNames = [""] }, { $0.addedFolders = ["media"] }, { $0.addedFolders = ["/a/../b"] },
            { $0.removedFolders = ["/home/u/Downloads"] }, { $0.certificate = "/c" }, { $0.key = "/k" },
            { $0.addedFolders = (0..<300).map { "/f\($0)" } },
        ]
        for body in changes {
            #expect { try change(body) } throws: { ($0 as? ServiceError)?.code == .invalidRequest }
        }
    }

    @Test func `say whether other machines can reach it`() throws {
        for (addresses, isOpen) in [
            (["127.0.0.1", "::1"], false), (["127.9.9.9"], false), (["0.0.0.0"], true), (["::"], true),
            (["127.0.0.1", "10.0.0.1"], true),
        ] {
            #expect(try change { $0.addresses = addresses }.isOpenToOthers == isOpen, "\(addresses)")
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct `Folders of the gateway` {
    private let folders = AllowedFolders(["/home/u/Downloads", "/srv/media"])

    @Test(
        arguments: [
            ("/home/u/Downloads", true), ("/home/u/Downloads/a/b", true), ("/srv/media/x", true),
            ("/home/u/Downloads2", false), ("/home/u", false), ("/", false), ("/home/u/Downloads/../.ssh", false),
            ("/home/u/Downloads/./a", false), ("home/u/Downloads", false), ("", false),
            // Slashes that name nothing do not count.
            ("/home/u/Downloads/", true), ("/home/u//Downloads//a//", true), ("/srv/media/../", false),
            ("//home/u/.ssh/", false),
            ("/home/u/Downloads/a\u{0}b", false), ("/HOME/u/Downloads", false),
        ] as [(String, Bool)])
    func `take what is below them`(path: String, isAllowed: Bool) {
        #expect(folders.contain(path) == isAllowed)
        #expect(((try? folders.check(folder: path)) != nil) == isAllowed)
    }

    @Test(
        arguments: [
            ("a.iso", true), ("sub/a.iso", true), ("..a", true), ("/etc/passwd", false), ("../a", false),
            ("a/../../b", false), ("..", false),
        ] as [(String, Bool)])
    func `take names that stay below`(name: String, isAllowed: Bool) {
        #expect(((try? folders.check(name: name)) != nil) == isAllowed)
    }

    @Test func `are where people expect downloads`() {
        func usual(_ text: String?, _ environment: [String: String] = ["HOME": "/home/u"]) -> [String] {
            DownloadFolders.usual(environment: environment, home: "/root") { path in
                path == "/home/u/.config/user-dirs.dirs" ? text : nil
            }
        }
        #expect(usual(nil) == ["/home/u/Downloads"])
        #expect(usual("XDG_DOWNLOAD_DIR=\"$HOME/Downloads\"") == ["/home/u/Downloads"])
        #expect(
            usual("# x\nXDG_DOWNLOAD_DIR=\"$HOME/Téléchargements/\"\n") == [
                "/home/u/Téléchargements", "/home/u/Downloads",
            ])
        #expect(usual("XDG_DOWNLOAD_DIR=\"/data/get\"") == ["/data/get", "/home/u/Downloads"])
        #expect(usual("XDG_DOWNLOAD_DIR=\"$HOME/\"") == ["/home/u/Downloads"])
        #expect(usual("XDG_DOWNLOAD_DIR=\"$HOME/../x\"") == ["/home/u/Downloads"])
        #expect(usual("XDG_DOWNLOAD_DIR=get") == ["/home/u/Downloads"])
        #expect(usual(nil, [:]) == ["/root/Downloads"])
    }

    @Test func `are all that a client's request may name of this machine`() {
        let rule = GuardedRequest(folders: folders)
        let request = TransferRequest(url: "https://example.com/a", folder: "/srv/media")
        #expect(throws: Never.self) { _ = try rule.limited(request) }
        let changes: [(inout TransferRequest) -> Void] = [
            { $0.file.folder = "/etc" }, { $0.file.name = "../a" }, { $0.file.partialFolder = "/srv/media" },
            { $0.file.spooled = true },
            { $0.body = .file(RequestBody.SentFile(path: "/etc/passwd", size: 1, modified: 0)) },
            { $0.tls.trust = RequestTrust(certificate: "/home/u/c.pem") }, { $0.file.umask = .usual },
        ]
        for change in changes {
            var changed = request
            change(&changed)
            #expect(throws: ServiceError.self) { _ = try rule.limited(changed) }
        }
    }
}
