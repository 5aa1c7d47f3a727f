import FerryCore
import Testing

@Suite struct `Authentication offers` {
    @Test func `25 several challenges in one field are told apart`() {
        let offers = AuthenticationOffer.all(in: [
            #"Basic realm="a, b", charset="UTF-8", Digest realm=c,nonce="n\"1", qop="auth,auth-int" , stale = TRUE"#
        ])
        #expect(offers.map(\.scheme) == ["basic", "digest"])
        #expect(offers[0].parameters == ["realm": "a, b", "charset": "UTF-8"])
        #expect(
            offers[1].parameters == ["realm": "c", "nonce": "n\"1", "qop": "auth,auth-int", "stale": "TRUE"])
    }

    @Test func `25 several fields are read in order`() {
        let offers = AuthenticationOffer.all(in: ["Negotiate", "NTLM TlRMTVNTUAAC==", #"basic REALM="x""#])
        #expect(offers.last?.scheme == "basic")
        #expect(offers.last?.realm == "x")
        #expect(offers.first?.scheme == "negotiate")
    }

    @Test(arguments: [
        "", ",,,", "\"", "=", "Basic realm=\"never closed", "Basic realm=", "Digest nonce=\"\\", "\u{FF}\u{0}",
        String(repeating: "a=,", count: 5000), String(repeating: "Basic ,", count: 5000),
    ])
    func `25 nonsense is passed over`(value: String) {
        #expect(AuthenticationOffer.all(in: [value]).count <= 16)
    }
}
