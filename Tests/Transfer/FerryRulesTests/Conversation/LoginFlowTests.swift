import FerryCore
import FerryRules
import Foundation
import Testing

@Suite struct `Logins on the way to a file` {
    private static let data = "https://data.earth.example/a/file.hdf"
    private static let login = "https://login.earth.example/authorize?x"
    private static let suffixes = PublicSuffixes { PublicSuffixList("example\n") }
    private static let basic = ("WWW-Authenticate", "Basic realm=\"Earth\"")

    private func bed(
        _ logins: [GivenLogin], url: String = data, credentials: Credentials? = nil, isPreemptive: Bool = false
    ) throws -> ConversationBed {
        let home = try HTTPURL(parsing: url).origin
        return try ConversationBed(url) { terms in
            terms.home = home
            terms.login.logins = logins
            terms.login.isPreemptive = isPreemptive
            terms.credentials = credentials
            terms.suffixes = Self.suffixes
        }
    }

    /// The flow of NASA Earthdata: data host, login host, a cookie for the common domain, and back.
    @Test func `X6 a login host gets its login, and the data host the cookie of the common domain`() throws {
        var bed = try bed([GivenLogin(host: "login.earth.example", user: "me", password: "pw")])
        #expect(try bed.redirect(to: Self.login).word == "send")
        let first = try bed.request()
        #expect(first.url.host == "login.earth.example" && first.values("Authorization").isEmpty)
        #expect(bed.receive(401, [Self.basic]).word == "send")
        let second = try bed.request()
        #expect(second.values("Authorization") == ["Basic bWU6cHc="])
        let back = bed.receive(
            302, [("Set-Cookie", "token=1; Domain=.earth.example; Path=/; Secure"), ("Location", Self.data)])
        #expect(back.word == "send")
        let third = try bed.request()
        #expect(third.url.string == Self.data && third.values("Cookie") == ["token=1"])
        #expect(third.values("Authorization").isEmpty, "The password is the login host's.")
        #expect(bed.receive(200, []).word == "accept")
    }

    @Test(arguments: [
        (GivenLogin(host: "other.example", user: "me", password: "pw"), false),
        (GivenLogin(host: "earth.example", user: "me", password: "pw"), false),
        (GivenLogin(host: "login.earth.example", port: 8443, user: "me", password: "pw"), false),
        (GivenLogin(host: "login.earth.example", port: 443, user: "me", password: "pw"), true),
        (GivenLogin(host: nil, user: "me", password: "pw"), true),
    ])
    func `X6 a login goes to its own host and port`(login: GivenLogin, isSent: Bool) throws {
        var bed = try bed([login])
        _ = try bed.redirect(to: Self.login)
        #expect(try bed.answer(401, Self.basic).word == (isSent ? "send" : "accept"))
        #expect(try bed.request().values("Authorization").isEmpty != isSent)
    }

    @Test(arguments: [
        (GivenLogin(host: nil, user: "me", password: "pw"), false),
        (GivenLogin(host: "mirror.example", user: "me", password: "pw"), true),
    ])
    func `X6 a mirror gets only a login that names it`(login: GivenLogin, isSent: Bool) throws {
        var bed = try ConversationBed("http://mirror.example/a") { $0.login.logins = [login] }
        #expect(try bed.answer(401, Self.basic).word == (isSent ? "send" : "accept"))
    }

    @Test func `X6 the URL's own password comes before the netrc file's, and its user chooses among several`() throws {
        let logins = [
            GivenLogin(host: "data.earth.example", user: "a", password: "1"),
            GivenLogin(host: "data.earth.example", user: "b", password: "2"),
        ]
        for (given, expected) in [
            (Credentials(user: "u", password: "p"), "u:p"), (Credentials(user: "b", password: nil), "b:2"),
        ] {
            var bed = try bed(logins, credentials: given)
            _ = try bed.answer(401, Self.basic)
            let sent = Data(expected.utf8).base64EncodedString()
            #expect(try bed.request().values("Authorization") == ["Basic " + sent])
        }
    }

