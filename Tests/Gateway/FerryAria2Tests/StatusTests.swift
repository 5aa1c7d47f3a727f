import FerryCore
import FerryFoundation
import FerryTesting
import Testing

@testable import FerryAria2
@testable import FerryCore

@Suite(.timeLimit(.minutes(1))) struct `Status of a download` {
    @Test func `A12 has all keys, numbers as texts`() async {
        var transfer = Transfer.sample(id: 0xab)
        transfer.bytesReceived = (1 << 20) + 5
        transfer.own.durable = ByteRangeSet(0..<(1 << 20) + 5)
        transfer.bytesExpected = 5 << 19
        transfer.bytesPerSecond = 1000.7
        transfer.destination = "/downloads/file.iso"
        let client = Client()
        client.service.put(transfer)
        #expect(
            await client.call("aria2.tellStatus", #""00000000000000ab""#)
                == #"{"bitfield":"80","completedLength":"1048581","connections":"1","dir":"/downloads","#
                + #""downloadSpeed":"1000","files":[{"completedLength":"1048581","index":"1","length":"2621440","#
                + #""path":"/downloads/file.iso","selected":"true","uris":[{"status":"used","#
                + #""uri":"https://example.com/file.iso"}]}],"gid":"00000000000000ab","numPieces":"3","#
                + #""pieceLength":"1048576","status":"active","totalLength":"2621440","uploadLength":"0","#
                + #""uploadSpeed":"0"}"#)
        #expect(
            await client.call("aria2.tellStatus", #""00000000000000ab",["gid","foo",5,"totalLength"]"#)
                == #"{"gid":"00000000000000ab","totalLength":"2621440"}"#)
    }

    @Test(
        arguments: [
            (.running, nil, "active"), (.suspended, nil, "paused"), (.succeeded, nil, "complete"),
            (.failed, nil, "error"),
            (.canceled, nil, "removed"), (.unknown, nil, "waiting"), (.waiting, .slot, "waiting"),
            (.waiting, .session, "waiting"), (.waiting, .host, "waiting"), (.waiting, .beginDate, "waiting"),
            (.waiting, .unknown, "waiting"), (.waiting, nil, "waiting"),
            (.waiting, .retry, "active"), (.waiting, .server, "active"), (.waiting, .disk, "active"),
            (.waiting, .destination, "active"), (.waiting, .network, "waiting"), (.waiting, .cellular, "waiting"),
        ] as [(TransferState, WaitReason?, String)])
    func `A13 is one of six words`(state: TransferState, reason: WaitReason?, word: String) {
        var transfer = Transfer.sample(id: 1, state: state, reason: reason)
        transfer.bytesPerSecond = 5
        #expect(DownloadStatus(transfer).rawValue == word)
        #expect(Download(transfer).speed == (state == .running ? 5 : 0))
    }

    @Test(arguments: ErrorCode.allCases)
    func `A14 has the error's own number`(code: ErrorCode) {
        var transfer = Transfer.sample(id: 1, state: .failed)
        transfer.error = ServiceError(code, "Why.")
        #expect(
            String(decoding: Download(transfer).value(keys: ["errorCode", "errorMessage"]).json, as: UTF8.self)
                == #"{"errorCode":"\#(code.row.aria2 ?? 1)","errorMessage":"Why."}"#)
    }

    @Test(
        arguments: [
            (.succeeded, #"{"errorCode":"0"}"#), (.canceled, #"{"errorCode":"31"}"#), (.running, "{}"),
            (.failed, #"{"errorCode":"1"}"#),
        ]
            as [(TransferState, String)])
    func `A14 has a number once it has stopped`(state: TransferState, text: String) {
        let value = Download(.sample(id: 1, state: state)).value(keys: ["errorCode"])
        #expect(String(decoding: value.json, as: UTF8.self) == text)
    }

    @Test func `A12 shows the pieces that survive a power cut`() {
        let piece: Int64 = 1 << 20
        var transfer = Transfer.sample(id: 1)
        transfer.bytesExpected = 10 * piece
        transfer.bytesReceived = 9 * piece
        func bitfield() -> String {
            String(decoding: Download(transfer).value(keys: ["bitfield"]).json, as: UTF8.self)
        }
        #expect(bitfield() == #"{"bitfield":"0000"}"#)
        transfer.own.durable = ByteRangeSet(0..<2 * piece + 5)
        transfer.own.durable.insert(5 * piece..<6 * piece)
        #expect(bitfield() == #"{"bitfield":"c400"}"#)
        transfer.state = .succeeded
        #expect(bitfield() == #"{"bitfield":"ffc0"}"#)
    }

    @Test func `A12 reports the progress of the digest of the whole file`() {
        var transfer = Transfer.sample(id: 1)
        func keys() -> String {
            String(
                decoding: Download(transfer).value(keys: ["verifiedLength", "verifyIntegrityPending"]).json,
                as: UTF8.self)
        }
        #expect(keys() == "{}")
        transfer.own.waitsForVerification = true
        #expect(keys() == #"{"verifyIntegrityPending":"true"}"#)
        transfer.own.waitsForVerification = false
        transfer.own.verifiedLength = 1 << 20
        #expect(keys() == #"{"verifiedLength":"1048576"}"#)
    }

    @Test func `is removed once that was asked for, while its disk still hangs`() {
        for state in [TransferState.running, .suspended] {
            var transfer = Transfer.sample(id: 1, state: state)
            transfer.own.isEnding = true
            #expect(DownloadStatus(transfer) == .removed)
        }
    }

    @Test func `names the URLs that bytes come from, and a server for each connection`() {
        var transfer = Transfer.sample(id: 1)
        transfer.finalURL = "https://cdn.example/file.iso"
        transfer.note =
            DownloadNote(
                gid: nil,
                urls: DownloadURLs(["https://example.com/file.iso", "https://m1/f", "https://m2/f"])
                    ?? DownloadURLs("https://example.com/file.iso"), options: OptionValues()
            ).clientNote
        transfer.segments = [
            TransferSegment(start: 0, end: 5, position: 2, source: 0, bytesPerSecond: 10.5),
            TransferSegment(start: 5, end: 9, position: 6, source: 2),
        ]
        let download = Download(transfer)
        #expect(
            String(decoding: download.uris.json, as: UTF8.self)
                == #"[{"status":"used","uri":"https://example.com/file.iso"},"#
                + #"{"status":"waiting","uri":"https://m1/f"},{"status":"used","uri":"https://m2/f"}]"#)
        #expect(
            String(decoding: download.servers.json, as: UTF8.self)
                == #"[{"index":"1","servers":[{"currentUri":"https://cdn.example/file.iso","downloadSpeed":"10","#
                + #""uri":"https://example.com/file.iso"},{"currentUri":"https://m2/f","downloadSpeed":"0","#
                + #""uri":"https://m2/f"}]}]"#)
    }

    @Test(arguments: [0, -5, 1, 1 << 20, (1 << 20) + 1, 1 << 34, 1 << 60, .max] as [Int64])
    func `A12 has few pieces, however large the file is`(total: Int64) {
        let pieces = Pieces(total: total)
        #expect(pieces.count <= 1 << 14)
        #expect((pieces.count == 0) == (total <= 0))
        #expect(pieces.bitfield(ByteRangeSet()).utf8.count == (pieces.count + 7) / 8 * 2)
        let whole = pieces.bitfield(ByteRangeSet(0..<max(0, total)))
        #expect(whole.compactMap(\.hexDigitValue).reduce(0) { $0 + $1.nonzeroBitCount } == pieces.count)
    }

    @Test func `takes numbers that no transfer has`() {
        var transfer = Transfer.sample(id: 1)
        transfer.bytesReceived = .max
        transfer.bytesExpected = .min
        transfer.segments = [TransferSegment(start: .min, end: .max, position: .min)]
        for speed in [Double.nan, .infinity, -1, 1e300] {
            transfer.bytesPerSecond = speed
            #expect(!Download(transfer).value(keys: []).json.isEmpty)
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct `Lists of downloads` {
    private static func client(showsAll: Bool = false) -> Client {
        let client = Client(showsAll: showsAll)
        client.service.put(
            .sample(id: 0x11, state: .running), .sample(id: 0x12, state: .waiting, reason: .retry),
            .sample(id: 0x13, state: .waiting), .sample(id: 0x14, state: .suspended),
            .sample(id: 0x15, state: .succeeded), .sample(id: 0x16, state: .failed), .sample(id: 0x17, state: .canceled)
        )
        var other = Transfer.sample(id: 0x21)
        other.session = .cli
        other.bytesPerSecond = 7
        client.service.put(other)
        return client
    }

    private static func gids(_ text: String) -> [Substring] {
        text.split(separator: #"{"gid":"00000000000000"#).dropFirst().map { $0.prefix(2) }
    }

    @Test(arguments: [
        ("aria2.tellActive", #"["gid"]"#, ["11", "12"]), ("aria2.tellWaiting", #"0,9,["gid"]"#, ["13", "14"]),
        ("aria2.tellWaiting", #"-1,9,["gid"]"#, ["14", "13"]), ("aria2.tellWaiting", #"1,1,["gid"]"#, ["14"]),
        ("aria2.tellStopped", #"0,99999999999999999999,["gid"]"#, ["15", "16", "17"]),
        ("aria2.tellStopped", #"-1,2,["gid"]"#, ["17", "16"]),
    ])
    func `show what is in their state`(method: String, parameters: String, gids: [String]) async {
        #expect(Self.gids(await Self.client().call(method, parameters)).map(String.init) == gids)
    }

    @Test func `read no more than they show, however long the queue is`() async {
        let client = Client()
        for id in 1...2500 { client.service.put(.sample(id: UInt64(id), state: .waiting)) }
        #expect(Self.count(await client.call("aria2.tellWaiting", #"10,5,["gid"]"#)) == 5)
        #expect(client.service.queries.map(\.offset) == [10])
        #expect(client.service.queries.map(\.limit) == [5])
        #expect(Self.count(await client.call("aria2.tellWaiting", #"-11,5,["gid"]"#)) == 5)
        #expect(
            client.service.queries.last == QueueQuery(.waiting, session: .aria2, offset: 10, limit: 5, reversed: true))
        _ = await client.call("aria2.tellActive", #"["gid"]"#)
        _ = await client.call("aria2.getGlobalStat")
        #expect(client.service.queries.dropFirst(2).map(\.part) == [.active, .active])
        #expect(Self.count(await client.call("aria2.tellWaiting", #"0,99999,["gid"]"#)) == 2500)
    }

    private static func count(_ text: String) -> Int { text.split(separator: #"{"gid""#).count - 1 }

    @Test func `find a download by the beginning of its gid`() async {
        let client = Client()
        client.service.put(.sample(id: 0xab00), .sample(id: 0xab01), .sample(id: 0xac00))
        _ = await client.call("aria2.addUri", #"["http://h/"],{"gid":"000000000000ac01"}"#)
        func gid(_ text: String) async -> String { await client.call("aria2.tellStatus", #""\#(text)",["gid"]"#) }
        #expect(await gid("000000000000ac00") == #"{"gid":"000000000000ac00"}"#)
        #expect(await gid("000000000000ac01") == #"{"gid":"000000000000ac01"}"#)
        #expect(await gid("000000000000ab") == Client.error("GID 000000000000ab is not unique"))
        #expect(await gid("000000000000ac") == Client.error("GID 000000000000ac is not unique"))
        #expect(await gid("000000000000ad") == Client.error("GID 000000000000ad is not found"))
        #expect(await gid("000000000000ab0") == Client.error("GID 000000000000ab0 is not unique"))
        #expect(await gid("fffffffffffff") == Client.error("GID fffffffffffff is not found"))
        // A download with a chosen gid is not found by its transfer's id.
        let hidden = client.service.all.first { !$0.tags.isEmpty }?.id.description ?? ""
        #expect(await gid(hidden) == Client.error("GID \(hidden) is not found"))
        #expect(await gid(String(hidden.prefix(6))) == Client.error("GID \(hidden.prefix(6)) is not found"))
    }

    @Test func `A15 show all sessions if the user wants it`() async {
        #expect(
            Self.gids(await Self.client(showsAll: true).call("aria2.tellActive", #"["gid"]"#)) == ["11", "12", "21"])
        #expect(
            await Self.client().call("aria2.tellStatus", #""0000000000000021""#)
                == Client.error("GID 0000000000000021 is not found"))
    }

    @Test func `are counted`() async {
        #expect(
            await Self.client().call("aria2.getGlobalStat")
                == #"{"downloadSpeed":"0","numActive":"2","numStopped":"3","numStoppedTotal":"3","numWaiting":"2","#
                + #""uploadSpeed":"0"}"#)
        #expect(
            await Self.client(showsAll: true).call("aria2.getGlobalStat").contains(
                #""downloadSpeed":"7","numActive":"3""#))
        #expect(await Client().call("aria2.getGlobalStat").contains(#""numActive":"0""#))
    }

    @Test(arguments: [
        ("aria2.tellActive", #""x""#, "The parameter at 0 has wrong type."),
        ("aria2.tellWaiting", "", "The parameter at 0 is required but missing."),
        ("aria2.tellWaiting", "0", "The parameter at 1 is required but missing."),
        ("aria2.tellWaiting", #""0",1"#, "The parameter at 0 has wrong type."),
        ("aria2.tellStopped", "0,1.5", "The parameter at 1 has wrong type."),
        ("aria2.tellStopped", "0,1,5", "The parameter at 2 has wrong type."),
        (
            "aria2.tellStopped", "0,-1",
            "The integer parameter at 1 has invalid value: the value must be greater than or equal to 0."
        ),
        ("aria2.tellStatus", "", "The parameter at 0 is required but missing."),
        ("aria2.tellStatus", "5", "The parameter at 0 has wrong type."),
        ("aria2.tellStatus", #""ab","x""#, "The parameter at 1 has wrong type."),
        ("aria2.tellStatus", #""""#, "Invalid GID "), ("aria2.tellStatus", #""zz""#, "Invalid GID zz"),
        ("aria2.tellStatus", #""00000000000000011""#, "Invalid GID 00000000000000011"),
        ("aria2.tellStatus", #""ffff""#, "GID ffff is not found"),
        ("aria2.tellStatus", #""00""#, "GID 00 is not unique"),
        ("aria2.getPeers", #""ffff""#, "GID ffff is not found"),
        ("aria2.getServers", #""0000000000000014""#, "No active download for GID#0000000000000014"),
    ])
    func `refuse what makes no sense`(method: String, parameters: String, message: String) async {
        #expect(await Self.client().call(method, parameters) == Client.error(message))
    }

    @Test func `A11 a beginning that one gid has is enough`() async {
        let client = Self.client()
        #expect(await client.call("aria2.tellStatus", #""000000000000001",["gid"]"#).contains("is not unique"))
        client.service.put(.sample(id: 0xABCD_0000_0000_0001))
        #expect(await client.call("aria2.tellStatus", #""ABc",["gid"]"#) == #"{"gid":"abcd000000000001"}"#)
    }

    @Test func `tell where a download comes from`() async {
        let client = Self.client()
        client.service.edit(TransferID(rawValue: 0x11)) { $0.finalURL = "https://cdn.example.com/f" }
        #expect(
            await client.call("aria2.getServers", #""0000000000000011""#)
                == #"[{"index":"1","servers":[{"currentUri":"https://cdn.example.com/f","downloadSpeed":"0","#
                + #""uri":"https://example.com/file.iso"}]}]"#)
        #expect(
            await client.call("aria2.getUris", #""0000000000000013""#)
                == #"[{"status":"waiting","uri":"https://example.com/file.iso"}]"#)
        #expect(await client.call("aria2.getPeers", #""0000000000000011""#) == "[]")
        #expect(
            await client.call("aria2.getFiles", #""0000000000000013""#)
                == #"[{"completedLength":"0","index":"1","length":"0","path":"","selected":"true","uris":"#
                + #"[{"status":"waiting","uri":"https://example.com/file.iso"}]}]"#)
    }
}
