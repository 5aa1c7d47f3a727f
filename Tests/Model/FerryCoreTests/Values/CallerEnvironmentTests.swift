import FerryCore
import Foundation
import Testing

@Suite struct `The environment of a caller` {
    @Test(
        arguments: [
            ("022", 0o022), ("0022", 0o022), ("77", 0o077), ("0", 0), ("0777", 0o777), ("1777", nil), ("8", nil),
            ("", nil), ("00022", nil), ("-1", nil), ("+2", nil), ("0o22", nil),
        ] as [(String, UInt32?)])
    func `a mask is octal digits up to 0777`(text: String, bits: UInt32?) throws {
        #expect(FileMask(octal: text)?.bits == bits)
        let json = try JSONEncoder().encode([text])
        #expect((try? JSONDecoder().decode([FileMask].self, from: json))?.first?.bits == bits)
        if let bits { #expect(FileMask(octal: FileMask(bits).octal)?.bits == bits) }
    }

    @Test func `a mask takes permissions off a mode`() {
        #expect(FileMask(0o027).applied(to: 0o666) == 0o640)
        #expect(FileMask(0o027).applied(to: 0o777) == 0o750)
        #expect(FileMask(0).applied(to: 0o666) == 0o666)
    }

    @Test func `the mask of a process is read from what Linux says of it`() {
        #expect(FileMask(processStatus: "Name:\tx\nUmask:\t0027\nState:\tR\n") == FileMask(0o027))
        #expect(FileMask(processStatus: "Name:\tx\n") == nil)
    }

    @Test(
        arguments: [
            ([:], []), (["SSL_CERT_FILE": "ca.pem"], ["/w/ca.pem"]), (["SSL_CERT_FILE": "/a:b"], ["/a:b"]),
            (["SSL_CERT_FILE": "ca.pem", "SSL_CERT_DIR": "/d"], ["/w/ca.pem"]),
            (["SSL_CERT_FILE": "", "SSL_CERT_DIR": "/d"], ["/d"]),
            (["SSL_CERT_DIR": "/d:e::/f:"], ["/d", "/w/e", "/f"]), (["SSL_CERT_DIR": ":"], []),
        ] as [([String: String], [String])])
    func `a file wins over folders, of which there may be several, and relative ones begin at the caller's`(
        variables: [String: String], authorities: [String]
    ) {
        #expect(RequestTrust(variables: variables, currentFolder: "/w").authorities == authorities)
    }

    @Test(
        arguments: [
            ("{}", []), (#"{"authorities":"/a:b"}"#, ["/a:b"]), (#"{"authorities":["/a","/b"]}"#, ["/a", "/b"]),
        ] as [(String, [String])])
    func `one path is written as a text, several as a list`(json: String, authorities: [String]) throws {
        let trust = try JSONDecoder().decode(RequestTrust.self, from: Data(json.utf8))
        #expect(trust == RequestTrust(authorities: authorities))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        #expect(try String(decoding: encoder.encode(trust), as: UTF8.self) == json)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(RequestTrust.self, from: Data(#"{"authorities":1}"#.utf8))
        }
    }

    @Test(
        arguments: [
            (RequestTrust(), true), (RequestTrust(authorities: "/ca", certificate: "/c", key: "/k"), true),
            (RequestTrust(certificate: "/c"), true), (RequestTrust(authorities: "ca"), false),
            (RequestTrust(authorities: ""), false), (RequestTrust(certificate: "/c\0"), false),
            (RequestTrust(key: "/k"), false), (RequestTrust(authorities: ["/a", "/b"]), true),
            (RequestTrust(authorities: ["/a", "b"]), false),
            (RequestTrust(authorities: (1...33).map { "/\($0)" }), false),
        ] as [(RequestTrust, Bool)])
    func `the files of a request's trust have absolute paths, and a key has its certificate`(
        trust: RequestTrust, isGood: Bool
    ) {
        var request = TransferRequest(url: "https://h/", folder: "/f")
        request.tls.trust = trust
        let admitted = try? TransferAdmission.admit(request)
        #expect((admitted != nil) == isGood)
    }

    @Test func `a client's certificate is for the request's own origin`() {
        let trust = RequestTrust(authorities: "/ca", certificate: "/c", key: "/k")
        #expect(trust.foreign == RequestTrust(authorities: "/ca"))
        #expect(!trust.isUsual && RequestTrust().isUsual)
    }

    @Test func `one proxy takes the place of all, and exceptions stay unless they are given`() {
        let variables = ["HTTPS_PROXY": "http://a", "http_proxy": "http://b", "NO_PROXY": "c", "PATH": "/bin"]
        var caller = CallerEnvironment(variables: variables, umask: .usual, currentFolder: "/")
        #expect(caller.proxies == ["HTTPS_PROXY": "http://a", "http_proxy": "http://b", "NO_PROXY": "c"])
        caller.setProxy("http://p")
        #expect(caller.proxies == ["all_proxy": "http://p", "NO_PROXY": "c"])
        caller.setExceptions("d")
        #expect(caller.proxies == ["all_proxy": "http://p", "no_proxy": "d"])
        caller.setProxy("")
        #expect(caller.proxies == ["no_proxy": "d"])
    }
}
