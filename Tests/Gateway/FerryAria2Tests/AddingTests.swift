import FerryCore
import FerryFoundation
import FerryTesting
import Testing

@testable import FerryAria2

@Suite(.timeLimit(.minutes(1))) struct `Adding a download` {
    @Test func `A15 stores a transfer of the session and answers its id`() async throws {
        let client = Client()
        let gid = await client.call("aria2.addUri", #"["https://example.com/a"]"#)
        let transfer = try #require(client.service.all.first)
        #expect(gid == "\"\(transfer.id)\"")
        #expect(transfer.session == .aria2)
        let request = try #require(client.service.requests.first)
        #expect(request.url == "https://example.com/a")
        #expect(request.file.folder == "/downloads")
        #expect(request.note == nil)
        #expect(request.file.onConflict == .unique)
        #expect(!request.timing.paused)
    }

    /// As in aria2, the download fails, and its status says why.
    @Test func `stores a download whose file exists as failed`() async throws {
        let service = FakeService { state in
            state.answers.refusal = { _ in ServiceError(.destinationExists, "/downloads/a exists.") }
        }
        service.put(.sample(id: 1, state: .failed))
        service.edit(TransferID(rawValue: 1)) { $0.error = ServiceError(.destinationExists, "/downloads/a exists.") }
        let client = Client(service)
        let gid = await client.call(
            "aria2.addUri", #"["http://h/a"],{"out":"a","allow-overwrite":"false","auto-file-renaming":"false"}"#)
        #expect(gid == #""0000000000000001""#)
        let status = await client.call("aria2.tellStatus", #"\#(gid),["status","errorCode"]"#)
        #expect(status == #"{"errorCode":"13","status":"error"}"#)
    }

    @Test(arguments: [
        ("", "The parameter at 0 is required but missing."), (#""x""#, "The parameter at 0 has wrong type."),
        ("null", "The parameter at 0 has wrong type."), ("[]", "URI is not provided."),
        ("[1,2]", "URI is not provided."),
        (#"["http://h/"],"x""#, "The parameter at 1 has wrong type."),
        (#"["http://h/"],{},"0""#, "The parameter at 2 has wrong type."),
        (#"["http://h/"],{},-1"#, "Position must be greater than or equal to 0."),
        (#"["http://h/"],{},-99999999999999999999"#, "Position must be greater than or equal to 0."),
        (#"["http://h/"],{"split":"abc"}"#, "We encountered a problem while processing the option '--split'."),
        (#"["http://h/"],{"split":0}"#, "We encountered a problem while processing the option '--split'."),
        (#"["http://h/"],{"pause":"maybe"}"#, "We encountered a problem while processing the option '--pause'."),
        (
            #"["http://h/"],{"checksum":"sha-1=aaaa"}"#,
            "We encountered a problem while processing the option '--checksum'."
        ),
        (#"["http://h/"],{"checksum":"x"}"#, "We encountered a problem while processing the option '--checksum'."),
        (#"["http://h/"],{"header":"nonsense"}"#, "We encountered a problem while processing the option '--header'."),
        (#"["http://h/"],{"timeout":"nan"}"#, "We encountered a problem while processing the option '--timeout'."),
        (#"["http://h/"],{"max-tries":"-1"}"#, "We encountered a problem while processing the option '--max-tries'."),
        (
            #"["http://h/"],{"max-download-limit":"1G"}"#,
            "We encountered a problem while processing the option '--max-download-limit'."
        ),
        (
            #"["http://h/"],{"all-proxy":"ftp://p"}"#,
            "We encountered a problem while processing the option '--all-proxy'."
        ),
        (
            #"["http://h/"],{"min-tls-version":"SSLv3"}"#,
            "We encountered a problem while processing the option '--min-tls-version'."
        ),
        (#"["http://h/"],{"dry-run":"true"}"#, "Ferry has no --dry-run; leave the option out."),
        (#"["http://h/"],{"gid":"xyz"}"#, "Invalid GID xyz"), (#"["http://h/"],{"gid":"ab"}"#, "Invalid GID ab"),
        (#"["http://h/"],{"gid":"0000000000000000"}"#, "Invalid GID 0000000000000000"),
    ])
    func `refuses what makes no sense`(parameters: String, message: String) async {
        let client = Client()
        #expect(await client.call("aria2.addUri", parameters) == Client.error(message))
        #expect(client.service.requests.isEmpty)
    }

    @Test func `says why no URL can be fetched`() async {
        #expect(await Client().call("aria2.addUri", #"["ftp://h/x"]"#).contains(#""code":1"#))
        #expect(await Client().call("aria2.addUri", #"["foo","magnet:?xt=1"]"#).contains(#""code":1"#))
    }

    @Test func `passes over URLs that are no mirrors`() async throws {
        let client = Client()
        _ = await client.call(
            "aria2.addUri",
            #"["ftp://h/x","http://u:p@h/a","http://h/a","http://x:y@m/a",7,"http://n/a","http://n/a#f"]"#)
        let request = try #require(client.service.requests.first)
        #expect(request.url == "http://u:p@h/a")
        #expect(request.mirrors == ["http://m/a", "http://n/a"])
        let note = try #require(client.service.all.first?.note)
        #expect(!note.data.contains("u:p"))
    }

    @Test func `passes on the error of the service`() async {
        let client = Client(FakeService { $0.answers.refusal = { _ in ServiceError(.diskFull, "No room.") } })
        #expect(await client.call("aria2.addUri", #"["http://h/"]"#) == Client.error("No room."))
    }

    @Test(arguments: ["aria2.addTorrent", "aria2.addMetalink"])
    func `says what Ferry cannot add`(method: String) async {
        #expect(await Client().call(method, #""AAAA""#).hasPrefix(#"{"code":1,"message":"Ferry "#))
    }

    @Test func `A11 takes a gid that is free, and no other`() async throws {
        let client = Client()
        let add = #"["http://h/"],{"gid":"00000000000000AB"}"#
        #expect(await client.call("aria2.addUri", add) == #""00000000000000ab""#)
        #expect(await client.call("aria2.addUri", add) == Client.error("GID 00000000000000ab is not unique"))
        let id = try #require(client.service.all.first?.id)
        #expect(
            await client.call("aria2.addUri", #"["http://h/"],{"gid":"\#(id)"}"#)
                == Client.error("GID \(id) is not unique"))
        #expect(client.service.all.count == 1)
        // After a restart of the interface, a new client finds it by the note stored with the transfer.
        let later = Client(client.service)
        for gid in ["00000000000000ab", "0000", "00000000000000AB"] {
            #expect(await later.call("aria2.tellStatus", #""\#(gid)",["gid"]"#) == #"{"gid":"00000000000000ab"}"#)
        }
        #expect(await later.call("aria2.addUri", add) == Client.error("GID 00000000000000ab is not unique"))
    }

    @Test func `puts a download at its place in the line`() async {
        let client = Client()
        let first = await client.call("aria2.addUri", #"["http://h/1"]"#)
        let second = await client.call("aria2.addUri", #"["http://h/2"]"#)
        let third = await client.call("aria2.addUri", #"["http://h/3"],{},0"#)
        let last = await client.call("aria2.addUri", #"["http://h/4"],{},99999999999999999999"#)
        let list = [third, first, second, last].map { #"{"gid":\#($0)}"# }.joined(separator: ",")
        #expect(await client.call("aria2.tellWaiting", #"0,10,["gid"]"#) == "[\(list)]")
        #expect(client.service.orders[.aria2]?.map { "\"\($0)\"" } == [third, first, second, last])
    }

    @Test func `is added once where it cannot be moved`() async {
        let client = Client(FakeService { $0.answers.moveRefusal = ServiceError(.diskFull, "No room.") })
        let gid = await client.call("aria2.addUri", #"["http://h/1"],{},0"#)
        #expect(client.service.all.map { "\"\($0.id)\"" } == [gid])
        #expect(client.lines.all.count == 1)
    }
}

@Suite(.timeLimit(.minutes(1))) struct `Options of a download` {
    private static func request(_ options: String) async throws -> TransferRequest {
        let client = Client()
        _ = await client.call("aria2.addUri", #"["http://h/a"],{\#(options)}"#)
        return try #require(client.service.requests.first)
    }

    @Test func `name the file and its folder`() async throws {
        let request = try await Self.request(#""dir":"/x","out":"b","pause":true"#)
        #expect(request.file.folder == "/x")
        #expect(request.file.name == "b")
        #expect(request.timing.paused)
        #expect(try await Self.request(#""dir":"sub""#).file.folder == "/downloads/sub")
    }

    @Test func `become fields`() async throws {
        let request = try await Self.request(
            #""header":["A: b","C:d:e"],"user-agent":"U","referer":"*","http-user":"me","http-passwd":"p""#)
        #expect(
            request.headers == [
                HeaderField(name: "A", value: "b"), HeaderField(name: "C", value: "d:e"),
                HeaderField(name: "User-Agent", value: "U"), HeaderField(name: "Referer", value: "http://h/a"),
                HeaderField(name: "Authorization", value: "Basic bWU6cA=="),
            ])
        let lines = try await Self.request(#""header":"A: b\nuser-agent: own\r\n","user-agent":"U""#)
        #expect(
            lines.headers == [HeaderField(name: "A", value: "b"), HeaderField(name: "user-agent", value: "own")])
    }

    @Test(
        arguments: [
            (#""split":4"#, 4), (#""split":"16","max-connection-per-server":"2""#, 2), (#""split":500"#, 64),
            (#""split":64,"max-connection-per-server":64"#, 64),
            (#""max-connection-per-server":3"#, 3), (#""out":"x""#, nil),
        ] as [(String, Int?)])
    func `limit connections`(options: String, connections: Int?) async throws {
        #expect(try await Self.request(options).transport.connections == connections)
    }

    @Test(arguments: [
        (#""max-download-limit":"10K""#, 10_240), (#""max-download-limit":"1M""#, 1 << 20),
        (#""max-download-limit":0"#, 0), (#""max-download-limit":"5""#, 1024),
        (#""max-download-limit":"9223372036854775807M""#, Int64.max),
    ])
    func `limit the speed`(options: String, limit: Int64) async throws {
        #expect(try await Self.request(options).transport.rateLimit == limit)
    }

    @Test(
        arguments: [
            (#""allow-overwrite":"true""#, .replace), (#""auto-file-renaming":false"#, .fail),
            (#""allow-overwrite":true,"conditional-get":true"#, .update), (#""conditional-get":"true""#, .unique),
            (#""allow-overwrite":"false""#, .unique),
        ] as [(String, ConflictPolicy)])
    func `say what becomes of a name that is taken`(options: String, policy: ConflictPolicy) async throws {
        #expect(try await Self.request(options).file.onConflict == policy)
    }

    @Test func `say how often and how patiently it is tried`() async throws {
        let request = try await Self.request(
            #""max-tries":"5","retry-wait":3,"timeout":20,"connect-timeout":7,"lowest-speed-limit":"1K","remote-time":"""#
        )
        #expect(request.timing.retries == 4)
        #expect(request.timing.retryRule?.initialDelay == 3)
        #expect(request.timing.retryRule?.maximumDelay == 3)
        #expect(request.timing.idleTimeout == 20)
        #expect(request.timing.connectTimeout == 7)
        #expect(request.timing.giveUpAfter > 0)
        #expect(request.timing.minSpeed == 1024)
        #expect(request.file.remoteTime)
        let endless = try await Self.request(#""max-tries":0"#)
        #expect(endless.timing.retries == SettingRange<Int>.retries.allowed.upperBound)
        #expect(endless.timing.giveUpAfter == 0)
    }

    @Test func `say whom it trusts`() async throws {
        let request = try await Self.request(
            #""check-certificate":"false","ca-certificate":"/ca","certificate":"/c","private-key":"/k","#
                + #""min-tls-version":"TLSv1.3","checksum":"sha-1=\#(String(repeating: "0a", count: 20))""#)
        #expect(request.tls.insecure)
        #expect(request.tls.trust == RequestTrust(authorities: "/ca", certificate: "/c", key: "/k"))
        #expect(request.tls.minimumVersion == .v1_3)
        #expect(request.response.checksums.map(\.description) == ["sha1:" + String(repeating: "0a", count: 20)])
    }

    @Test func `say through which proxy it goes`() async throws {
        let request = try await Self.request(
            #""all-proxy":"http://old:x@p:8080/","all-proxy-user":"m@e","all-proxy-passwd":"a:b","no-proxy":"h""#)
        #expect(request.transport.proxyEnvironment == ["all_proxy": "http://m%40e:a%3Ab@p:8080/", "no_proxy": "h"])
        #expect(
            try await Self.request(#""https-proxy":"p:1","http-proxy":"""#).transport.proxyEnvironment == [
                "https_proxy": "p:1"
            ])
        #expect(try await Self.request(#""out":"x""#).transport.proxyEnvironment == nil)
    }

    @Test func `A15 name another session`() async throws {
        let client = Client()
        let gid = await client.call("aria2.addUri", #"["http://h/a"],{"ferry-session":"mine","split":2}"#)
        #expect(client.service.all.first?.session == (try SessionID("mine")))
        #expect(await client.call("aria2.tellWaiting", "0,10") == "[]")
        #expect(await client.call("aria2.tellStatus", #"\#(gid),["gid"]"#) == #"{"gid":\#(gid)}"#)
        #expect(
            await client.call("aria2.addUri", #"["http://h/a"],{"ferry-session":"a\u0007"}"#).contains(#""code":1"#))
    }

    @Test func `A8 are kept if aria2 has them, and named in the log if not`() async {
        let client = Client()
        let gid = await client.call(
            "aria2.addUri",
            #"["http://h/a"],{"seed-time":5,"bt-tracker":"t","nonsense\u001b":"x","split":[1],"referer":{},"max-tries":null}"#
        )
        #expect(
            await client.options("aria2.getOption", gid, named: "bt-tracker", "seed-time", "nonsense\u{1b}", "referer")
                == ["bt-tracker": "t", "seed-time": "5"])
        #expect(client.lines.all == [#"Options that cannot be given here are ignored: nonsense\u{1b}."#])
    }

    @Test func `keep no secret in the note of a transfer`() async throws {
        let client = Client()
        let gid = await client.call(
            "aria2.addUri",
            #"["http://h/a"],{"header":["Cookie: secret1","X-A: b"],"http-user":"me","http-passwd":"secret2","#
                + #""all-proxy":"http://u:secret3@p:1","all-proxy-passwd":"secret4","split":2}"#)
        let note = try #require(client.service.all.first?.note)
        #expect(!note.data.contains("secret"))
        #expect(note.data.contains("X-A: b"))
        let options = await client.call("aria2.getOption", gid)
        #expect(options.contains(#""header":"Cookie: secret1\nX-A: b""#))
        #expect(!options.contains("passwd"))
        // The interface was restarted: the secrets are lost, and no request is sent without them.
        let later = Client(client.service)
        #expect(await later.call("aria2.getOption", gid).contains(#""header":"X-A: b""#))
        #expect(
            await later.call("aria2.changeOption", #"\#(gid),{"user-agent":"U"}"#)
                == Client.error("Secrets are not kept with a download; give --header and --http-passwd too."))
        #expect(await client.call("aria2.changeOption", #"\#(gid),{"user-agent":"U"}"#) == #""OK""#)
        #expect(client.service.changes.last?.headers?.map(\.name) == ["Cookie", "X-A", "User-Agent", "Authorization"])
    }

    @Test func `have an end`() async {
        let long = String(repeating: "x", count: 70_000)
        #expect(
            await Client().call("aria2.addUri", #"["http://h/a"],{"bt-tracker":"\#(long)"}"#)
                == Client.error("The options of a download have at most 64 KiB."))
    }
}