    @Test func `X7 a password is sent without a challenge only over TLS, and only if that is wanted`() throws {
        let login = [GivenLogin(host: "data.earth.example", user: "me", password: "pw")]
        var secure = try bed(login, isPreemptive: true)
        #expect(try secure.request().values("Authorization") == ["Basic bWU6cHc="])
        var plain = try bed(login, url: "http://data.earth.example/", isPreemptive: true)
        #expect(try plain.request().values("Authorization").isEmpty)
        var usual = try bed(login)
        #expect(try usual.request().values("Authorization").isEmpty)
    }

    @Test func `X7 a password that was sent early does not replace the caller's own field`() throws {
        let origin = try HTTPURL(parsing: Self.data).origin
        var bed = try ConversationBed(Self.data) { terms in
            terms.home = origin
            terms.fields = [HeaderField(name: "Authorization", value: "Bearer t")]
            terms.login.logins = [GivenLogin(host: "data.earth.example", user: "me", password: "pw")]
            terms.login.isPreemptive = true
        }
        #expect(try bed.request().values("Authorization") == ["Bearer t"])
    }

    @Test func `X7 a login for all hosts waits for a challenge`() throws {
        var bed = try bed([GivenLogin(host: nil, user: "me", password: "pw")], isPreemptive: true)
        #expect(try bed.request().values("Authorization").isEmpty)
        #expect(bed.receive(401, [Self.basic]).word == "send")
        #expect(try bed.request().values("Authorization") == ["Basic bWU6cHc="])
    }

    @Test(arguments: [[("WWW-Authenticate", "Bearer realm=\"x\"")], []])
    func `X7 a password that was sent early was refused, whatever the server accepts`(
        fields: [(String, String)]
    ) throws {
        var bed = try bed([GivenLogin(host: "data.earth.example", user: "me", password: "pw")], isPreemptive: true)
        try bed.request()
        #expect(bed.receive(401, fields).word == "accept")
        #expect(bed.conversation.loginRefusal(bed.memory) == .refused)
    }

    @Test func `X7 a server that wants a digest gets one after a password that was sent early`() throws {
        var bed = try bed([GivenLogin(host: "data.earth.example", user: "me", password: "pw")], isPreemptive: true)
        let digest = ("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=MD5")
        #expect(try bed.answer(401, digest).word == "send")
        #expect(try bed.request().values("Authorization").first?.hasPrefix("Digest ") == true)
    }

    @Test func `X7 a password that was sent early and refused is not sent again`() throws {
        var bed = try bed([GivenLogin(host: "data.earth.example", user: "me", password: "pw")], isPreemptive: true)
        #expect(try bed.answer(401, Self.basic).word == "accept")
        #expect(bed.conversation.loginRefusal(bed.memory) == .refused)
    }

    @Test func `a password that was not sent is not called wrong`() throws {
        let given = Credentials(user: "u", password: "p")
        var none = try bed([])
        _ = try none.answer(401, Self.basic)
        #expect(none.conversation.loginRefusal(none.memory) == .notGiven)
        var bearer = try bed([], credentials: given)
        _ = try bearer.answer(401, ("WWW-Authenticate", "Bearer realm=\"x\""))
        #expect(bearer.conversation.loginRefusal(bearer.memory) == .unsupported(["bearer"]))
        var nothing = try bed([], credentials: given)
        _ = try nothing.answer(401)
        #expect(nothing.conversation.loginRefusal(nothing.memory) == .unsupported([]))
        var other = try bed([], credentials: given)
        _ = try other.redirect(to: Self.login)
        _ = try other.answer(401, Self.basic)
        #expect(other.conversation.loginRefusal(other.memory) == .givenForOtherHost("data.earth.example"))
        var wrong = try bed([], credentials: given)
        _ = try wrong.answer(401, Self.basic)
        _ = try wrong.answer(401, Self.basic)
        #expect(wrong.conversation.loginRefusal(wrong.memory) == .refused)
    }
}
