import CommandKit
import FerryCore
import Testing

@testable import FerryCommands

@Suite struct `The netrc file` {
    private static let home = "/home/me/.netrc"
    private static let text = """
        # mine
        machine a.example login me password "se \\"cret"
        macdef init
        machine not.this login x password y

        machine b.example
          login you
          password top
        """

    private func logins(_ text: String, _ urls: String..., words: [String] = []) async -> [String] {
        let found = await UserFileCommand(words + urls, files: [Self.home: text])
        return (found.requests.first?.login.logins ?? []).map { "\($0.host ?? "*") \($0.user) \($0.password)" }
    }

    @Test func `L3 its hosts get their logins, also when a redirect leads there`() async {
        let urls = ["http://A.example/1", "http://c.example/3", "http://own:pw@a.example/4"]
        let found = await UserFileCommand(urls, files: [Self.home: Self.text])
        #expect(found.requests.map(\.url) == urls && found.talk.isEmpty)
        let expected = [
            GivenLogin(host: "a.example", user: "me", password: "se \"cret"),
            GivenLogin(host: "b.example", user: "you", password: "top"),
        ]
        #expect(found.requests.map(\.login.logins) == [expected, expected, expected])
    }

    @Test(
        arguments: [
            ("machine a login u password #secret", "a u #secret"),
            ("machine a login u password pass#word", "a u pass#word"),
            ("machine a login u password p # mine", "a u p"), ("machine a # mine\n login u password p", "a u p"),
            ("machine a port 80 login u password p", "a u p"), ("machine a password p", "a  p"),
            ("machine a login token", "a token "), ("machine a account x login u password p", "a u p"),
            ("machine A. login u password p", "a. u p"), ("machine ::1 login u password p", "[::1] u p"),
            ("machine a user u password p", "a u p"), ("machine\ta\r\n\tlogin\tu\r\n\tpassword\tp\r\n", "a u p"),
            ("machine a login u password \"a \\\"b\"", "a u a \"b"),
            ("machine a protocol https login u password p", "a u p"),
        ])
    func `L3 has entries as people write them`(text: String, login: String) async {
        #expect(await logins(text, "http://a/") == [login])
    }

    @Test func `L3 a port limits an entry`() async throws {
        let text = "machine a port 81 login u password p\nmachine a login v password q"
        let logins = try Netrc(text, from: "n").logins(for: [])
        let origin = try HTTPURL(parsing: "http://a:81/").origin
        #expect(GivenLogin.first(of: logins, for: origin)?.user == "u")
        #expect(GivenLogin.first(of: logins, for: try HTTPURL(parsing: "http://a/").origin)?.user == "v")
        #expect(GivenLogin.first(of: logins, for: origin, user: "v")?.password == "q")
    }

    @Test func `L3 default is for the hosts of the URLs, and not for those of redirects`() async {
        let text = "machine a login u password p\ndefault login d password q"
        #expect(await logins(text, "http://a/", "http://x/") == ["a u p", "x d q"])
        #expect(await logins("default login d password q", "http://x/1", "http://x/2") == ["x d q"])
    }

    @Test func `L3 an entry that cannot be read is named with its line and skipped`() async {
        let text =
            "machine b login u password two words\nlost\nmachine a login u password p\nmachine c password \"open\n"
        let found = await UserFileCommand(["http://a/"], files: [Self.home: text])
        #expect(found.status == 0 && found.requests.first?.login.logins.map(\.host) == ["a"])
        #expect(found.talk.contains("of “~/.netrc” are not a readable entry of a netrc file and were skipped"))
        #expect(!found.talk.contains("words") && !found.talk.contains("open"))
    }

