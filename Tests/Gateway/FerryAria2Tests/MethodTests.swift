import FerryCore
import FerryFoundation
import FerryTesting
import Synchronization
import Testing

@testable import FerryAria2

private let running = #""0000000000000011""#
private let waiting = #""0000000000000012""#
private let paused = #""0000000000000013""#
private let complete = #""0000000000000014""#

@Suite(.timeLimit(.minutes(1))) struct `Controlling downloads` {
    private static func client() -> Client {
        let client = Client()
        client.service.put(
            .sample(id: 0x11), .sample(id: 0x12, state: .waiting), .sample(id: 0x13, state: .suspended),
            .sample(id: 0x14, state: .succeeded))
        return client
    }

    private static func states(_ client: Client) -> [TransferState] { client.service.all.map(\.state) }

    @Test(arguments: [
        ("aria2.pause", running, "paused"), ("aria2.forcePause", waiting, "paused"),
        ("aria2.unpause", paused, "waiting"),
        ("aria2.remove", running, "removed"), ("aria2.forceRemove", paused, "removed"),
    ])
    func `answers the gid once it is done`(method: String, gid: String, status: String) async {
        let client = Self.client()
        #expect(await client.call(method, gid) == gid)
        #expect(await client.call("aria2.tellStatus", #"\#(gid),["status"]"#) == #"{"status":"\#(status)"}"#)
    }

    @Test(arguments: [
        ("aria2.pause", paused, "GID#0000000000000013 cannot be paused now"),
        ("aria2.forcePause", complete, "GID#0000000000000014 cannot be paused now"),
        ("aria2.unpause", running, "GID#0000000000000011 cannot be unpaused now"),
        ("aria2.remove", complete, "Active Download not found for GID#0000000000000014"),
        ("aria2.removeDownloadResult", paused, "Could not remove download result of GID#0000000000000013"),
        ("aria2.pause", #""ffffffffffffffff""#, "GID ffffffffffffffff is not found"),
        ("aria2.unpause", "", "The parameter at 0 is required but missing."),
        ("aria2.remove", "[]", "The parameter at 0 has wrong type."),
        ("aria2.removeDownloadResult", "{}", "The parameter at 0 has wrong type."),
    ])
    func `says what cannot be done`(method: String, parameters: String, message: String) async {
        let client = Self.client()
        let before = Self.states(client)
        #expect(await client.call(method, parameters) == Client.error(message))
        #expect(Self.states(client) == before)
    }

    @Test func `acts on all`() async {
        let client = Self.client()
        #expect(await client.call("aria2.pauseAll") == #""OK""#)
        #expect(Self.states(client) == [.suspended, .suspended, .suspended, .succeeded])
        #expect(await client.call("aria2.unpauseAll") == #""OK""#)
        #expect(Self.states(client) == [.waiting, .waiting, .waiting, .succeeded])
        #expect(await client.call("aria2.forcePauseAll") == #""OK""#)
        #expect(client.service.actions == [.pause, .resume, .pause])
    }

    @Test func `removes ended transfers of its own session alone`() async {
        let client = Client(showsAll: true)
        var other = Transfer.sample(id: 0x21, state: .succeeded)
        other.session = .cli
        client.service.put(
            .sample(id: 0x14, state: .succeeded), .sample(id: 0x15, state: .failed), .sample(id: 0x16), other)
        #expect(await client.call("aria2.removeDownloadResult", complete) == #""OK""#)
        #expect(await client.call("aria2.purgeDownloadResult") == #""OK""#)
        #expect(client.service.all.map(\.id.rawValue) == [0x16, 0x21])
    }
}

@Suite(.timeLimit(.minutes(1))) struct `The line and the URLs of a download` {
    private static func client() -> Client {
        let client = Client()
        client.service.put(
            .sample(id: 0x11), .sample(id: 0x12, state: .waiting), .sample(id: 0x13, state: .suspended),
            .sample(id: 0x14, state: .succeeded), .sample(id: 0x15, state: .waiting))
        return client
    }

    @Test(
        arguments: [
            (#"2,"POS_SET""#, 2, [0x13, 0x15, 0x12]), (#"99999999999999999999,"POS_SET""#, 2, [0x13, 0x15, 0x12]),
            (#"-5,"POS_SET""#, 0, [0x12, 0x13, 0x15]), (#"1,"POS_CUR""#, 1, [0x13, 0x12, 0x15]),
            (#"-9223372036854775808,"POS_CUR""#, 0, [0x12, 0x13, 0x15]), (#"0,"POS_END""#, 2, [0x13, 0x15, 0x12]),
            (#"-1,"POS_END""#, 1, [0x13, 0x12, 0x15]), (#"9223372036854775807,"POS_END""#, 2, [0x13, 0x15, 0x12]),
        ] as [(String, Int, [UInt64])])
    func `change places`(parameters: String, place: Int, line: [UInt64]) async {
        let client = Self.client()
        #expect(await client.call("aria2.changePosition", "\(waiting),\(parameters)") == "\(place)")
        #expect(client.service.orders[.aria2]?.map(\.rawValue) == line)
    }

    @Test(arguments: [
        (#"\#(running),0,"POS_SET""#, "GID#0000000000000011 not found in the waiting queue."),
        (#"\#(complete),0,"POS_SET""#, "GID#0000000000000014 not found in the waiting queue."),
        (#"\#(waiting),0,"X""#, "Illegal argument."),
        (#"\#(waiting),"0","POS_SET""#, "The parameter at 1 has wrong type."),
        (#"\#(waiting),0"#, "The parameter at 2 is required but missing."),
        (#""ffff",0,"POS_SET""#, "GID ffff is not found"),
    ])
    func `keep their places where a change makes no sense`(parameters: String, message: String) async {
        let client = Self.client()
        #expect(await client.call("aria2.changePosition", parameters) == Client.error(message))
        #expect(client.service.orders.isEmpty)
    }

    /// Another client must not get the fields by a URL of its own.
    @Test func `forget secrets of a download whose URL another client has changed`() async throws {
        let client = Client()
        let options = #"{"header":"Authorization: s3cret","pause":"true"}"#
        let gid = await client.call("aria2.addUri", #"["http://h/1"],\#(options)"#)
        #expect(await client.call("aria2.changeOption", #"\#(gid),{"user-agent":"a"}"#) == #""OK""#)
        let kept = try #require(client.service.changes.last)
        // The change names the URL that the fields are for, in case another client changes it meanwhile.
        #expect(kept.headers?.contains { $0.value == "s3cret" } == true && kept.url == "http://h/1")
        #expect(await client.call("aria2.changeUri", #"\#(gid),1,["http://h/1"],["http://evil/1"]"#) == "[1,1]")
        let refused = await client.call("aria2.changeOption", #"\#(gid),{"user-agent":"b"}"#)
        #expect(refused == Client.error("Secrets are not kept with a download; give --header too."))
        for change in client.service.changes.dropFirst() { #expect(change.headers == nil) }
    }

    @Test func `keep their sizes when they are removed, and count in the total when they are purged`() async throws {
        let client = Self.client()
        let id = try #require(TransferID("0000000000000011"))
        client.service.edit(id) { ($0.bytesReceived, $0.bytesExpected) = (70, 100) }
        _ = await client.call("aria2.remove", running)
        client.service.edit(id) { ($0.bytesReceived, $0.bytesExpected) = (0, nil) }
        let keys = #"\#(running),["totalLength","completedLength","status"]"#
        #expect(
            await client.call("aria2.tellStatus", keys)
                == #"{"completedLength":"70","status":"removed","totalLength":"100"}"#)
        let before = await client.call("aria2.getGlobalStat")
        #expect(await client.call("aria2.removeDownloadResult", running) == #""OK""#)
        let after = await client.call("aria2.getGlobalStat")
        let total = #/"numStoppedTotal":"(\d+)"/#
        #expect(before.firstMatch(of: total)?.1 == after.firstMatch(of: total)?.1)
    }

    /// aria2's statuses as its version 1.36 exits with them.
    @Test(arguments: [(404, 3), (410, 22), (429, 22), (500, 22), (501, 22), (502, 29), (503, 29), (504, 29), (507, 22)])
    func `fail with aria2's number for an HTTP status`(status: Int, number: Int) {
        for code in [ErrorCode.serverBusy, .httpStatus, .notFound] {
            let error = ServiceError(code, "", details: ErrorDetails(httpStatus: status))
            #expect(error.aria2Status == number)
        }
        #expect(ServiceError(.authRequired, "", details: ErrorDetails(httpStatus: 401)).aria2Status == nil)
    }

    @Test func `change URLs`() async throws {
        let client = Client()
        let gid = await client.call("aria2.addUri", #"["http://h/1","http://h/2"],{"pause":"true"}"#)
        let edit = #"\#(gid),1,["http://h/2","http://h/9"],["ftp://h/3","http://h/4","http://h/1","http://u:p@h/5"]"#
        // A URL may be there twice.
        #expect(await client.call("aria2.changeUri", edit) == "[1,3]")
        let change = try #require(client.service.changes.last)
        #expect(change.url == nil)
        #expect(change.mirrors == ["http://h/4", "http://h/5"])
        #expect(await client.call("aria2.changeUri", #"\#(gid),1,["http://h/1"],["http://h/6"],0"#) == "[1,1]")
        #expect(client.service.changes.last?.url == "http://h/6")
        #expect(client.service.changes.last?.mirrors == ["http://h/4", "http://h/1", "http://h/5"])
        let uris = await Client(client.service).call("aria2.getUris", gid)
        #expect(
            uris == #"[{"status":"waiting","uri":"http://h/6"},{"status":"waiting","uri":"http://h/4"},"#
                + #"{"status":"waiting","uri":"http://h/1"},{"status":"waiting","uri":"http://h/5"}]"#)
        #expect(await client.call("aria2.changeUri", "\(gid),1,[],[]") == "[0,0]")
        #expect(client.service.changes.count == 2)
    }

    @Test(arguments: [
        ("\(waiting),2,[],[]", "fileIndex is out of range"),
        (
            "\(waiting),0,[],[]",
            "The integer parameter at 1 has invalid value: the value must be greater than or equal to 1."
        ),
        ("\(waiting),1,[],[],-3", "Position must be greater than or equal to 0."),
        ("\(waiting),1,[]", "The parameter at 3 is required but missing."),
        (#"\#(waiting),1,"x",[]"#, "The parameter at 2 has wrong type."),
        ("\(complete),1,[],[]", "Cannot remove URIs from GID#0000000000000014"),
        (#"\#(waiting),1,["https://example.com/file.iso"],[]"#, "A download keeps one URL at least; add another one."),
    ])
    func `keep their URLs where a change makes no sense`(parameters: String, message: String) async {
        let client = Self.client()
        #expect(await client.call("aria2.changeUri", parameters) == Client.error(message))
        #expect(client.service.changes.isEmpty)
    }
}

@Suite(.timeLimit(.minutes(1))) struct `Changing options` {
    @Test func `is live`() async throws {
        let client = Client()
        let gid = await client.call("aria2.addUri", #"["http://h/1"],{"header":"A: b","allow-overwrite":"true"}"#)
        let options =
            #"{"max-download-limit":"10K","split":3,"referer":"http://r/","conditional-get":true,"out":"n","dir":"/downloads","#
            + #""retry-wait":2,"timeout":5,"gid":"0000000000000001","seed-time":1}"#
        #expect(await client.call("aria2.changeOption", "\(gid),\(options)") == #""OK""#)
        let change = try #require(client.service.changes.first)
        #expect(change.rateLimit == 10_240)
        #expect(change.connections == 3)
        #expect(
            change.headers == [HeaderField(name: "A", value: "b"), HeaderField(name: "Referer", value: "http://r/")])
        #expect(change.onConflict == .update)
        #expect(change.name == "n")
        #expect(change.folder == nil)
        #expect(change.retryRule?.initialDelay == 2)
        // The fields belong to this URL.
        #expect(change.url == "http://h/1")
        let shown = await Client(client.service).options(
            "aria2.getOption", gid, named: "allow-overwrite", "conditional-get", "dir", "header", "max-download-limit",
            "out",
            "referer", "retry-wait", "seed-time", "split", "timeout", "gid")
        #expect(
            shown == [
                "allow-overwrite": "true", "conditional-get": "true", "dir": "/downloads", "header": "A: b",
                "max-download-limit": "10240", "out": "n", "referer": "http://r/", "retry-wait": "2", "seed-time": "1",
                "split": "3", "timeout": "5",
            ])
        #expect(client.lines.all == ["Options that apply only at the start of a download were stored: timeout."])
    }

    @Test(arguments: [
        (complete, ",{}", "Cannot change option for GID#0000000000000014"),
        (waiting, "", "The parameter at 1 is required but missing."),
        (waiting, ",[]", "The parameter at 1 has wrong type."),
        (waiting, #",{"split":"abc"}"#, "We encountered a problem while processing the option '--split'."),
        (#""ffff""#, ",{}", "GID ffff is not found"),
    ])
    func `is refused where it makes no sense`(gid: String, options: String, message: String) async {
        let client = Client()
        client.service.put(.sample(id: 0x12, state: .waiting), .sample(id: 0x14, state: .succeeded))
        #expect(await client.call("aria2.changeOption", gid + options) == Client.error(message))
        #expect(client.service.changes.isEmpty)
    }

    @Test func `leaves another client's note and fields alone`() async {
        let client = Client(showsAll: true)
        var other = Transfer.sample(id: 0x12, state: .waiting)
        other.session = .cli
        other.note = ClientNote(application: "app", identifier: "x", task: 1, kind: .download, data: "{}")
        client.service.put(other)
        #expect(await client.call("aria2.changeOption", #"\#(waiting),{"max-download-limit":"1M"}"#) == #""OK""#)
        #expect(client.service.all.first?.note?.application == "app")
        #expect(await client.call("aria2.changeOption", #"\#(waiting),{"user-agent":"x"}"#).contains(#""code":1"#))
    }

    @Test func `of all downloads gives defaults to later ones`() async throws {
        let client = Client()
        let options =
            #"{"dir":"sub","split":"7","max-concurrent-downloads":"3","max-overall-download-limit":"1M","out":"x","#
            + #""rpc-secret":"q","on-download-complete":"/bin/sh","http-passwd":"p","log-level":"info"}"#
        #expect(await client.call("aria2.changeGlobalOption", options) == #""OK""#)
        let settings = try #require(client.service.settingsOfSessions[.aria2])
        #expect(settings.activeTransfers == 3)
        #expect(settings.rateLimit == 1 << 20)
        _ = await client.call("aria2.addUri", #"["http://h/"]"#)
        let request = try #require(client.service.requests.first)
        #expect(request.file.folder == "/downloads/sub")
        #expect(request.transport.connections == 7)
        #expect(request.file.name == nil)
        let shown = await client.options(
            "aria2.getGlobalOption", named: "dir", "http-passwd", "log-level", "max-concurrent-downloads",
            "max-overall-download-limit", "on-download-complete", "out", "rpc-secret", "split")
        #expect(
            shown == [
                "dir": "/downloads/sub", "log-level": "info", "max-concurrent-downloads": "3",
                "max-overall-download-limit": "1048576", "split": "7",
            ])
    }

    @Test(arguments: [
        #"{"max-concurrent-downloads":"q"}"#, #"{"max-concurrent-downloads":0}"#, #"{"split":"x"}"#,
        #"{"max-overall-download-limit":-1}"#, "[]", "",
    ])
    func `of all downloads is refused where it makes no sense`(options: String) async {
        let client = Client()
        #expect(await client.call("aria2.changeGlobalOption", options).contains(#""code":1"#))
        #expect(client.service.settingsOfSessions.isEmpty)
        #expect(await client.call("aria2.getGlobalOption").contains(#""max-concurrent-downloads":"16""#))
    }
}

@Suite(.timeLimit(.minutes(1))) struct `The program behind the interface` {
    @Test func `reports its versions`() async {
        #expect(
            await Client().call("aria2.getVersion", "1,2,3")
                == #"{"enabledFeatures":["Async DNS","GZip","HTTPS","Message Digest"],"#
                + #""ferry":{"version":"\#(FerryVersion.current)"},"version":"1.37.0"}"#)
    }

    @Test func `names each of its starts`() {
        var random = SystemRandomNumberGenerator()
        let names = Set((0..<10).map { _ in RPCEndpoint.Configuration.identifier(using: &random) })
        #expect(names.count == 10)
        #expect(names.allSatisfy { $0.utf8.count == 40 && $0.utf8.allSatisfy(\.isHexadecimalDigit) })
    }

    @Test(arguments: ["aria2.shutdown", "aria2.forceShutdown"])
    func `ends only where that is up to a client`(method: String) async {
        #expect(await Client().call(method).contains(#""code":1"#))
        let forced = Mutex<[Bool]>([])
        let client = Client(shutdown: { isForced in forced.withLock { $0.append(isForced) } })
        #expect(await client.call(method) == #""OK""#)
        #expect(forced.withLock(\.self) == [method == "aria2.forceShutdown"])
    }

    @Test(arguments: RPCMethod.allCases)
    func `takes parameters of every type at every place`(method: RPCMethod) async {
        let values = ["null", "5", "-1", "1e999", #""x""#, "[]", "{}", "[[]]", "true", #""0000000000000011""#]
        let client = Client()
        client.service.put(.sample(id: 0x11, state: .waiting))
        for first in values {
            for second in values {
                let answer = await client.answer(
                    #"{"id":1,"method":"\#(method.rawValue)","params":["token:s",\#(first),\#(second),\#(first)]}"#)
                #expect(answer.httpStatus == 200 || answer.httpStatus == 400)
                #expect((try? RPCValueReader.read(answer.body)) != nil)
            }
        }
    }
}
