import FerryCore
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A batch` {
    @Test(arguments: ServiceKind.allCases)
    func `B1 is fetched as its items say, in their order`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            var batch = try bed.batch((1...40).map { "/\($0).bin" }) { $0.tags = ["all"] }
            batch.templates.append(try bed.template { $0.headers = [HeaderField(name: "X-Kind", value: "other")] })
            batch.items.each.append(
                TransferBatch.Item(template: 1, url: bed.origin.url("/other"), folder: bed.folder + "/below/."))
            let ids = try await bed.submit(batch)
            #expect(ids == ids.sorted())
            let listed = try await bed.transfers
            #expect(listed.map(\.id) == ids)
            var tagged = TransferQuery()
            tagged.tag = "all"
            #expect(try await bed.service.transfers(tagged).transfers.map(\.id) == Array(ids.prefix(40)))
            #expect(listed.map(\.url) == batch.items.each.map(\.url))
            #expect(listed.prefix(40).allSatisfy { $0.tags == ["all"] })
            #expect(listed.prefix(40).map(\.note?.data) == (1...40).map { "data of /\($0).bin" })
            #expect(listed.last?.note?.data == "")
            for id in ids { try await bed.wait(for: id, .succeeded) }
            let files = (1...40).map { "\($0).bin" } + ["below"]
            #expect(bed.files == files.sorted())
            #expect(FileManager.default.fileExists(atPath: bed.folder + "/below/other"))
            #expect(bed.origin.requests.first { $0.path == "/other" }?.value("X-Kind") == "other")
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `an item that is refused holds back no other`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            var batch = try bed.batch(["/1", "/2", "/3", "/4"]) { $0.timing.paused = true }
            batch.items.each[0].url = "ftp://a.example/"
            batch.items.each[2].name = "a/.."
            batch.items.each[3].template = 7
            let report = try await bed.service.submit(batch)
            #expect(
                report.results.map(\.error?.code) == [.unsupportedScheme, nil, .invalidRequest, .invalidRequest])
            #expect(try await bed.transfers.map(\.id) == [report.results[1].id])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `B1 resumes others in the same transaction, as the action does`(_ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(always: .hold("go", at: .head))) { bed in
            try await bed.limitManager(to: 1)
            let ids = try await bed.submit(bed.batch(["/1", "/2", "/3", "/4"]))
            try await bed.wait(for: ids[0], .running)
            try await bed.perform(.pause, on: [ids[1], ids[2]])
            var batch = try bed.batch(["/5"])
            let stranger = TransferID(rawValue: 1)
            batch.starts = [
                TransferBatch.Start(id: ids[0], name: "no-name-of-one-that-runs"), TransferBatch.Start(id: ids[1]),
                TransferBatch.Start(
                    id: ids[2], headers: [HeaderField(name: "X-A", value: "b")], name: "other"),
                TransferBatch.Start(id: stranger),
            ]
            let report = try await bed.service.submit(batch)
            #expect(report.results.map(\.error) == [nil])
            #expect(report.failures?.map(\.id) == [stranger, ids[0]])
            #expect(report.failures?.map(\.error?.code) == [.unknownTransfer, .invalidRequest])
            #expect(try await bed.transfers.map(\.state) == [.running, .waiting, .waiting, .waiting, .waiting])
            bed.origin.release("go")
            for id in ids + report.results.compactMap(\.id) { try await bed.wait(for: id, .succeeded) }
            #expect(bed.files == ["1", "2", "4", "5", "other"])
            #expect(bed.origin.requests.filter { $0.value("X-A") == "b" }.map(\.path) == ["/3"])
            // A successful transfer is downloaded again if its file is missing. A change does not need new items.
            try FileManager.default.removeItem(atPath: bed.folder + "/1")
            var again = TransferBatch(templates: [try bed.template()], items: [])
            again.starts = ids.map { TransferBatch.Start(id: $0) }
            let second = try await bed.service.submit(again)
            #expect(second.results == [] && second.failures == [])
            try await bed.wait(for: ids[0], .succeeded)
            #expect(bed.origin.requests.map(\.path).sorted() == ["/1", "/1", "/2", "/3", "/4", "/5"])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `of two sessions, or of none, is refused as a whole`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            var batch = try bed.batch(["/1"])
            batch.templates.append(TransferRequest(url: "", folder: bed.folder))
            for batch in [batch, TransferBatch(templates: [], items: [])] {
                let error = await #expect(throws: ServiceError.self) { try await bed.service.submit(batch) }
                #expect(error?.code == .invalidRequest)
            }
            #expect(try await bed.transfers == [])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `whose destination is refused is stored as failed, and can be started`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            try Data("old".utf8).write(to: URL(filePath: bed.folder + "/there"))
            let report = try await bed.service.submit(
                bed.batch(["/there", "/free", "/free"]) { $0.file.onConflict = .fail })
            let ids = report.results.compactMap(\.id)
            #expect(ids.count == 3)
            for id in [ids[0], ids[2]] {
                let failed = try await bed.service.transfer(id)
                #expect(failed.state == .failed && failed.error?.code == .destinationExists)
                #expect(failed.times.end != nil)
            }
            try await bed.wait(for: ids[1], .succeeded)
            try FileManager.default.removeItem(atPath: bed.folder + "/there")
            try await bed.perform(.start, on: [ids[0]])
            try await bed.wait(for: ids[0], .succeeded)
            #expect(bed.files == ["free", "there"])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `F6 gives numbers to names that are taken, on disk or by each other`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            try Data("old".utf8).write(to: URL(filePath: bed.folder + "/a"))
            let other = try await bed.add("/b") {
                $0.file.name = "b"
                $0.timing.paused = true
            }
            let ids = try await bed.submit(bed.batch(["/a", "/b", "/c", "/c"]))
            let names = try await bed.transfers.map { $0.destination.map { ($0 as NSString).lastPathComponent } }
            #expect(names == ["a-1", "b-1", "c", "c-1"])
            for id in ids { try await bed.wait(for: id, .succeeded) }
            #expect(bed.files == ["a", "a-1", "b-1", "c", "c-1"])
            try await bed.act(.remove, other.id)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `takes the credentials of a URL to its origin alone, and shows them nowhere`(_ kind: ServiceKind) async throws
    {
        try await withService(kind) { bed in
            var batch = try bed.batch(["/secret"])
            batch.items.each[0].url = bed.origin.url("/secret").replacing("://", with: "://user:word@")
            let id = try #require(await bed.submit(batch).first)
            let done = try await bed.wait(for: id, .succeeded)
            #expect(done.url == bed.origin.url("/secret"))
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `skips existing files where that is the policy, and reports the end`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            try Data("old".utf8).write(to: URL(filePath: bed.folder + "/there"))
            let app = try await bed.attachManager()
            let report = try await bed.service.submit(bed.batch(["/there"]) { $0.file.onConflict = .skip })
            let id = try #require(report.results.first?.id)
            try await app.wait(through: report.lastEvent)
            #expect(app.told(.submitted) == [id])
            #expect(app.kinds == [.succeeded])
            #expect(try await bed.service.transfer(id).unchanged)
            #expect(bed.asked == [])
            await app.leave()
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `keeps files in the spool until they are taken`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let ids = try await bed.submit(
                bed.batch(["/a", "/b"]) {
                    $0.file.spooled = true
                    $0.file.folder = ""
                })
            for id in ids {
                let done = try await bed.wait(for: id, .succeeded)
                #expect(done.destination?.hasSuffix("/\(id).download") == true)
            }
            #expect(bed.files == [])
            try await bed.perform(.remove)
            #expect(try await bed.transfers == [])
        }
    }
}