    @Test(arguments: [
        "machine a login u password two words", "machine a\nlogn secret", "machine a login u password \"x",
    ])
    func `L3 an entry for the URL's host that cannot be read is an error`(text: String) async {
        let found = await UserFileCommand(["http://a/"], files: [Self.home: "\n" + text])
        #expect(found.status == 64 && found.requests.isEmpty)
        #expect(found.talk.contains("The entry for a in line 2 of “~/.netrc” cannot be read"))
        #expect(!found.talk.contains("words") && !found.talk.contains("secret"))
        let own = await UserFileCommand(["-u", "x:y", "http://a/"], files: [Self.home: "\n" + text])
        #expect(own.status == 0, "-u needs no entry.")
    }

    @Test(arguments: [
        "machine b login u password \"a\\nb\"", "machine b port 99999 login u password p",
        "machine b port 0 password p",
    ])
    func `L3 an entry that the daemon would refuse does not refuse the request`(text: String) async throws {
        let found = await UserFileCommand(["http://a/"], files: [Self.home: text + "\nmachine a login u password p\n"])
        #expect(found.status == 0 && found.requests.first?.login.logins.map(\.host) == ["a"])
        #expect(found.talk.contains("Line 1 of “~/.netrc”"))
    }

    @Test func `L3 a machine may have a port, and one that is no host is named once`() async throws {
        let ports = try Netrc("machine a:8080 login u password p", from: "n").logins(for: [])
        #expect(ports == [GivenLogin(host: "a", port: 8080, user: "u", password: "p")])
        let odd = await UserFileCommand(
            ["http://a/"], files: [Self.home: "machine a/b login x password y\nmachine a login u password p\n"])
        #expect(odd.requests.first?.login.logins.map(\.host) == ["a"])
        #expect(odd.talk == "ferry: Line 1 of “~/.netrc” is not a readable entry of a netrc file and was skipped.\n")
    }

    @Test func `L3 a long list gets the entries of its own hosts`() async {
        let list = (1...10_001).map { "http://a.example/\($0)\n" }.joined()
        let files = [Self.home: Self.text, "list": list, "/home/me/in/n": Self.text]
        let usual = await UserFileCommand(["-i", "list"], files: files)
        #expect(usual.requests.last?.login.logins.map(\.host) == ["a.example"])
        #expect(usual.talk.contains("--netrc-file ~/.netrc"))
        let chosen = await UserFileCommand(["-i", "list", "--netrc-file", "n"], files: files)
        #expect(chosen.requests.last?.login.logins.map(\.host) == ["a.example", "b.example"])
    }

    @Test func `L3 a file that others may read is not used`() async {
        let files = [Self.home: Self.text, "/home/me/in/n": Self.text]
        let usual = await UserFileCommand(["http://a.example/"], files: files, readable: [Self.home])
        #expect(usual.requests.map(\.login.logins) == [[]] && usual.talk.contains("chmod 600 ~/.netrc"))
        let other = await UserFileCommand(["http://c.example/"], files: files, readable: [Self.home])
        #expect(other.requests.map(\.login.logins) == [[]] && other.talk.isEmpty, "It says nothing of this host.")
        let named = await UserFileCommand(
            ["--netrc-file", "n", "http://a.example/"], files: files, readable: ["/home/me/in/n"])
        #expect(named.status == 64 && named.talk.contains("chmod 600"))
    }

    @Test func `L3 -u goes to the URL's host, and with --location-trusted to all that ask`() async {
        let own = await UserFileCommand(["-u", "x:y", "http://a.example/"], files: [Self.home: Self.text])
        #expect(own.requests.map(\.url) == ["http://x:y@a.example/"])
        #expect(own.requests.first?.login.logins.map(\.host) == ["a.example", "b.example"])
        let all = await UserFileCommand(["-u", "x:y", "--location-trusted", "http://a.example/"])
        #expect(all.requests.first?.login.logins == [GivenLogin(host: nil, user: "x", password: "y")])
        #expect(await UserFileCommand(["--location-trusted", "http://a.example/"]).status == 64)
    }

    @Test func `L3 --auth-no-challenge is an option of the request`() async {
        let found = await UserFileCommand(["--auth-no-challenge", "-u", "x:y", "https://a.example/"])
        #expect(found.requests.first?.login.isPreemptive == true)
    }
}
