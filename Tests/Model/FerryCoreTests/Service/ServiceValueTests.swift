import FerryCore
import Foundation
import Testing

@Suite struct `Values of the service` {
    @Test func `the reply to a submission is unchanged by a round trip`() throws {
        let transfer = Transfer(
            TransferID(rawValue: 1), in: .cli, url: "http://example.com/a", state: .suspended,
            createdAt: Date(timeIntervalSince1970: 5))
        for result in [
            SubmissionResult.accepted(transfer),
            .refused(ServiceError(.invalidURL, "No.")),
        ] {
            let data = try JSONEncoder().encode(result)
            #expect(try JSONDecoder().decode(SubmissionResult.self, from: data) == result)
        }
    }

    @Test func `a request is unchanged by a round trip, and encodes only unusual values`() throws {
        var request = TransferRequest(url: "http://example.com/a", folder: "/tmp")
        let plain = try JSONEncoder().encode(request)
        let object = try #require(try JSONSerialization.jsonObject(with: plain) as? [String: Any])
        #expect(Set(object.keys) == ["url", "folder"])
        #expect(try JSONDecoder().decode(TransferRequest.self, from: plain) == request)
        request.mirrors = ["http://example.org/a"]
        request.transport.connections = 4
        request.session = try SessionID("s")
        request.file.name = "n"
        request.headers = [HeaderField(name: "A", value: "b")]
        request.response.checksums = [Checksum(.md5, bytes: [UInt8](repeating: 1, count: 16))]
        request.file.partialFolder = "/parts"
        request.response.onMismatch = .keep
        request.file.onConflict = .update
        request.timing.priority = .high
        request.transport.rateLimit = 5000
        request.timing.retries = 0
        request.timing.statusRetries = 4
        request.timing.giveUpAfter = 0
        request.timing.deadline = Date(timeIntervalSince1970: 7)
        request.response.expectedSize = 0
        request.response.maxSize = 9
        request.timing.minSpeed = 3
        request.timing.minSpeedTime = 4
        request.file.createFolders = false
        request.file.allowedFolders = AllowedFolders(["/f"])
        request.file.nameFrom = .final
        request.file.remoteTime = true
        request.file.originAttribute = true
        request.tls.insecure = true
        request.tls.skipsHostVerification = true
        request.transport.redirects = RedirectPolicy(allowDowngrade: true, allowPrivateRedirects: true, most: 7)
        request.timing.paused = true
        request.tags = ["t"]
        request.transport.proxyEnvironment = ["http_proxy": ""]
        request.tls.trust = RequestTrust(authorities: "/ca", certificate: "/c", key: "/k")
        request.file.umask = FileMask(0o027)
        request.method = "PUT"
        request.body = .file(RequestBody.SentFile(path: "/f", size: 3, modified: 4))
        request.response.statusPolicy = .any
        request.response.acceptableStatuses = StatusRange(lower: 200, upper: 300)
        request.transport.foreignFields = .keep
        request.response.decode = true
        request.file.spooled = true
        request.file.continues = PartialSource(
            path: "/p", offset: 1, etag: "\"v\"", lastModified: nil, date: nil, completeLength: 2)
        request.timing.idleTimeout = 5
        request.timing.connectTimeout = 6
        request.timing.resourceTimeout = 6
        request.timing.notBefore = Date(timeIntervalSince1970: 8)
        request.transport.network = NetworkPolicy(allowsCellular: false)
        request.file.onFullDisk = .fail
        request.timing.retryRule = RetryRule(statusCodes: [503])
        request.cookies = [GivenCookie(name: "k", value: "v", domain: "a", path: "/", secure: false)]
        request.login.logins = [GivenLogin(host: "a", port: 1, user: "u", password: "p")]
        request.login.isPreemptive = true
        request.login.usesSessionCookies = false
        request.transport.addressFamily = .ipv6
        request.transport.addressScope = .global
        request.tls.minimumVersion = .v1_0
        request.tls.maximumVersion = .v1_3
        request.note = ClientNote(application: "a", identifier: "i", task: 1, kind: .upload, data: "d")
        let data = try JSONEncoder().encode(request)
        #expect(try JSONDecoder().decode(TransferRequest.self, from: data) == request)
        let keys = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any]).keys
        // These two are a short form of a body with a file.
        #expect(Set(keys).union(["direction", "file"]) == TransferRequest.keys)
    }

    @Test func `an event of a newer kind is read`() throws {
        let text = #"{"number":3,"kind":"sang","at":0,"id":"0000000000000001","session":"cli"}"#
        let event = try JSONDecoder().decode(TransferEvent.self, from: Data(text.utf8))
        #expect(event.kind == .unknown && event.number == 3 && event.transfer == nil)
    }

    @Test(arguments: [TransferState.succeeded, .failed, .canceled, .waiting, .running, .suspended])
    func `a state is an end or it is not`(state: TransferState) {
        #expect(state.isEnded == [.succeeded, .failed, .canceled].contains(state))
        #expect(TransferState.known.contains(state) && TransferState.known.count == 6)
    }
}
