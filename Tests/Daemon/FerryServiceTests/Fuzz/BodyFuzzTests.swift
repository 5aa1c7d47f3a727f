import FerryAPI
import FerryCore
@testable import FerryServer
import FerryRules
import FerryTesting
import Foundation
import Testing

/// A client may send anything. Each body is rejected or decoded, and each decoded body passes through the later checks.
@Suite(.timeLimit(.minutes(Mutations.minutes(2)))) struct `Mutated bodies` {
    private static let request = #"""
        {"url":"http://me:pw@127.0.0.1:1/a%20b?c=d","folder":"/tmp/x","mirrors":["http://127.0.0.1/b"],"session":"s:t",
        "headers":[{"name":"Accept","value":"*/*"},{"name":"Range","value":"bytes=5-9"}],"checksums":["md5:00112233445566778899aabbccddeeff"],
        "on_conflict":"replace","on_mismatch":"keep","priority":-7,"rate_limit":2048,"connections":4,"retries":3,"status_retries":2,
        "give_up_after":60.5,"deadline":"2030-01-31T12:00:00.250Z","expected_size":5,"max_size":50,"min_speed":1,"min_speed_time":9.5,
        "tags":["a","b"],"proxy_environment":{"http_proxy":"http://u:p@127.0.0.1:2"},"acceptable_statuses":{"lower":200,"upper":300},
        "idle_timeout":17.5,"resource_timeout":3600,"not_before":"2027-01-01T00:00:00Z","status_policy":"any","foreign_fields":"keep",
        "network":{"allows_cellular":true,"allows_expensive":false,"allows_constrained":true,"discretionary":false,"waits":true},
        "retry_rule":{"initial_delay":1,"multiplier":2,"maximum_delay":300,"jitter":0.2,"maximum_attempts_without_progress":9,
        "status_codes":[500,503],"expired_status_codes":[403],"doubtful_retries":4,"unreachable_retries":2},"minimum_tls":"1.2",
        "cookies":[{"name":"c","value":"v","domain":".example.com","path":"/","secure":true}],
        "note":{"application":"a","identifier":"i","task":7,"kind":"download","data":"x"}}
        """#
    private static let change = #"""
        {"action":"resume","priority":"high","rate_limit":2048,"connections":2,"url":"http://127.0.0.1/","mirrors":[],"folder":"/t",
        "name":"n","headers":[],"not_before":"2027-01-01T00:00:00Z","checksums":[],
        "retry_rule":{"initial_delay":1,"multiplier":2,"maximum_delay":300,"jitter":0.2,"status_codes":[],"expired_status_codes":[]}}
        """#
    private static let settings =
        #"{"connections_per_host":8,"connections_total":128,"active_transfers":16,"rate_limit":0,"reserve":67108864,"constrained":false}"#
    private static let session =
        #"{"active_transfers":4,"host_connections":2,"rate_limit":2048,"idle_timeout":60.5,"in_order":true}"#
    private static let runs =
        #"{"action":"pause","ids":["0000000000000007+2","00000000000000ff","0000000000000009+16777214"]}"#
    private static let batch = #"""
        {"templates":[{"url":"http://127.0.0.1/","folder":"/t","retries":1}],"items":{"url":["http://127.0.0.1/a","http://127.0.0.1/b"],
        "template":[0,0],"folder":[null,"/f"],"name":["n",null]},"starts":[{"id":"0000000000000007","name":"n"}]}
        """#

    /// Decodes mutations of a body.
    private func fuzz<Body: StrictBody>(
        _ type: Body.Type, _ sample: String, seed: UInt64, usual: Int = 1200, _ use: (Body) throws -> Void
    ) async throws {
        var mutations = Mutations(seed: seed)
        try use(BodyDecoder.decode(type, from: Data(sample.utf8)))
        try await mutations.rounds(usual) { mutations, _ in
            let bytes = Data(mutations.mutate(Array(sample.utf8)))
            do { try use(BodyDecoder.decode(type, from: bytes)) } catch { #expect(error is ServiceError) }
        }
    }

    @Test func `of requests are refused, or admitted with all numbers in their ranges`() async throws {
        try await fuzz(TransferRequest.self, Self.request, seed: 1, usual: 3000) { request in
            var admitted = try TransferAdmission.admit(request).request
            let before = admitted
            admitted.bringNumbersIntoRange(.clamp)
            #expect(admitted == before)
            _ = RetryDelay.seconds(afterFailures: 7, rule: admitted.timing.retryRule, random: 0.5)
        }
    }

    @Test func `of changes, settings and sessions are refused or read`() async throws {
        try await fuzz(TransferChange.self, Self.change, seed: 2) { _ in }
        try await fuzz(ServiceSettingsChange.self, Self.settings, seed: 3) { change in
            try ServiceSettings().applying(change).validate()
        }
        try await fuzz(SessionSettingsChange.self, Self.session, seed: 4) { change in
            try SessionSettings().applying(change).validate()
        }
        try await fuzz(QueueMove.self, #"{"offset":-7,"from":"end"}"#, seed: 12, usual: 300) { move in
            #expect((2..<5).contains(move.target(from: 3, of: 9, within: 2..<5)))
        }
    }

    @Test func `of actions cost what exists`() async throws {
        let existing = (0..<100).map { TransferID(rawValue: $0 * 3) }
        try await fuzz(ActOnSession.Request.self, Self.runs, seed: 5) { request in
            #expect((request.ids?.selected(from: existing).count ?? 0) <= existing.count)
            #expect((request.ids?.unknown(among: existing, atMost: 10).count ?? 0) <= 10)
        }
        let order = Self.runs.replacing(#""action":"pause","ids""#, with: #""order""#)
        try await fuzz(ReorderSession.Request.self, order, seed: 6) { _ = $0.order.merged }
        try await fuzz(
            ActOnTransfers.Request.self, #"{"action":"pause","ids":["0000000000000007"],"session":"s"}"#, seed: 7
        ) { _ in }
        try await fuzz(AcknowledgeEvents.Request.self, #"{"through":7}"#, seed: 8, usual: 300) { _ in }
        try await fuzz(QuitSessions.Request.self, #"{"application":"a"}"#, seed: 9, usual: 300) { _ = $0.selection }
        try await fuzz(ActivateApplication.Request.self, #"{"process":7}"#, seed: 10, usual: 300) { _ in }
        try await fuzz(
            ChangeApplication.Request.self,
            #"{"launch":{"arguments":["/a"],"environment":{"K":"v"},"working_folder":"/f"}}"#,
            seed: 11
        ) { _ in }
    }

    @Test func `of batches and lists are refused or read`() async throws {
        try await fuzz(StrictBatch.self, Self.batch, seed: 12) { _ = try $0.batch() }
        var mutations = Mutations(seed: 13)
        try await mutations.rounds(1200) { mutations, _ in
            let lines = mutations.mutate("http://127.0.0.1/a\nhttp://127.0.0.1:8080/b?c#d\r\n\nhttp://[::1]/e\n")
            _ = URLLines(Array(lines.utf8), from: 0).text
            var reader = HTTPURLReader()
            for line in lines.utf8.split(separator: UInt8(ascii: "\n")) {
                _ = try? reader.read(ArraySlice(Array(line)))
            }
        }
    }

    @Test func `of queries are refused or read`() async throws {
        var mutations = Mutations(seed: 14)
        let queries = [
            "session=s&state=failed,waiting&tag=t&after=0000000000000007&limit=9&order=newest",
            "after=7&session=s&ids=0000000000000007,0000000000000008&progress=0.5&until_ended=true&brief=true",
            "application=a&identifier=i&process=7&background_launched=true&connections_per_host=3&progress=0.1&manager=true",
        ]
        try await mutations.rounds(3000) { mutations, _ in
            let text = mutations.mutate(queries[Int.random(in: 0..<queries.count, using: &mutations)])
            guard let items = try? QueryItem.decode(text) else { return }
            _ = try? TransferQuery(items: items)
            _ = try? EventSubscription(items: items)
            _ = try? SessionAttachment(items: items)
        }
    }

    /// The responding daemon may not be the one that the client expects.
    @Test func `of answers are refused or read by clients`() async throws {
        var transfer = try Transfer(
            TransferRecord(
                id: TransferID(rawValue: 7), createdAt: Date(timeIntervalSince1970: 1_800_000_000),
                request: TransferAdmission.admit(
                    APIJSON.decoder.decode(TransferRequest.self, from: Data(Self.request.utf8))
                ).request,
                credentials: nil), live: .running(received: 7, expected: 9, speed: 1.5))
        transfer.error = ServiceError(.notFound, "No.")
        let shown = String(decoding: try APIJSON.bytes(transfer), as: UTF8.self)
        let signal = #"{"batch":{"ids":["0000000000000001+5"],"kind":"resumed","through":9}}"#
        var mutations = Mutations(seed: 15)
        try await mutations.rounds(1500) { mutations, _ in
            _ = try? APIJSON.decoder.decode(Transfer.self, from: Data(mutations.mutate(shown).utf8))
            _ = try? APIJSON.decoder.decode(SessionSignal.self, from: Data(mutations.mutate(signal).utf8))
        }
    }
}
