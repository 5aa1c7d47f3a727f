// Ferry: FerryCoreTests
// Whether a certificate names a host.

import FerryCore
import Testing

@Suite struct `Server identity` {
    @Test(arguments: [
        ("a.example", "a.example", true), ("A.Example", "a.eXample", true), ("a.example.", "a.example", true),
        ("b.example", "a.example", false), ("a.b.example", "*.b.example", true), ("b.example", "*.b.example", false),
        ("x.a.b.example", "*.b.example", false), ("a.example", "*.example", false), ("example", "*", false),
        ("a.b.example", "a*.b.example", false), ("a.b.example", "a.*.example", false),
        ("a.b.example", "*.*.example", false), ("127.0.0.1", "127.0.0.1", false), ("a.0.0.1", "*.0.0.1", true),
        ("", "", false), ("a..example", "a..example", false), ("a.example", "a.example\u{0}.evil", false),
    ])
    func `26 a name counts by whole labels`(host: String, name: String, matches: Bool) {
        #expect(ServerIdentity.matches(host: host, names: [name], addresses: []) == matches)
    }

    @Test(
        arguments: [
            ("127.0.0.1", [127, 0, 0, 1], true), ("127.0.0.2", [127, 0, 0, 1], false),
            ("[::1]", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], true),
            ("[::1]", [127, 0, 0, 1], false), ("localhost", [127, 0, 0, 1], false),
            ("[::1%25lo]", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], true),
        ] as [(String, [UInt8], Bool)])
    func `26 an address counts byte for byte`(host: String, address: [UInt8], matches: Bool) {
        #expect(ServerIdentity.matches(host: host, names: [], addresses: [address]) == matches)
    }
}
