import FerryCore
import FerryRules
import FerryService
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Progress` {
    private static let body = SeededBody(seed: 61, size: 300_000)
    private static let size = body.size

    /// A server's behavior, with a short description.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let rules: [OriginRule]

        init(_ what: String, _ rules: OriginRule...) {
            testDescription = what
            self.rules = rules
        }

        /// Returns a fault that sends the same response to every request.
        static func answers(_ what: String, _ fields: String..., body: [UInt8] = []) -> Fault {
            let head = (["HTTP/1.1 206 Partial Content"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
            return Fault(what, .always(.raw(Array(head.utf8) + body)))
        }
    }

    // MARK: Retries

    /// Each attempt stores the same bytes as an earlier one, which must not reset its retries.
    @Test(arguments: [
        Fault("no ranges", .always(.noRanges, .cut(after: 150_000))),
        Fault("no validators", .always(.etag(nil), .lastModified(nil), .cut(after: 150_000))),
        Fault("a length that is too large", .always(.lengthTooLong(by: 100))),
        Fault("the same without ranges", .always(.noRanges, .lengthTooLong(by: 100))),
        Fault("parts of nothing", .on(.unranged, .cut(after: 150_000)), .on(.ranged, .cut(after: 0))),
        Fault("chunks without an end", .always(.noRanges, .chunkCut(after: 150_000))),
    ])
    func `a transfer that always starts from 0 ends after its retries`(_ fault: Fault) async throws {
        try await withService(.inProcess, OriginScript(Self.body, rules: fault.rules)) { bed in
            let id = try await bed.add { $0.timing.retries = 2 }.id
            let failed = try await bed.wait(for: id, .failed)
            #expect(failed.error?.code == .connectionLost, "\(String(describing: failed.error))")
            #expect(failed.attempts == 3)
            #expect(bed.files == [".ferry-\(id).part"])
        }
    }

    /// While the tag is the same, they must not fail as "the server's file kept changing" after five starts.
    @Test(arguments: [
        Fault("chunked", .always(.noRanges), .on(.requests(1...9), .chunkCut(after: 100_000))),
        Fault("until close", .always(.noRanges, .untilClose), .on(.requests(1...9), .reset(after: 100_000))),
    ])
    func `answers that are cut use up retries, and are no change of the file`(_ fault: Fault) async throws {
        try await withService(.inProcess, OriginScript(Self.body, rules: fault.rules)) { bed in
            let id = try await bed.add { $0.timing.retries = 20 }.id
            let done = try await bed.wait(for: id, .succeeded)
            #expect(done.attempts == 10)
            #expect(try Data(contentsOf: URL(filePath: bed.folder + "/file.bin")).count == Int(Self.size))
        }
    }

    // MARK: Requests

    /// The first part must not be accepted, rejected and requested again without a pause or limit.
    @Test(arguments: [
        Fault.answers(
            "the first part, with a tag", "Content-Range: bytes 0-99999/300000", "Content-Length: 100000",
            "ETag: \"v\"", body: body.bytes(in: 0..<100_000)),
        .answers(
            "the first part, without", "Content-Range: bytes 0-99999/300000", "Content-Length: 100000",
            body: body.bytes(in: 0..<100_000)),
        .answers(
            "the first part of who knows what", "Content-Range: bytes 0-99999/*", "Content-Length: 100000",
            "ETag: \"v\"", body: body.bytes(in: 0..<100_000)),
        .answers(
            "the same, without a tag", "Content-Range: bytes 0-99999/*", "Content-Length: 100000",
            body: body.bytes(in: 0..<100_000)),
        .answers("no bytes", "Content-Range: bytes 0-99999/300000", "Content-Length: 0", "ETag: \"v\""),
    ])
    func `one part sent to every request is a bad response after a few of them`(_ fault: Fault) async throws {
        try await withService(.inProcess, OriginScript(Self.body, rules: fault.rules)) { bed in
            let id = try await bed.add().id
            let failed = try await bed.wait(for: id, .failed)
            #expect(failed.error?.code == .badResponse, "\(String(describing: failed.error))")
            #expect(failed.attempts == 6)
            #expect(bed.origin.requests.count <= 9)
            #expect(!bed.files.contains("file.bin"))
        }
    }

    @Test func `a first part of unknown length is continued to the end`() async throws {
        let first = Fault.answers(
            "", "Content-Range: bytes 0-99999/*", "Content-Length: 100000",
            "ETag: \(OriginResource.etag(of: Self.body))",
            body: Self.body.bytes(in: 0..<100_000))
        guard case .raw(let bytes) = first.rules[0].modes[0] else { return }
        let script = OriginScript(Self.body, .on(.request(1), .raw(bytes)))
        try await withService(.inProcess, script) { bed in
            let id = try await bed.add { $0.response.checksums = [Self.body.checksum(.sha256)] }.id
            let done = try await bed.wait(for: id, .succeeded)
            #expect(done.attempts == 1 && done.bytesReceived == Self.size)
            #expect(bed.ranges() == [nil, "bytes=100000-"])
        }
    }

    /// Each part is valid but so small that the file takes as many requests as it has bytes.
    @Test func `parts of a few bytes each end an attempt`() async throws {
        let script = OriginScript(
            Self.body, .on(.request(1), .cut(after: 150_000)), .on(.ranged, .rangeSubset(10)))
        try await withService(.inProcess, script) { bed in
            let id = try await bed.add { $0.timing.retries = 3 }.id
            let failed = try await bed.wait(for: id, .failed)
            #expect(failed.error?.code == .badResponse)
            #expect(failed.attempts == 4)
            #expect(bed.origin.requests.count == 1 + 3 * AttemptLimits.requests)
        }
    }

    /// A worker with incomplete parts must not request the remaining bytes at once merely because another worker makes
    /// progress.
    @Test func `a worker whose parts are cut at once does not ask without pause`() async throws {
        let body = SeededBody(seed: 62, size: 6 << 20)
        let script = OriginScript(body, .on(.unranged, .stall(after: 1 << 20)), .on(.ranged, .cut(after: 1)))
        try await withService(.inProcess, script) { bed in
            let id = try await bed.add {
                $0.transport.connections = 4
                $0.timing.idleTimeout = 2
                $0.timing.retries = 0
            }.id
            let failed = try await bed.wait(for: id, .failed)
            #expect(failed.attempts == 1)
            #expect((2..<30).contains(bed.origin.requests.count), "\(bed.origin.requests.count) requests")
        }
    }

    // MARK: The budget

    @Test(arguments: ServiceKind.allCases)
    func `a server that cuts every answer and lies about parts ends at the hundredth start`(
        _ kind: ServiceKind
    ) async throws {
        let script = OriginScript(
            Self.body, .on(.unranged, .cut(after: 100_000)), .on(.ranged, .contentRange(.shifted)))
        try await withService(kind, script, { $0.delayScale = 0 }) { bed in
            let id = try await bed.add().id
            let failed = try await bed.wait(for: id, .failed)
            #expect(failed.error?.code == .budgetExceeded, "\(String(describing: failed.error))")
            #expect(failed.startedOver == TransferBudget.starts + 1)
            #expect(failed.bytesSpent >= 100_000 * Int64(TransferBudget.starts))
            #expect(bed.files == [".ferry-\(id).part"])
            // A retry by the user resets the budget.
            bed.origin.script = OriginScript(Self.body)
            #expect(try await bed.act(.retry, id) == .waiting)
            let done = try await bed.wait(for: id, .succeeded)
            #expect(done.bytesSpent > failed.bytesSpent)
        }
    }

    @Test func `a server that sends the same again costs ten times what there was of it and 64 MiB`() async throws {
        let body = SeededBody(seed: 63, size: 8 << 20)
        let part: Int64 = 6 << 20
        let script = OriginScript(body, .always(.noRanges, .cut(after: part)))
        try await withService(.inProcess, script, { $0.delayScale = 0 }) { bed in
            let id = try await bed.add { $0.transport.connections = 1 }.id
            let failed = try await bed.wait(for: id, .failed)
            #expect(failed.error?.code == .budgetExceeded, "\(String(describing: failed.error))")
            let allowed = TransferBudget.factor * part + TransferBudget.slack
            // The new bytes, the bytes allowed in vain, and the attempt that exceeded the limit.
            #expect(failed.bytesSpent > allowed && failed.bytesSpent <= part + allowed + body.size)
            #expect(failed.startedOver < TransferBudget.starts)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `a bad network costs no byte twice`(_ kind: ServiceKind) async throws {
        let script = OriginScript(Self.body, always: .cut(after: 10_001))
        try await withService(kind, script, { $0.delayScale = 0 }) { bed in
            let id = try await bed.add { $0.timing.retries = 10 }.id
            let done = try await bed.wait(for: id, .succeeded)
            #expect(done.attempts == 30 && done.startedOver == 0)
            #expect(done.bytesSpent == Self.size)
        }
    }
}
