import FerryCore
import FerryRules
import Testing

@Suite struct `Conversations and challenges` {
    private typealias Bed = ConversationBed
    private let right = Credentials(user: "u", password: "p")
    private let basic = ("WWW-Authenticate", "Basic")

    @Test func `X7 X8 credentials answer a server that asks, once`() throws {
        var bed = try Bed { $0.credentials = right }
        #expect(try bed.request().values("Authorization") == [])
        #expect(try bed.answer(401, basic).word == "send")
        #expect(try bed.request().values("Authorization") == [right.basicAuthorization])
        #expect(try bed.answer(401, basic).word == "accept")
    }

    @Test func `X7 a field of the caller's own is the only answer, where no client is asked`() throws {
        for (asksClient, word) in [(false, "accept"), (true, "ask server 0")] {
            var bed = try Bed {
                $0.credentials = right
                $0.fields = [HeaderField(name: "authorization", value: "Bearer t")]
                $0.asksClient = asksClient
            }
            #expect(try bed.answer(401, basic).word == word)
        }
    }

    @Test func `X6 credentials stay with their origin, and are its own again on the way back`() throws {
        var bed = try Bed { $0.credentials = right }
        #expect(try bed.redirect(to: "http://u:p@other.example/").word == "send")
        #expect(try bed.answer(401, basic).word == "accept")
        bed = try Bed { $0.credentials = right }
        _ = try bed.redirect(to: "http://other.example/")
        _ = try bed.redirect(to: Bed.home)
        #expect(try bed.answer(401, basic).word == "send")
        #expect(try bed.request().values("Authorization") == [right.basicAuthorization])
        _ = try bed.redirect(to: "http://other.example/x")
        #expect(try bed.request().values("Authorization") == [])
    }

    @Test func `X6 a mirror gets what its own URL has, and nothing of the caller's`() throws {
        for (url, answers) in [("http://m:x@mirror.example/f", true), ("http://mirror.example/f", false)] {
            var bed = try Bed(url) {
                $0.credentials = right
                $0.fields = [HeaderField(name: "X", value: "y")]
            }
            #expect(try bed.request().values("X") == [])
            #expect(try bed.request().url.credentials == nil)
            #expect(try bed.answer(401, basic).word == (answers ? "send" : "accept"))
        }
    }

    /// Origins are reached through a tunnel, so a 407 from inside it is not the proxy's.
    @Test func `Q12 an origin that poses as a proxy gets no credentials`() throws {
        for asksClient in [true, false] {
            var bed = try Bed {
                $0.credentials = right
                $0.asksClient = asksClient
            }
            #expect(try bed.answer(407, ("Proxy-Authenticate", "Basic"), basic).word == "accept")
        }
    }

    @Test func `the answer of another worker is used`() throws {
        var one = try Bed { $0.credentials = right }
        var other = try Bed { $0.credentials = right }
        try one.request()
        #expect(try other.answer(401, basic).word == "send")
        one.memory = other.memory
        #expect(one.receive(401, [basic]).word == "send")
        #expect(try one.request().values("Authorization") == [right.basicAuthorization])
        #expect(one.receive(401, [basic]).word == "accept")
    }

    @Test func `a challenge that another worker could not answer is no answer`() throws {
        var one = try Bed()
        var other = try Bed()
        try one.request()
        #expect(try other.answer(401, basic).word == "accept")
        one.memory = other.memory
        #expect(one.receive(401, [basic]).word == "accept")
    }

    // MARK: The client's word

    @Test func `25 refusals are counted until the client gives up`() throws {
        var bed = try Bed { $0.asksClient = true }
        for failures in 0..<3 {
            #expect(try bed.answer(401, basic).word == "ask server \(failures)")
            #expect(bed.say(.credentials(Credentials(user: "x", password: "\(failures)"))).word == "send")
        }
        #expect(try bed.answer(401, basic).word == "ask server 3")
        #expect(bed.say(ChallengeAnswer.performDefault).word == "accept")
    }

    @Test func `25 the client's answers to a server`() throws {
        let rows: [(ChallengeAnswer, String)] = [
            (.performDefault, "accept"), (.cancel, "fail canceled"), (.rejectProtectionSpace, "accept"),
            (.wait, "wait auth_required"), (.credentials(right), "send"),
        ]
        for (answer, word) in rows {
            var bed = try Bed { $0.asksClient = true }
            #expect(try bed.answer(401, basic).word == "ask server 0")
            #expect(bed.say(answer).word == word)
        }
    }

    @Test func `25 the client's answers to a proxy`() throws {
        let rows: [(ChallengeAnswer, String)] = [
            (.performDefault, "fail connection_lost"), (.cancel, "fail canceled"),
            (.rejectProtectionSpace, "fail connection_lost"), (.wait, "wait connection_lost"),
            (.credentials(right), "send"),
        ]
        for (answer, word) in rows {
            var bed = try Bed {
                $0.asksClient = true
                $0.environment = ["http_proxy": "http://proxy.example"]
            }
            #expect(try bed.fail(.proxyRefused).word == "ask proxy 0")
            #expect(bed.say(answer).word == word)
        }
        var alone = try Bed { $0.environment = ["http_proxy": "http://proxy.example"] }
        #expect(try alone.fail(.proxyRefused).word == "fail connection_lost")
    }

    @Test func `Q12 credentials are those of one proxy, and stay its own over redirects`() throws {
        var bed = try Bed {
            $0.asksClient = true
            $0.environment = ["http_proxy": "http://one.example", "https_proxy": "http://two.example"]
            $0.redirects.allowDowngrade = true
        }
        #expect(try bed.fail(.proxyRefused).word == "ask proxy 0")
        #expect(bed.say(.credentials(right)).word == "send")
        #expect(try bed.request().proxy?.credentials == right)
        #expect(try bed.fail(.proxyRefused).word == "ask proxy 1")
        #expect(bed.say(.credentials(right)).word == "send")
        #expect(try bed.redirect(to: "https://home.example/").word == "ask redirect")
        #expect(bed.say(RedirectAnswer.follow).word == "send")
        #expect(try bed.request().proxy?.host == "two.example")
        #expect(try bed.request().proxy?.credentials == nil)
        #expect(try bed.fail(.proxyRefused).word == "ask proxy 0")
        #expect(bed.say(.credentials(right)).word == "send")
        #expect(try bed.redirect(to: "http://home.example/b").word == "ask redirect")
        #expect(bed.say(RedirectAnswer.follow).word == "send")
        #expect(try bed.request().proxy?.credentials == right)
    }
}
