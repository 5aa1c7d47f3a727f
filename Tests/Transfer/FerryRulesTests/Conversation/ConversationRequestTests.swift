import FerryCore
import FerryRules
import Foundation
import Testing

private func field(_ name: String, _ value: String) -> HeaderField { HeaderField(name: name, value: value) }

@Suite struct `Requests of conversations` {
    private typealias Bed = ConversationBed

    @Test func `Q3 a request has the fields that HTTP needs, and those of its purpose`() throws {
        var bed = try Bed("http://home.example:8080/a", planned: [field("Range", "bytes=5-")])
        let request = try bed.request()
        #expect(
            request.fields == [
                field("Host", "home.example:8080"), field("User-Agent", "Ferry/\(FerryVersion.current)"),
                field("Accept", "*/*"), field("Accept-Encoding", "identity"), field("Range", "bytes=5-"),
            ])
        #expect(request.proxy == nil && !request.isFresh && !request.sendsBody)
    }

    @Test func `Q3 fields of the caller's take the place of Ferry's, and those of the purpose that of the caller's`()
        throws
    {
        var bed = try Bed(planned: [field("Range", "bytes=5-")]) {
            $0.fields = [
                field("range", "bytes=0-9"), field("user-agent", "me"), field("Accept", "x/y"), field("X", "1"),
                field("accept-encoding", "br"), field("X", "2"),
            ]
        }
        let request = try bed.request()
        #expect(request.values("Range") == ["bytes=5-"])
        #expect(request.values("User-Agent") == ["me"])
        #expect(request.values("Accept") == ["x/y"])
        #expect(request.values("Accept-Encoding") == ["br"])
        #expect(request.values("X") == ["1", "2"])
    }

    @Test(arguments: [
        field("Host", "evil"), field("content-length", "5"), field("Transfer-Encoding", "chunked"), field("TE", "x"),
        field("Expect", "100-continue"), field("", "x"), field("a b", "x"),
        field("A:", "x"), field("A", "x\r\nB: y"), field("A", "\u{0}"),
    ])
    func `Q4 CVE_2014_8150 fields that frame the message, and invalid fields, are not sent`(given: HeaderField) throws {
        var bed = try Bed { $0.fields = [given] }
        let request = try bed.request()
        #expect(request.fields.count == 4)
        #expect(request.values("Host") == ["home.example"])
    }

    // MARK: Cookies

    @Test(
        arguments: [
            // The caller's field, the given cookies, whether there is a client, its stored cookies, and the cookies
            // sent.
            (nil, false, false, nil, ["met=1"]), ("own=1", false, false, nil, ["own=1; met=1"]),
            (nil, true, false, nil, ["met=1; given=1"]), ("own=1", true, false, nil, ["own=1"]),
            (nil, false, true, "kept=1", ["kept=1"]), (nil, true, true, "kept=1", ["kept=1; given=1"]),
            ("own=1", true, true, "kept=1", ["own=1"]), (nil, false, true, nil, []), (nil, false, true, "", []),
        ] as [(String?, Bool, Bool, String?, [String])])
    func `X9 23 which cookies go along`(
        own: String?, isGiven: Bool, asksClient: Bool, kept: String?, sent: [String]
    ) throws {
        var bed = try Bed {
            $0.fields = own.map { [field("Cookie", $0)] } ?? []
            $0.asksClient = asksClient
            $0.ownCookieWins = asksClient || isGiven
            if isGiven {
                $0.login.cookies = [
                    GivenCookie(name: "given", value: "1", domain: "home.example", path: "/", secure: false)
                ]
            }
        }
        bed.memory.cookies.store(setCookie: "met=1", from: bed.course.url, now: Date(timeIntervalSince1970: 0))
        #expect(bed.conversation.wantsCookies == (asksClient && own == nil))
        #expect(try bed.request(cookies: kept).values("Cookie") == sent)
    }

    @Test func `X9 a cookie that a server sets goes back to it, and a client keeps its own`() throws {
        for (asksClient, sent) in [(false, ["k=v"]), (true, [])] {
            var bed = try Bed { $0.asksClient = asksClient }
            _ = try bed.answer(503, ("Set-Cookie", "k=v"))
            #expect(try bed.request().values("Cookie") == sent)
        }
    }

    // MARK: Again

    @Test(
        arguments: [
            ("GET", true, true), ("HEAD", true, true), ("PUT", true, true), ("DELETE", true, true),
            ("POST", true, false),
            ("PATCH", true, false), ("get", true, false), ("POST", false, true),
        ])
    func `Q5 the requests that may be sent again`(method: String, wasSent: Bool, mayRepeat: Bool) throws {
        #expect(RepetitionRule.mayRepeat(method, wasSent: wasSent) == mayRepeat)
        for failure in [RequestFailure.staleConnection, .notOverHTTP2] {
            var bed = try Bed { $0.method = method }
            #expect(try bed.fail(failure, wasSent: wasSent).word == (mayRepeat ? "send" : "fail connection_lost"))
        }
        var bed = try Bed { $0.method = method }
        #expect(try bed.fail(.other, wasSent: wasSent).word == "fail connection_lost")
        #expect(try bed.fail(.unusedConnection, wasSent: false).word == "send")
    }

    /// After the machine sleeps, every kept connection may be closed.
    @Test func `T4 the second connection in place of one that was gone is a new one`() throws {
        var bed = try Bed()
        var fresh: [Bool] = []
        for _ in 1...2 {
            #expect(try bed.fail(.staleConnection).word == "send")
            fresh.append(try bed.request().isFresh)
        }
        #expect(fresh == [false, true])
        #expect(try bed.fail(.staleConnection).word == "fail connection_lost")
    }

    @Test func `T4 an answer in between starts the count again`() throws {
        var bed = try Bed()
        for path in ["/b", "/c", "/d"] {
            for _ in 1...2 { #expect(try bed.fail(.staleConnection).word == "send") }
            #expect(try bed.redirect(to: path).word == "send")
            #expect(try bed.request().isFresh == false)
        }
        var own = try Bed(isFresh: true)
        _ = try own.redirect(to: "/b")
        #expect(try own.request().isFresh)
    }
}
