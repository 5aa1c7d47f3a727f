import FerryAPI
import FerryCore
import FerryRules
import Foundation
import Testing

@Suite struct `Golden JSON` {
    private let noon = Date(timeIntervalSince1970: 1_769_860_800.5)

    private func request() throws -> TransferRequest {
        var request = TransferRequest(url: "https://a.example/f.iso?k=v", folder: "/srv/files")
        request.session = try SessionID("com.example.app")
        request.file.name = "f.iso"
        request.headers = [HeaderField(name: "Accept", value: "*/*")]
        request.response.checksums = [try Checksum(parsing: "md5:" + String(repeating: "0a", count: 16))]
        request.file.onConflict = .replace
        request.timing.deadline = noon
        request.timing.paused = true
        return request
    }

    private func check<Value: Codable & Equatable>(_ value: Value, _ golden: String) throws {
        #expect(String(decoding: try APIJSON.bytes(value), as: UTF8.self) == golden)
        #expect(try APIJSON.decoder.decode(Value.self, from: Data(golden.utf8)) == value)
    }

    @Test func `a request, with only its unusual values`() throws {
        try check(
            request(),
            #"{"checksums":["md5:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a"],"deadline":"2026-01-31T12:00:00.500Z","#
                + #""folder":"/srv/files","headers":[{"name":"Accept","value":"*/*"}],"name":"f.iso","#
                + #""on_conflict":"replace","paused":true,"session":"com.example.app","url":"https://a.example/f.iso?k=v"}"#
        )
        try check(TransferRequest(url: "http://a/", folder: "/"), #"{"folder":"/","url":"http://a/"}"#)
    }

    @Test func `a transfer, with every key`() throws {
        let record = TransferRecord(
            id: TransferID(rawValue: 0x19c_0000_0001), createdAt: noon, request: try request(), credentials: nil)
        let golden =
            #"{"attempts":0,"bytes_expected":null,"bytes_per_second":null,"bytes_received":0,"bytes_sent":0,"#
            + #""bytes_spent":0,"bytes_to_send":null,"challenge":null,"content_type":null,"#
            + #""created_at":"2026-01-31T12:00:00.500Z","destination":null,"direction":"download","error":null,"etag":null,"file":null,"final_url":null,"#
            + #""finished_at":null,"folder":"/srv/files","given_name":"f.iso","id":"0000019c00000001","insecure":false,"last_modified":null,"#
            + #""length_verified":true,"method":"GET","mismatched":[],"name":null,"next_attempt_at":null,"not_before":null,"note":null,"notes":[],"priority":"normal","rate_limit":0,"#
            + #""reason":null,"redirects":[],"response":null,"session":"com.example.app","started_at":null,"started_over":0,"state":"suspended","tags":[],"unchanged":false,"#
            + #""url":"https://a.example/f.iso?k=v","verified":[]}"#
        try check(Transfer(record, live: .waiting(.slot)), golden)
    }

    @Test func `a request's rules for results and places`() throws {
        var request = TransferRequest(url: "http://a/", folder: "/")
        request.response.acceptableStatuses = StatusRange(lower: 200, upper: 300)
        request.response.onMismatch = .keep
        request.file.partialFolder = "/tmp/parts"
        request.tls.skipsHostVerification = true
        try check(
            request,
            #"{"acceptable_statuses":{"lower":200,"upper":300},"folder":"/","on_mismatch":"keep","#
                + #""partial_folder":"/tmp/parts","skip_host_verification":true,"url":"http://a/"}"#)
        #expect(TransferRequest.keys.isSuperset(of: ["acceptable_statuses", "on_mismatch", "partial_folder"]))
    }

    @Test func `an event`() throws {
        try check(
            TransferEvent(
                number: 42, kind: .removed, at: noon, id: TransferID(rawValue: 1), session: .cli, transfer: nil),
            #"{"at":"2026-01-31T12:00:00.500Z","id":"0000000000000001","kind":"removed","number":42,"session":"cli"}"#)
    }

    @Test func `an error`() throws {
        var details = ErrorDetails(httpStatus: 403, url: "https://a.example/f")
        details.attempts = 2
        try check(
            ErrorBody(ServiceError(.urlExpired, "The link has expired.", details: details)),
            #"{"error":{"code":"url_expired","details":{"attempts":2,"http_status":403,"url":"https://a.example/f"},"#
                + #""message":"The link has expired."}}"#)
    }

    @Test func `an error of a newer daemon keeps its word`() throws {
        let golden = #"{"error":{"code":"moon_phase","message":"Wait."}}"#
        let body = try APIJSON.decoder.decode(ErrorBody.self, from: Data(golden.utf8))
        #expect(body.error.code == .unrecognized)
        #expect(String(decoding: try APIJSON.bytes(body), as: UTF8.self) == golden)
    }

    @Test(arguments: [
        ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000Z"), ("2026-01-31T12:00:00.5Z", "2026-01-31T12:00:00.500Z"),
        ("2026-01-31T14:00:00.123+02:00", "2026-01-31T12:00:00.123Z"),
        ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
        ("2026-01-31T23:59:59.9996Z", "2026-02-01T00:00:00.000Z"),
    ])
    func `a date is read with or without fraction and written with milliseconds`(text: String, written: String) throws {
        let date = try APIJSON.decoder.decode([Date].self, from: Data(#"["\#(text)"]"#.utf8))
        #expect(String(decoding: try APIJSON.bytes(date), as: UTF8.self) == #"["\#(written)"]"#)
    }

    @Test(arguments: ["2026-02-29T12:00:00Z", "2026-13-01T12:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31", "", "noon"])
    func `text that is no date is refused`(text: String) {
        #expect(throws: DecodingError.self) {
            try APIJSON.decoder.decode([Date].self, from: Data(#"["\#(text)"]"#.utf8))
        }
    }

    @Test func `dates are written and read as Foundation writes and reads them`() throws {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        // Steps of about eleven days, so that all times of day occur, from 1600 to 2400.
        for milliseconds in stride(from: -11_676_096_000_000, through: 13_569_465_600_000, by: 987_654_321) {
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            let text = String(decoding: try APIJSON.bytes([date]), as: UTF8.self)
            // Foundation truncates a binary fraction slightly below a millisecond.
            #expect(text == #"["\#(style.format(date + 0.0002))"]"#)
            let read = try APIJSON.decoder.decode([Date].self, from: Data(text.utf8))
            #expect(abs(read[0].timeIntervalSince(date)) < 0.0005)
        }
    }

    @Test func `session limits have the keys that they are checked by`() throws {
        var settings = SessionSettings(activeTransfers: 1, rateLimit: 2048, hostConnections: 6)
        settings.network = NetworkPolicy(allowsCellular: false)
        settings.idleTimeout = 60
        settings.inOrder = true
        let keys = try JSONSerialization.jsonObject(with: Data(APIJSON.bytes(settings))) as? [String: Any]
        #expect(Set(try #require(keys).keys) == SessionSettingsChange.keys)
        #expect(try APIJSON.decoder.decode(SessionSettings.self, from: Data(APIJSON.bytes(settings))) == settings)
        #expect(try APIJSON.decoder.decode(SessionSettings.self, from: Data("{}".utf8)) == SessionSettings())
    }

    @Test func `a change of session limits distinguishes an absent key from null`() throws {
        var settings = SessionSettings(activeTransfers: 1, rateLimit: 2048, hostConnections: 6)
        settings.network = NetworkPolicy(allowsCellular: false)
        settings.idleTimeout = 60
        settings.inOrder = true
        func applying(_ json: String) throws -> SessionSettings {
            settings.applying(try APIJSON.decoder.decode(SessionSettingsChange.self, from: Data(json.utf8)))
        }
        #expect(try applying("{}") == settings)
        var changed = settings
        changed.activeTransfers = nil
        changed.rateLimit = 5
        #expect(try applying(#"{"active_transfers":null,"rate_limit":5}"#) == changed)
        let nulls = SessionSettingsChange.keys.map { "\"\($0)\":null" }.joined(separator: ",")
        #expect(try applying("{\(nulls)}") == SessionSettings())
        for all in [settings, SessionSettings()] {
            let bytes = try APIJSON.bytes(SessionSettingsChange(all: all))
            let read = try APIJSON.decoder.decode(SessionSettingsChange.self, from: Data(bytes))
            #expect(SessionSettings(activeTransfers: 9, hostConnections: 9).applying(read) == all)
        }
        #expect(String(decoding: try APIJSON.bytes(SessionSettingsChange()), as: UTF8.self) == "{}")
    }

    @Test func `a query of the queue is read as it is written`() throws {
        let session = try SessionID("a b")
        for query in [
            QueueQuery(.active), QueueQuery(.ended, session: session, offset: 5, limit: 7, reversed: true),
            QueueQuery(.waiting, limit: 0),
        ] {
            #expect(try QueueQuery(items: query.items) == query)
        }
        for items in [
            [], [QueryItem("part", "x")], [QueryItem("part", "ended"), QueryItem("limit", "10001")],
            [QueryItem("part", "ended"), QueryItem("offset", "-1")], [QueryItem("part", "ended"), QueryItem("x", "")],
            [QueryItem("part", "ended"), QueryItem("order", "newest")],
        ] {
            #expect(throws: ServiceError.self) { try QueueQuery(items: items) }
        }
    }
}
