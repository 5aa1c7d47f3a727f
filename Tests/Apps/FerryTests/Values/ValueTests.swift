@testable import Ferry
import FerryCore
import Foundation
import Testing

@Suite struct `Values of calls` {
    private struct Given: URLConvertible {
        let url: String?

        func asURL() throws -> URL {
            guard let url = url.flatMap(URL.init(string:)) else { throw CocoaError(.fileNoSuchFile) }
            return url
        }
    }

    // MARK: URLs

    @Test(arguments: [
        "http://example.org", "HTTPS://example.org/a?b#c", "http://user:word@127.0.0.1:81/ä b", "http://[::1]/",
    ])
    func `an http or https URL with a host is one`(text: String) throws {
        let url = try text.asURL()
        #expect(try url.asURL() == url && url.address() == url)
        let components = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false))
        #expect(try components.asURL().host == url.host)
    }

    @Test(arguments: [
        "", "nonsense", "/tmp/file", "file:///tmp/file", "ftp://example.org/a", "http:///a", "https://", "http:a",
    ])
    func `anything else is none`(text: String) {
        #expect(throws: FerryError.invalidURL(url: text)) { try text.asURL() }
        #expect(throws: FerryError.invalidURL(url: text)) { try DownloadSpec(text) }
        if let url = URL(string: text) {
            #expect(throws: FerryError.invalidURL(url: url.absoluteString)) { try url.asURL() }
        }
    }

    @Test func `components without a host are none`() {
        #expect(throws: FerryError.self) { try URLComponents().asURL() }
        #expect(throws: FerryError.invalidURL(url: "http://")) { try URLComponents(string: "http://")?.asURL() }
    }

    @Test func `an app's own conformances are checked too`() throws {
        #expect(try DownloadSpec(Given(url: "http://example.org/a")).url.path == "/a")
        #expect(throws: FerryError.invalidURL(url: "ftp://example.org/a")) {
            try DownloadSpec(Given(url: "ftp://example.org/a"))
        }
        #expect(throws: FerryError.invalidURL(url: "\(Given(url: nil))")) { try DownloadSpec(Given(url: nil)) }
    }

    // MARK: Waiting

    private func transfer(_ state: String, _ reason: String?, nextAttempt: Double?, notBefore: Double? = nil) throws
        -> Transfer
    {
        var fields: [String: Any] = [
            "id": "00000000000000a1", "session": "s", "url": "http://example.org/", "state": state,
            "bytes_received": 0, "created_at": 0,
        ]
        fields["reason"] = reason
        fields["next_attempt_at"] = nextAttempt
        fields["not_before"] = notBefore
        return try JSONDecoder().decode(Transfer.self, from: JSONSerialization.data(withJSONObject: fields))
    }

    private static let now = Date(timeIntervalSinceReferenceDate: 1000)
    private static let later = Date(timeIntervalSinceReferenceDate: 2000)

    @Test(
        arguments: [
            (.slot, .slot), (.session, .slot), (.host, .host), (.network, .network), (.cellular, .networkPolicy),
            (.expensive, .networkPolicy), (.constrained, .networkPolicy), (.power, .networkPolicy), (.disk, .diskSpace),
            (.retry, .backoff(until: later)), (.server, .backoff(until: later)), (.shutdown, .daemon),
            (.beginDate, .notBefore(Date(timeIntervalSinceReferenceDate: 3000))), (.unknown, .slot),
        ] as [(WaitReason, WaitingReason)])
    func `a transfer's reason is shown as the task's`(reason: WaitReason, shown: WaitingReason) throws {
        let transfer = try transfer("waiting", reason.rawValue, nextAttempt: 2000, notBefore: 3000)
        #expect(WaitingReason(transfer, now: Self.now) == shown)
    }

    @Test func `a transfer that does not wait has no reason, and one without a time waits from now on`() throws {
        #expect(try WaitingReason(transfer("running", nil, nextAttempt: nil), now: Self.now) == nil)
        #expect(try WaitingReason(transfer("suspended", "slot", nextAttempt: nil), now: Self.now) == nil)
        #expect(
            try WaitingReason(transfer("waiting", "retry", nextAttempt: nil), now: Self.now)
                == .backoff(until: Self.now))
    }

    // MARK: Defaults and others

    @Test func `a configuration and a spec begin with the usual limits`() throws {
        let configuration = SessionConfiguration()
        #expect(configuration.timeoutIntervalForRequest == 60 && configuration.timeoutIntervalForResource == 604_800)
        #expect(configuration.maxConcurrentTasksLimit == 6 && configuration.maxTasksPerHost == nil)
        #expect(configuration.maxBytesPerSecond == nil && !configuration.allowsCellularAccess)
        #expect(configuration.allowsExpensiveNetworkAccess && configuration.allowsConstrainedNetworkAccess)
        #expect(configuration.acceptableStatusCodes == 200..<300 && configuration.fileConflictPolicy == .unique)
        #expect(configuration.checksumMismatchPolicy == .keep)
        let spec = try DownloadSpec("http://example.org/a")
        #expect(spec.method == .get && spec.destination == .cache() && spec.conflict == .unique && spec.priority == 0)
        #expect(spec.id == nil && spec.headers.isEmpty && spec.metadata.isEmpty && spec.tags.isEmpty)
    }

    @Test(
        arguments: [
            (.md5, 32), (.sha1, 40), (.sha256, 64), (.sha512, 128),
        ] as [(FileChecksumHelper.VerificationType, Int)])
    func `a code of another length than its type's is none`(type: FileChecksumHelper.VerificationType, length: Int)
        throws
    {
        let code = String(repeating: "Ab", count: length / 2)
        #expect(Ferry.Checksum(type, " \(code)\n").core?.hex == code.lowercased())
        #expect(Ferry.Checksum(type, String(code.dropLast())).core == nil)
        #expect(Ferry.Checksum(type, String(code.dropLast()) + "g").core == nil)
        #expect(Ferry.Checksum(type, "").core == nil)
        let stored = try JSONEncoder().encode(Ferry.Checksum(type, code))
        #expect(try JSONDecoder().decode(Ferry.Checksum.self, from: stored) == Ferry.Checksum(type, code))
    }

    @Test func `trust is that of a host`() {
        let manager = ServerTrustPolicyManager(policies: ["example.org": .disableEvaluation])
        #expect(manager.policies == ["example.org": .disableEvaluation])
    }
}
