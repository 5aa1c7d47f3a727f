import FerryCore
import FerryRules
import Testing

@Suite struct `Server identity` {
    @Test(arguments: [
        ("a.example", "a.example", true), ("A.Example", "a.eXample", true), ("a.example.", "a.example", true),
        ("a.example", "a.example.", true), ("a.example", "a.example..", false), ("a.example", ".a.example", false),
        ("b.example", "a.example", false), ("a.b.example", "b.example", false), ("b.example", "a.b.example", false),
        ("a.b.example", "*.b.example", true), ("a.b.example", "*.B.example.", true),
        ("b.example", "*.b.example", false),
        ("x.a.b.example", "*.b.example", false), ("a.example", "*.example", false), ("example", "*", false),
        ("a.b.example", "a*.b.example", false), ("ab.b.example", "*b.b.example", false),
        ("a.b.example", "a.*.example", false), ("a.b.example", "*.*.example", false),
        ("a.b.example", "**.b.example", false),
        ("xn--bcher-kva.example", "XN--bcher-kva.example", true), ("xn--bcher-kva.b.example", "*.b.example", true),
        ("xn--bcher-kva.b.example", "xn--*.b.example", false), ("xn--bcher-kva.example", "bücher.example", false),
        ("a_b.example", "a_b.example", true), ("127.0.0.1", "127.0.0.1", false), ("[::1]", "::1", false),
        ("[::1]", "[::1]", false), ("", "", false), ("a..example", "a..example", false),
        ("a.example", "a.example\u{0}.evil", false), ("a.example", "a.example\u{0}", false),
        ("a.example", " a.example", false), ("a.example", "a.example\n", false),
        ("k.example", "\u{212A}.example", false),
    ])
    func `a name counts by whole labels`(host: String, name: String, matches: Bool) {
        #expect(ServerIdentity(names: [name]).matches(host) == matches)
        #expect(ServerIdentity(names: ["other.test", name]).matches(host) == matches)
    }

    @Test(
        arguments: [
            ("127.0.0.1", [127, 0, 0, 1], true), ("127.0.0.2", [127, 0, 0, 1], false),
            ("[::1]", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], true),
            ("[::2]", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], false),
            ("[::1]", [127, 0, 0, 1], false), ("localhost", [127, 0, 0, 1], false),
            ("[::ffff:7f00:1]", [127, 0, 0, 1], false),
            ("127.0.0.1", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 127, 0, 0, 1], false),
            ("127.0.0.1", [127, 0, 0], false), ("127.0.0.1", [127, 0, 0, 1, 255, 255, 255, 255], false),
            ("[::1%25lo]", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], true),
        ] as [(String, [UInt8], Bool)])
    func `an address counts byte for byte, and for no name`(host: String, address: [UInt8], matches: Bool) {
        #expect(ServerIdentity(addresses: [address]).matches(host) == matches)
    }

    @Test(
        arguments: [
            ([], [], nil), (["a.example"], [], "a.example"), ([], [[192, 0, 2, 7]], "192.0.2.7"),
            ([], [[1, 2, 3]], nil),
            (["a.example"], [[127, 0, 0, 1]], "a.example, 127.0.0.1"),
            (["a", "b", "c"], [[1, 2, 3, 4], [5, 6, 7, 8]], "a, b, c and 2 more"),
            (["a\u{1B}[2J\u{0}"], [], "a\\u{1b}[2J\\u{0}"),
            ([String(repeating: "a", count: 65)], [], String(repeating: "a", count: 64) + "…"),
        ] as [([String], [[UInt8]], String?)])
    func `names are shortened and safe to show`(names: [String], addresses: [[UInt8]], summary: String?) {
        #expect(ServerIdentity(names: names, addresses: addresses).summary == summary)
    }
}
