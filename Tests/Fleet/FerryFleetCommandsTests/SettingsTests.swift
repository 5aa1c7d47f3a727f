import FerryCore
import Testing

@testable import FerryFleetCommands

@Suite struct `Settings of a fleet` {
    @Test func `are read from YAML`() throws {
        let text = """
            # A worker.
            database: service=ferry
            worker: rack 4
            slots: 32
            ahead: 0
            lease: 15
            poll: 0.5
            spool_room: 10G
            labels: [inside, fast]
            listen: false
            address_scope: global
            accept: [no-standby, store]
            """
        let settings = try FleetSettings(text, name: "fleet.yaml")
        var expected = FleetSettings()
        (expected.database, expected.worker, expected.slots, expected.ahead) = ("service=ferry", "rack 4", 32, 0)
        (expected.lease, expected.poll, expected.labels, expected.listen) = (15, 0.5, ["inside", "fast"], false)
        expected.spoolRoom = 10 << 30
        expected.addressScope = .global
        expected.accept = [.noStandby, .store]
        #expect(settings == expected)
    }

    @Test(arguments: ["", "# nothing\n", "---\n"])
    func `of an empty file are the defaults`(text: String) throws {
        #expect(try FleetSettings(text, name: "fleet.yaml") == FleetSettings())
    }

    @Test(arguments: [
        ("database: x\nslot: 4\n", "line 2: there is no setting “slot”. Settings: database, worker"),
        ("slots: many", "line 1: slots is 1 to 1000"), ("\n\nslots: 0", "line 3: slots is 1 to 1000"),
        ("lease: 5", "lease is 10.0 to 600.0 seconds"), ("listen: perhaps", "listen is true or false"),
        ("address_scope: local", "address_scope is any, site, global"),
        ("accept: [all]", "accept is a list of connections, open-tr"),
        ("spool_room: lots", "spool_room is a number of bytes"), ("labels: [a, [b]]", "labels is a list of words"),
        ("database:", "database is a text"),
        ("- slots", "not a list of keys with values"), ("slots: [", "not valid YAML"), ("a: 1\na: 2", "fleet.yaml"),
        ("slots: &a 4\nahead: *b", "fleet.yaml"),
    ])
    func `with a mistake name its line`(text: String, reason: String) {
        do {
            _ = try FleetSettings(text, name: "fleet.yaml")
            Issue.record("It was accepted.")
        } catch {
            #expect(error.code == .invalidRequest && error.message.contains(reason), "\(error.message)")
            #expect(!error.message.contains("\n"))
        }
    }
}

@Suite struct `Places of a fleet's files` {
    @Test(arguments: [
        ("{name}", "x.iso"), ("{host}/{path}", "example.org/pub/os"), ("{n}-{name}", "3-x.iso"), ("{other}", "{other}"),
    ])
    func `are filled from the URL`(template: String, expected: String) throws {
        let url = try HTTPURL(parsing: "https://example.org/pub/os/x.iso?token=1")
        #expect(DestinationTemplate(url: url, number: 3).filled(template) == expected)
    }

    @Test(arguments: ["https://example.org", "https://example.org/", "https://example.org/pub/"])
    func `have a name without one in the URL`(url: String) throws {
        #expect(DestinationTemplate(url: try HTTPURL(parsing: url), number: 1).filled("{name}") == FileName.fallback)
    }

    @Test func `contain no placeholder's value twice`() throws {
        let url = try HTTPURL(parsing: "https://example.org/%7Bhost%7D")
        #expect(DestinationTemplate(url: url, number: 1).filled("{name}") == "{host}")
    }

    @Test func `never leave their folder by a URL's path`() throws {
        let url = try HTTPURL(parsing: "https://example.org/..%2f..%2fetc/%2e%2e/passwd")
        let filled = DestinationTemplate(url: url, number: 1).filled("/srv/{path}/{name}")
        #expect(!filled.split(separator: "/").contains(".."), "\(filled)")
    }
}
