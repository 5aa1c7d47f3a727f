import FerryCore
import FerryEngine
import FerryRules
import Testing

@Suite struct `Digest authentication` {
    private func authorization(
        _ challenge: String, password: String, clientNonce: String, user: String = "Mufasa"
    ) throws -> String {
        let offer = try #require(AuthenticationOffer.all(in: [challenge]).first)
        let digest = try #require(DigestAuthentication(offer))
        let proof = DigestAuthentication.Proof(
            method: "GET", target: "/dir/index.html", count: 1, clientNonce: clientNonce)
        return digest.authorization(
            Credentials(user: user, password: password), proof, digester: DigestHashing.digest)
    }

    /// RFC 7616 §3.9.1.
    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ])
    func `25 the examples of RFC 7616 come out`(algorithm: String, response: String) throws {
        let field = try authorization(
            """
            Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm), \
            nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", \
            opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """,
            password: "Circle of Life", clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
        #expect(
            field == """
                Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", \
                algorithm=\(algorithm), nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", nc=00000001, \
                cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", qop=auth, response="\(response)", \
                opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
                """)
    }

    /// RFC 7616 §3.4.2: the session's secret contains the nonces. The values follow from the example of §3.9.1.
    @Test(arguments: [
        ("MD5-sess", "e783283f46242139c486a698fec7211d"),
        ("SHA-256-sess", "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"),
    ])
    func `25 the secret of a session contains both nonces`(algorithm: String, response: String) throws {
        let field = try authorization(
            """
            Digest realm="http-auth@example.org", qop="auth", algorithm=\(algorithm), \
            nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
            """,
            password: "Circle of Life", clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
        #expect(field.contains("response=\"\(response)\"") && field.contains("algorithm=\(algorithm)"))
    }

    /// RFC 9110 §5.6.4: a quoted string may contain the commas that separate challenges.
    @Test func `25 a comma in quotes separates nothing`() throws {
        let offers = AuthenticationOffer.all(in: [#"Digest realm="a, Basic realm=\"b\"", nonce="n,1", Basic realm="c""#]
        )
        #expect(offers.map(\.scheme) == ["digest", "basic"])
        #expect(offers.map(\.realm) == [#"a, Basic realm="b""#, "c"])
        #expect(offers.first?.parameters["nonce"] == "n,1")
    }

    /// RFC 2617 §3.5.
    @Test func `25 a challenge without algorithm means MD5`() throws {
        let field = try authorization(
            """
            Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", \
            opaque="5ccc069c403ebaf9f0171e9517f40e41"
            """,
            password: "Circle Of Life", clientNonce: "0a4f113b")
        #expect(field.contains(#"response="6629fae49393a05397450978507c4ef1""#))
        #expect(!field.contains("algorithm"))
    }

    /// RFC 2069 §2.4, with the digest of its errata.
    @Test func `25 a challenge without qop is answered in the older form`() throws {
        let field = try authorization(
            #"Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="o""#,
            password: "CircleOfLife", clientNonce: "unused")
        #expect(field.contains(#"response="1949323746fe6a43ef61f9606e7febea""#))
        #expect(!field.contains("nc="))
    }

    @Test func `25 a name beyond ASCII goes in the extended notation`() throws {
        let field = try authorization(
            #"Digest realm="r", nonce="n", qop="auth", charset=UTF-8"#, password: "p", clientNonce: "c",
            user: "Jäsøn Doe")
        #expect(field.contains("username*=UTF-8''J%C3%A4s%C3%B8n%20Doe"))
    }
}
