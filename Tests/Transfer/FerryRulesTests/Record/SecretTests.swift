import FerryCore
import FerryRules
import Foundation
import Testing

@Suite struct `Secrets of a transfer` {
    @Test(
        arguments: [
            ("http://me:pw@proxy:3128", "http://proxy:3128"), ("me:p@w@proxy:1/", "proxy:1/"),
            ("socks5://proxy:1080", "socks5://proxy:1080"), ("proxy", "proxy"), ("http://p/a@b", "http://p/a@b"),
            ("", ""),
        ])
    func `a proxy is kept without its password`(variable: String, kept: String) {
        var request = TransferRequest(url: "http://a/", folder: "/")
        request.transport.proxyEnvironment = ["http_proxy": variable]
        #expect(request.hasSecrets == (variable != kept))
        request.forgetSecrets()
        #expect(request.transport.proxyEnvironment == ["http_proxy": kept])
        #expect(request.secretsForgotten == (variable != kept))
    }

    @Test(
        arguments: [
            ("Authorization", true), ("COOKIE", true), ("X-Api-Key", true), ("Private-Token", true),
            ("X-Amz-Signature", true), ("Accept", false), ("User-Agent", false), ("Range", false), ("Referer", false),
        ])
    func `a field with the name of a credential is removed`(name: String, isSecret: Bool) {
        var request = TransferRequest(url: "http://a/", folder: "/")
        request.headers = [HeaderField(name: name, value: "v")]
        #expect(request.hasSecrets == isSecret)
        request.forgetSecrets()
        #expect(request.headers.isEmpty == isSecret && request.secretsForgotten == isSecret)
    }

    @Test func `a transfer that failed keeps them, and every other end forgets them`() throws {
        let success = Outcome.succeeded(Outcome.Success(path: "/a", size: 1, verified: []))
        #expect(success.forgetsSecrets && Outcome.canceled.forgetsSecrets)
        #expect(!Outcome.failed(ServiceError(.notFound, "No.")).forgetsSecrets)
        var record = TransferRecord(
            id: TransferID(rawValue: 1), createdAt: Date(timeIntervalSince1970: 0),
            request: TransferRequest(url: "http://a/", folder: "/"),
            credentials: Credentials(user: "me", password: nil))
        record.facts.response = ResponseFacts(
            url: "http://a/", status: 200, version: "HTTP/1.1",
            fields: [HeaderField(name: "Set-Cookie", value: "s=1"), HeaderField(name: "ETag", value: "e")])
        record.outcome = success
        #expect(record.hasSecrets && !record.request.hasSecrets)
        record.forgetSecrets()
        #expect(!record.hasSecrets)
        #expect(record.credentials == nil && record.facts.response?.fields.map(\.name) == ["ETag"])
        #expect(throws: ServiceError.self) { try record.checkHasSecrets() }
        record.outcome = nil
        try record.checkHasSecrets()
    }

    @Test func `no client says that they are forgotten`() {
        #expect(!TransferRequest.keys.contains("secrets_forgotten"))
    }
}
