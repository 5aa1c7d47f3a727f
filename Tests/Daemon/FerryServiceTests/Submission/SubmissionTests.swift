import FerryCore
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Submission` {
    @Test(arguments: ServiceKind.allCases)
    func `one request becomes one whole file`(_ kind: ServiceKind) async throws {
        let body = SeededBody(seed: 3, size: 300_000)
        try await withService(kind, OriginScript(body)) { bed in
            let transfer = try await bed.add { $0.tags = ["a", "b"] }
            #expect(transfer.state == .waiting && transfer.reason == .slot)
            #expect(transfer.url == bed.origin.url() && transfer.folder == bed.folder && transfer.tags == ["a", "b"])
            let done = try await bed.wait(for: transfer.id, .succeeded)
            #expect(done.destination == bed.folder + "/file.bin")
            #expect(done.bytesReceived == body.size && done.bytesExpected == body.size)
            #expect(done.attempts == 1 && done.error == nil && done.times.end != nil)
            #expect(try FileDigest.sha256(bed.folder + "/file.bin") == body.sha256Hex)
            #expect(bed.files == ["file.bin"])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `many requests are answered one by one and in order`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let requests = (1...20).map { number in bed.request("/\(number)") { $0.timing.paused = true } }
            let transfers = try await bed.add(requests)
            #expect(transfers.map(\.url) == requests.map(\.url))
            #expect(transfers.map(\.id) == transfers.map(\.id).sorted())
            #expect(Set(transfers.map(\.id)).count == 20)
            #expect(transfers.allSatisfy { $0.state == .suspended && $0.reason == nil })
            #expect(try await bed.service.submit([]) == [])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `one bad request does not hold back the good ones`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let requests = [
                bed.request("/1"), bed.request("ftp://example.com/x"), bed.request("/2"), bed.request("http:///x"),
                bed.request("/3") { $0.file.folder = "relative" },
            ]
            let results = try await bed.service.submit(requests)
            let codes = results.map { result -> ErrorCode? in
                if case .refused(let error) = result { error.code } else { nil }
            }
            #expect(codes == [nil, .unsupportedScheme, nil, .invalidURL, .invalidRequest])
            #expect(try await bed.service.transfers(TransferQuery()).transfers.count == 2)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `a batch of a thousand is stored`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            try await bed.add((0..<1000).map { number in bed.request("/\(number)") { $0.timing.paused = true } })
            let status = try await bed.service.status()
            #expect(status.transfers["suspended"] == 1000)
            #expect(status.lastEvent == 1000)
            #expect(bed.origin.requests.isEmpty)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `an unknown transfer is an error by its code`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let id = TransferID(rawValue: 1)
            let unknown = await #expect(throws: ServiceError.self) { try await bed.service.transfer(id) }
            #expect(unknown?.code == .unknownTransfer)
            let change = await #expect(throws: ServiceError.self) {
                try await bed.service.change(id, TransferChange())
            }
            #expect(change?.code == .unknownTransfer)
            for action in TransferAction.allCases {
                let results = try await bed.service.act(action, on: TransferSelection(ids: [id]))
                #expect(results.map(\.error?.code) == [.unknownTransfer])
            }
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `Q7 userinfo is cut out of the URL and sent to its origin when that asks`(_ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(always: .basic(user: "ann", password: "secret"))) { bed in
            let url = bed.origin.url().replacingOccurrences(of: "http://", with: "http://ann:secret@")
            let transfer = try await bed.add([bed.request(url)])[0]
            #expect(transfer.url == bed.origin.url())
            try await bed.wait(for: transfer.id, .succeeded)
            #expect(bed.origin.requests.map { $0.value("Authorization") } == [nil, "Basic YW5uOnNlY3JldA=="])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `a cancelled caller does no harm to the service`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let transfer = try await bed.add { $0.timing.paused = true }
            for _ in 0..<50 {
                let call = Task {
                    _ = try? await bed.service.transfer(transfer.id)
                    _ = try? await bed.service.act(.resume, on: TransferSelection(ids: [transfer.id]))
                    _ = try? await bed.service.act(.pause, on: TransferSelection(ids: [transfer.id]))
                }
                call.cancel()
                await call.value
            }
            try await bed.act(.resume, transfer.id)
            try await bed.wait(for: transfer.id, .succeeded)
        }
    }
}
