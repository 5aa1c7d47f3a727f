import FerryCore
import Testing

@Suite struct `Resolving a Location` {
    /// The examples of RFC 3986 §5.4 that stay within http.
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
        ("//g", "http://g/"),
        ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"),
        ("g#s", "http://a/b/c/g#s"),
        ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"),
        ("../..", "http://a/"),
        ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
        ("/./g", "http://a/g"),
        ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."),
        ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"),
        ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"), ("g;x=1/../y", "http://a/b/c/y"), ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/../x", "http://a/b/c/g#s/../x"),
    ])
    func `X2 relative references are resolved by RFC 3986`(location: String, resolved: String) throws {
        #expect(try HTTPURL(parsing: "http://a/b/c/d;p?q").resolving(location: location).string == resolved)
    }

    @Test(
        arguments: [
            ("/x", "https://h:8443/x#f"), ("/x#g", "https://h:8443/x#g"), ("/x#", "https://h:8443/x#"),
            ("https://o/y", "https://o/y#f"), ("//o/y", "https://o/y#f"), ("http://u:p@o/", "http://o/#f"),
            ("ü", "https://h:8443/a/%C3%BC#f"),
            ("\\\\evil.example/x", "https://h:8443/a/%5C%5Cevil.example/x#f"),
            ("/\\evil.example", "https://h:8443/%5Cevil.example#f"),
            ("///x", nil), ("", nil), (" ", nil), (" /x ", "https://h:8443/x#f"),
            ("/a b?c d", "https://h:8443/a%20b?c%20d#f"),
            ("http://a b/", nil), ("/x\r\nA: b", nil), ("http:/x", nil),
            ("https:x", nil),
            ("http://a@b@c/", nil), ("//h:0/", nil), ("//a%2fb/", nil), ("file:///x", nil),
        ] as [(String, String?)])
    func `X2 the fragment is inherited and the target's userinfo ignored`(location: String, resolved: String?) throws {
        let url = try HTTPURL(parsing: "https://me:secret@h:8443/a/b?c#f")
        let target = try? url.resolving(location: location)
        #expect(target?.string == resolved)
        #expect(target?.credentials == nil)
    }

    @Test func `Q7 a resolved URL has at most 16 KiB`() throws {
        let url = try HTTPURL(parsing: "http://h/" + String(repeating: "a", count: 10_000) + "/")
        #expect(throws: ServiceError.self) { try url.resolving(location: String(repeating: "b", count: 10_000)) }
    }
}
