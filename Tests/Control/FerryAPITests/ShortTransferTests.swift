import FerryAPI
import FerryCore
import FerryRules
import Foundation
import Testing

@Suite struct `A transfer in short` {
    private func transfer(_ change: (inout TransferRequest, inout TransferFacts) -> Void = { _, _ in }) -> Transfer {
        var request = TransferRequest(url: "http://a.example/f", folder: "/tmp")
        var facts = TransferFacts()
        change(&request, &facts)
        var record = TransferRecord(
            id: TransferID(rawValue: 7), createdAt: Date(timeIntervalSince1970: 5), request: request, credentials: nil)
        record.facts = facts
        return Transfer(record, live: .waiting(.slot))
    }

    private func text(_ transfer: Transfer) throws -> String {
        let page = ListTransfers.ShortPage(TransferPage(transfers: [transfer], next: nil))
        return String(decoding: try APIJSON.bytes(page), as: UTF8.self)
    }

    @Test func `has unusual values only`() throws {
        #expect(
            try text(transfer())
                == #"{"transfers":[{"bytes_received":0,"created_at":"1970-01-01T00:00:05.000Z","folder":"/tmp","#
                + #""id":"0000000000000007","reason":"slot","session":"cli","state":"waiting","#
                + #""url":"http://a.example/f"}]}"#)
    }

    @Test func `is read as the whole one`() throws {
        var full = transfer { request, facts in
            request.session = .cli
            request.timing.priority = .high
            request.transport.rateLimit = 5
            request.tags = ["t"]
            request.tls.insecure = true
            request.method = "POST"
            request.body = .bytes(Data([1]))
            request.response.expectedSize = 9
            request.timing.notBefore = Date(timeIntervalSince1970: 9)
            request.note = ClientNote(application: "a", identifier: "i", task: 1, kind: .upload, data: "d")
            facts.finalURL = "http://b.example/"
            facts.destination = "/tmp/f"
            facts.name = "f"
            facts.startedAt = Date(timeIntervalSince1970: 6)
            facts.lengthVerified = false
            facts.redirects = ["http://b.example/"]
            facts.notes = ["restarted"]
            facts.sending.sent = 1
            facts.startedOver = 2
            facts.bytesSpent = 77
        }
        full.error = ServiceError(.offline, "No network.")
        full.attempts = 3
        full.times.nextAttempt = Date(timeIntervalSince1970: 8)
        full.times.end = Date(timeIntervalSince1970: 7)
        full.unchanged = true
        full.bytesPerSecond = 1.5
        full.etag = "\"e\""
        full.lastModified = "m"
        full.contentType = "c"
        for transfer in [full, transfer()] {
            let page = try APIJSON.decoder.decode(TransferPage.self, from: Data(text(transfer).utf8))
            #expect(page == TransferPage(transfers: [transfer], next: nil))
        }
    }

    @Test func `is asked for by one word`() throws {
        let (query, isShort) = try ListTransfers.query([ListTransfers.omitsUsual, QueryItem("limit", "7")])
        #expect(isShort && query.limit == 7)
        #expect(try ListTransfers.query([]).isShort == false)
        #expect(throws: ServiceError.self) { try ListTransfers.query([QueryItem("omit", "all")]) }
    }
}
