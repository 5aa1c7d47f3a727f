import FerryCore
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `The same request` {
    /// A request and its expected error code.
    struct Wish: CustomTestStringConvertible, Sendable {
        let name: String
        var url = "/file"
        let code: ErrorCode?
        var change: @Sendable (inout TransferRequest, _ folder: String) -> Void = { _, _ in }

        var testDescription: String { name }
    }

    static let wishes = [
        Wish(name: "a file", code: nil),
        Wish(name: "a file with a header", code: nil) { request, _ in
            request.headers = [HeaderField(name: "X-A", value: "b")]
        },
        Wish(name: "another scheme", url: "ftp://a.example/", code: .unsupportedScheme),
        Wish(name: "no URL", url: "http://a b/", code: .invalidURL),
        Wish(name: "a relative folder", code: .invalidRequest) { request, _ in request.file.folder = "relative" },
        Wish(name: "a folder that is a file", code: .destinationUnwritable) { request, folder in
            _ = FileManager.default.createFile(atPath: folder + "/taken", contents: nil)
            request.file.folder = folder + "/taken/below"
        },
        Wish(name: "a tag without text", code: .invalidRequest) { request, _ in request.tags = [""] },
        Wish(name: "a number out of its range", code: .invalidRequest) { request, _ in
            request.transport.connections = 99_999
        },
        Wish(name: "certificates that are not there", url: "https://a.example/", code: .invalidRequest) {
            $0.tls.trust = RequestTrust(authorities: $1 + "/none.pem")
        },
        Wish(name: "certificates that are not there and not needed", code: nil) {
            $0.tls.trust = RequestTrust(authorities: $1 + "/none.pem")
        },
        Wish(name: "a folder to be made", code: nil) { request, folder in
            request.file.folder = folder + "/new"
            request.file.createFolders = true
        },
        Wish(name: "later", code: nil) { request, _ in request.timing.paused = true },
    ]

    @Test(arguments: ServiceKind.allCases, wishes)
    func `gets the same answer, and becomes the same transfer`(_ kind: ServiceKind, _ wish: Wish) async throws {
        try await withService(kind) { bed in
            var template = TransferRequest(url: "", folder: bed.folder)
            wish.change(&template, bed.folder)
            template.timing.paused = true
            let url = wish.url.hasPrefix("/") ? bed.origin.url(wish.url) : wish.url
            var request = template
            request.url = url
            let alone = try await bed.service.submit([request])[0]
            let line = try await refusal(bed.service, TransferBatch(template: template, urls: URLLines([url])))
            let item = try await bed.service.submit(
                TransferBatch(templates: [template], items: [TransferBatch.Item(template: 0, url: url)]))
            if case .refused(let error) = alone {
                #expect(error.code == wish.code)
                #expect(line == error)
                // A batch stores an item that only lacks its destination, because it can be started again.
                var refusal = item.results[0].error
                if let id = item.results[0].id { refusal = try await bed.service.transfer(id).error }
                #expect(refusal == error)
                #expect((item.results[0].id != nil) == (error.code == .destinationUnwritable))
            } else {
                #expect(wish.code == nil)
                let ids = try await bed.service.transfers(TransferQuery()).transfers
                #expect(ids.count == 3)
                let plain = try ids.map { try Self.plain($0) }
                #expect(Set(plain).count == 1, "\(plain)")
            }
        }
    }

    /// Returns the error of a batch's only item, or of the whole batch.
    private func refusal(
        _ service: any SessionService, _ batch: TransferBatch
    ) async throws(ServiceError) -> ServiceError? {
        do throws(ServiceError) {
            return try await service.submit(batch).results.first?.error
        } catch  where error.code == .invalidRequest {
            return error
        }
    }

    /// Returns the transfer's description without its identity.
    private static func plain(_ transfer: Transfer) throws -> String {
        var same = transfer
        same.id = TransferID(rawValue: 1)
        same.createdAt = Date(timeIntervalSince1970: 0)
        return "\(same)"
    }

    @Test(arguments: ServiceKind.allCases)
    func `of several sessions is one transaction whose events follow each other`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let names = ["a", "b", "b", "a"]
            let requests = try names.map { name in
                let session = try SessionID(name)
                return bed.request("/\(name)") {
                    $0.session = session
                    $0.timing.paused = true
                }
            }
            let ids = try await bed.add(requests).map(\.id)
            #expect(ids == ids.sorted())
            var subscription = EventSubscription()
            subscription.after = 0
            let events = try await bed.service.events(subscription)
            var told: [TransferEvent] = []
            for try await event in events {
                told.append(event)
                if told.count == names.count { break }
            }
            #expect(told.map(\.id) == ids && told.map(\.number) == [1, 2, 3, 4])
            #expect(told.map(\.session.name) == names)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `a file to resume with is refused to several items`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            var template = try bed.template { $0.file.spooled = true }
            template.file.continues = PartialSource(
                path: bed.folder + "/part", offset: 1, etag: "\"e\"", lastModified: nil, date: nil, completeLength: 2)
            let items = ["/1", "/2"].map { TransferBatch.Item(template: 0, url: bed.origin.url($0)) }
            let report = try await bed.service.submit(TransferBatch(templates: [template], items: items))
            #expect(report.results.map(\.error?.code) == [.invalidRequest, .invalidRequest])
            #expect(try await bed.transfers == [])
        }
    }
}
