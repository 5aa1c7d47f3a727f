import FerryCore
import Foundation
import Testing

@Suite struct `A change of a transfer` {
    @Test func `has one JSON object, whatever group a property belongs to`() throws {
        var change = TransferChange()
        change.action = .retry
        change.priority = .high
        (change.rateLimit, change.connections) = (1, 2)
        (change.url, change.mirrors) = ("http://a.example/", [])
        (change.folder, change.name, change.onConflict) = ("/f", "n", .replace)
        change.file.allowedFolders = AllowedFolders(["/f"])
        (change.onMismatch, change.headers, change.checksums) = (.keep, [HeaderField(name: "A", value: "b")], [])
        (change.network, change.notBefore) = (NetworkPolicy(), Date(timeIntervalSince1970: 1))
        (change.login.cookies, change.login.logins) = ([], [GivenLogin(host: nil, user: "u", password: "p")])
        change.note = ClientNote(application: "a", identifier: "", task: 0, kind: .download, data: "")
        change.retryRule = RetryRule(
            initialDelay: 1, multiplier: 1, maximumDelay: 1, jitter: 0, doubtfulRetries: 1)
        let bytes = try JSONEncoder().encode(change)
        #expect(try JSONDecoder().decode(TransferChange.self, from: bytes) == change)
        let object = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        #expect(TransferChange.keys.subtracting(object.keys) == ["answer", "trust_answer"])
        #expect(object["folder"] as? String == "/f" && object["allowed_folders"] as? [String] == ["/f"])
    }
}
