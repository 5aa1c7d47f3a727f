import FerryCore
@testable import FerryService
import FerryQueue
import FerryRules
import FerryStore
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Secrets` {
    private static let body = SeededBody(seed: 8, size: 2000)

    private func give(_ request: inout TransferRequest) {
        request.url = request.url.replacing("http://", with: "http://me:hunter2@")
        request.headers = [
            HeaderField(name: "X-Auth-Token", value: "hunter2"), HeaderField(name: "Accept", value: "*/*"),
        ]
    }

    private func stored(_ id: TransferID, _ local: LocalTransferService) async throws -> TransferRecord {
        try await local.existing(id)
    }

    @Test func `are not shown with the request`() async throws {
        try await withStoredService(OriginScript(Self.body)) { bed, _ in
            let id = try await bed.add("/file.bin") {
                give(&$0)
                $0.timing.paused = true
            }.id
            let shown = try await bed.service.request(of: id)
            #expect(shown.withheld == ["X-Auth-Token", "login"] && shown.request.headers.map(\.name) == ["Accept"])
            await #expect(throws: ServiceError.self) { try await bed.service.request(of: TransferID(rawValue: 1)) }
        }
    }

    @Test func `are forgotten with a success, and a session's client gives them again to fetch it anew`() async throws {
        try await withStoredService(OriginScript(Self.body)) { bed, local in
            let id = try await bed.add("/file.bin", give).id
            let path = try #require(try await bed.wait(for: id, .succeeded).destination)
            #expect(bed.origin.requests.first?.value("X-Auth-Token") == "hunter2")
            let record = try await stored(id, local)
            #expect(record.credentials == nil && record.request.headers.map(\.name) == ["Accept"])
            try FileManager.default.removeItem(atPath: path)
            let report = try await bed.service.act(.start, in: .cli, on: [id])
            #expect(report.failures.map(\.id) == [id] && report.failures.first?.error?.code == .authRequired)
            #expect(try await bed.service.transfer(id).state == .succeeded)
            var change = TransferChange()
            change.headers = [HeaderField(name: "X-Auth-Token", value: "again")]
            _ = try await bed.service.change(id, change)
            try await local.parts.upkeep.forgetOldSecrets()
            #expect(try await bed.service.act(.start, in: .cli, on: [id]).failures == [])
            try await eventually("the second file") { FileManager.default.fileExists(atPath: path) }
            #expect(bed.origin.requests.last?.value("X-Auth-Token") == "again")
        }
    }

    @Test func `are forgotten with a cancel, and a retry says so`() async throws {
        try await withStoredService(OriginScript(Self.body, always: .hold("h", at: .body(0)))) { bed, local in
            let id = try await bed.add("/file.bin", give).id
            await bed.origin.waitForHold("h")
            try await bed.act(.cancel, id)
            let record = try await stored(id, local)
            #expect(record.credentials == nil && record.request.headers.map(\.name) == ["Accept"])
            let result = try #require(
                try await bed.service.act(.retry, on: TransferSelection(ids: [id])).first)
            #expect(result.error?.code == .authRequired && result.error?.message.contains("were deleted") == true)
            let report = try await bed.service.act(.start, in: .cli, on: [id])
            #expect(report.failures.map(\.id) == [id])
            #expect(try await bed.service.transfer(id).state == .canceled)
        }
    }

    /// Secrets of failed transfers are deleted after some weeks, of canceled ones at once.
    @Test(arguments: [Outcome.failed(ServiceError(.notFound, "No.")), .canceled])
    func `are asked for by each way to resume once they were forgotten`(outcome: Outcome) async throws {
        let script = OriginScript(Self.body, .on(.request(1), .status(404)))
        try await withStoredService(script) { bed, local in
            let id = try await bed.add("/file.bin", give).id
            try await bed.wait(for: id, .failed)
            try await local.journal.commit { transaction throws(ServiceError) in
                guard var record = try transaction.record(id) else { return }
                record.outcome = outcome
                record.forgetSecrets()
                try transaction.update(record)
            }
            var batch = TransferBatch(templates: [TransferRequest(url: "", folder: bed.folder)], items: [])
            batch.starts = [TransferBatch.Start(id: id, name: "other")]
            let answers = [
                try await bed.service.act(.retry, on: TransferSelection(ids: [id])),
                try await bed.service.act(.start, in: .cli, on: [id]).failures,
                try await bed.service.act(.start, in: .cli, on: nil).failures,
                try await bed.service.submit(batch).failures ?? [],
            ]
            for answer in answers { #expect(answer.map(\.error?.code) == [.authRequired] && answer[0].id == id) }
            #expect(try await bed.service.transfer(id).state == outcome.state)
            #expect(bed.origin.requests.count == 1)
            batch.starts = [TransferBatch.Start(id: id, headers: [HeaderField(name: "X-Auth-Token", value: "again")])]
            #expect(try await bed.service.submit(batch).failures == [])
            try await bed.wait(for: id, .succeeded)
            #expect(bed.origin.requests.map { $0.value("X-Auth-Token") } == ["hunter2", "again"])
        }
    }

    /// Earlier versions kept them until a transfer was removed.
    @Test func `of an earlier daemon are forgotten after the start, without suspended transfers`() async throws {
        let script = OriginScript(Self.body, always: .hold("h", at: .body(0)))
        try await withTemporaryFolder { outside in
            try await withOrigin(script) { origin in
                var ids: [TransferID] = []
                try await withService(.inProcess, origin, outside, keepsState: true) { bed in
                    let local = try #require(bed.service as? LocalTransferService)
                    let live = try await bed.add("/live", give)
                    let session = try await local.existing(live.id)
                    let old = Date(timeIntervalSince1970: 1_700_000_000)
                    let records = [Outcome.canceled, .failed(ServiceError(.notFound, "No."))].map { outcome in
                        var record = TransferRecord(
                            id: TransferID.next(after: ids.last ?? TransferID(rawValue: 1), milliseconds: 1),
                            createdAt: old, request: session.request, credentials: session.credentials)
                        record.outcome = outcome
                        record.finishedAt = old
                        ids.append(record.id)
                        return record
                    }
                    try await local.journal.commit { transaction throws(ServiceError) in
                        for record in records { try transaction.insert(record) }
                    }
                }
                try await withService(.inProcess, origin, outside, keepsState: true) { bed in
                    let local = try #require(bed.service as? LocalTransferService)
                    await origin.waitForHold("h")
                    try await eventually("the secrets are gone") {
                        for id in ids where try await local.existing(id).hasSecrets { return false }
                        return true
                    }
                }
            }
        }
    }

    @Test func `stay with a failure, so that a retry serves`() async throws {
        let script = OriginScript(Self.body, .on(.request(1), .status(404)))
        try await withStoredService(script) { bed, _ in
            let id = try await bed.add("/file.bin", give).id
            try await bed.wait(for: id, .failed)
            try await bed.act(.retry, id)
            try await bed.wait(for: id, .succeeded)
            #expect(bed.origin.requests.last?.value("X-Auth-Token") == "hunter2")
        }
    }
}
