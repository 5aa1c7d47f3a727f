import FerryCore
import FerryRules
import Testing

@Suite struct `Conversations and redirects` {
    private typealias Bed = ConversationBed

    @Test(
        arguments: [
            (301, "GET", "GET"), (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (303, "PUT", "GET"),
            (303, "HEAD", "HEAD"), (301, "PUT", "PUT"), (307, "POST", "POST"), (308, "PUT", "PUT"),
        ])
    func `X1 the status decides over method and body`(status: Int, method: String, then: String) throws {
        for hasBody in [true, false] {
            var bed = try Bed {
                $0.method = method
                $0.hasBody = hasBody
                $0.fields = [HeaderField(name: "Content-Type", value: "a/b"), HeaderField(name: "X", value: "y")]
            }
            #expect(try bed.redirect(status, to: "/b").word == "send")
            let request = try bed.request()
            let keeps = hasBody && method == then && status != 303
            #expect(request.method == then)
            #expect(request.sendsBody == keeps)
            #expect(request.values("X") == ["y"])
            #expect(request.values("Content-Type").isEmpty == (method != then || (hasBody && status == 303)))
        }
    }

    @Test(
        arguments: [
            (200, "/b", "accept"), (300, "/b", "accept"), (304, "/b", "accept"), (302, nil, "accept"),
            (302, "", "accept"), (302, "ftp://h/", "fail redirect_refused"),
            (302, "http://127.0.0.1/", "fail redirect_refused"),
        ] as [(Int, String?, String)])
    func `X2 a head that leads nowhere is the answer, and one that leads astray a failure`(
        status: Int, location: String?, word: String
    ) throws {
        var bed = try Bed()
        let step = try location.map { try bed.redirect(status, to: $0) } ?? bed.answer(status)
        #expect(step.word == word)
        #expect(bed.conversation.redirects == 0 && bed.course.chain.count == 0)
    }

    @Test func `X2 two targets are none`() throws {
        var bed = try Bed()
        #expect(try bed.answer(302, ("Location", "/b"), ("Location", "/c")).word == "accept")
    }

    @Test func `X1 a circle ends by the same cookies, or by the number of redirects`() throws {
        for (followsCircles, count) in [(false, 3), (true, 21)] {
            var bed = try Bed { $0.followsCircles = followsCircles }
            var requests = 1
            while try bed.redirect(to: "/a").word == "send" { requests += 1 }
            #expect(requests == count)
        }
    }

    @Test(arguments: [
        (ForeignFields.drop, ["User-Agent", "Range"], ["User-Agent", "Range", "Authorization", "Cookie", "X"]),
        (.keep, ["User-Agent", "Range", "X"], ["User-Agent", "Range", "X"]),
    ])
    func `X5 the fields that another origin gets, and those of the way back`(
        foreign: ForeignFields, away: [String], back: [String]
    ) throws {
        let names = ["User-Agent", "Range", "Authorization", "Cookie", "X"]
        let own: ([HeaderField]) -> [String] = { $0.filter { $0.value == "v" }.map(\.name) }
        var bed = try Bed {
            $0.fields = names.map { HeaderField(name: $0, value: "v") }
            $0.foreignFields = foreign
        }
        #expect(try own(bed.request().fields) == names)
        #expect(try bed.redirect(to: "http://other.example/").word == "send")
        #expect(try own(bed.request().fields) == away)
        #expect(try bed.redirect(to: Bed.home).word == "send")
        #expect(try own(bed.request().fields) == back)
    }

    @Test(
        arguments: [
            (nil, "send"), ("7", "send after 7"), ("10", "send after 10"), ("11", "fail server_busy 11"),
            ("soon", "send"),
        ] as [(String?, String)])
    func `T5 the time that a redirect asks for`(value: String?, word: String) throws {
        var bed = try Bed()
        let step = try value.map { try bed.answer(302, ("Location", "/b"), ("Retry-After", $0)) }
        #expect(try (step ?? bed.redirect(to: "/b")).word == word)
    }

    /// A load is never rescheduled. At most it waits as long as a transfer would wait without releasing its slot.
    @Test func `T5 a server that stays away waits no longer than one that responds again`() throws {
        var bed = try Bed { $0.allowsLaterAttempt = false }
        #expect(try bed.answer(302, ("Location", "/b"), ("Retry-After", "3600")).word == "send after 10")
    }

    // MARK: The client's word

    @Test func `41 the client is asked for each redirect, and chooses the next request`() throws {
        let rows: [(RedirectAnswer, String, String)] = [
            (.follow, "send", "/b"), (.stay, "accept", "/a"), (.cancel, "fail canceled", "/a"),
            (.followOther(url: "http://home.example/c", method: "GET", fields: []), "send", "/c"),
            (.followOther(url: "nonsense", method: "GET", fields: []), "fail invalid_url", "/a"),
        ]
        for (answer, word, path) in rows {
            var bed = try Bed { $0.asksClient = true }
            let proposal = try #require(try bed.redirect(to: "/b").proposal)
            #expect(proposal.url == "http://home.example/b" && proposal.head.status == 302)
            #expect(bed.say(answer).word == word)
            #expect(bed.course.url.path == path)
        }
    }

    @Test(arguments: [
        (307, "POST", true), (307, "PUT", true), (307, "GET", false), (307, "HEAD", false), (302, "POST", false),
    ])
    func `41 the client's own request has the body that was proposed`(status: Int, method: String, keeps: Bool) throws {
        var bed = try Bed {
            $0.asksClient = true
            $0.method = "POST"
            $0.hasBody = true
        }
        let proposal = try #require(try bed.redirect(status, to: "/b").proposal)
        #expect(proposal.keepsBody == (status == 307))
        let field = HeaderField(name: "Authorization", value: "own")
        let url = "http://other.example/c"
        #expect(bed.say(.followOther(url: url, method: method, fields: [field])).word == "send")
        let request = try bed.request()
        #expect(request.sendsBody == keeps && request.method == method)
        // Fields set by the client for its request are meant for that request's origin.
        #expect(request.values("Authorization") == ["own"])
    }

    @Test func `an answer to no question is a failure`() throws {
        var bed = try Bed { $0.asksClient = true }
        #expect(bed.say(.follow).word == "fail internal")
        #expect(bed.say(ChallengeAnswer.performDefault).word == "fail internal")
    }
}
