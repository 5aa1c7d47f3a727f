import FerryCore
import Foundation
import Testing

@Suite struct `Values of the service` {
    @Test func `the reply to a submission is unchanged by a round trip`() throws {
        let request = TransferRequest(url: "http://example.com/a", folder: "/tmp")
        let record = TransferRecord(
            id: TransferID(rawValue: 1), createdAt: Date(timeIntervalSince1970: 5), request: request, credentials: nil)
        for result in [
            SubmissionResult.accepted(Transfer(record, live: .waiting(.slot))),
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
        request.connections = 4
        request.session = try SessionID("s")
        request.name = "n"
        request.headers = [HeaderField(name: "A", value: "b")]
        request.checksums = [Checksum(.md5, bytes: [UInt8](repeating: 1, count: 16))]
        request.partialFolder = "/parts"
        request.onMismatch = .keep
        request.onConflict = .update
        request.priority = .high
        request.rateLimit = 5000
        request.retries = 0
        request.statusRetries = 4
        request.giveUpAfter = 0
        request.deadline = Date(timeIntervalSince1970: 7)
        request.expectedSize = 0
        request.maxSize = 9
        request.minSpeed = 3
        request.minSpeedTime = 4
        request.createFolders = false
        request.nameFrom = .final
        request.remoteTime = true
        request.originAttribute = true
        request.insecure = true
        request.skipsHostVerification = true
        request.redirects = RedirectPolicy(allowDowngrade: true, allowPrivateRedirects: true, most: 7)
        request.paused = true
        request.tags = ["t"]
        request.proxyEnvironment = ["http_proxy": ""]
        request.trust = RequestTrust(authorities: "/ca", certificate: "/c", key: "/k")
        request.umask = FileMask(0o027)
        request.method = "PUT"
        request.body = .file(RequestBody.SentFile(path: "/f", size: 3, modified: 4))
        request.statusPolicy = .any
        request.acceptableStatuses = StatusRange(lower: 200, upper: 300)
        request.foreignFields = .keep
        request.decode = true
        request.spooled = true
        request.continues = PartialSource(
            path: "/p", offset: 1, etag: "\"v\"", lastModified: nil, date: nil, completeLength: 2)
        request.idleTimeout = 5
        request.connectTimeout = 6
        request.resourceTimeout = 6
        request.notBefore = Date(timeIntervalSince1970: 8)
        request.network = NetworkPolicy(allowsCellular: false)
        request.onFullDisk = .fail
        request.retryRule = RetryRule(statusCodes: [503])
        request.cookies = [GivenCookie(name: "k", value: "v", domain: "a", path: "/", secure: false)]
        request.minimumTLS = .v1_0
        request.maximumTLS = .v1_3
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
