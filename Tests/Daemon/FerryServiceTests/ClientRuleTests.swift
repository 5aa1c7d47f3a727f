import FerryCore
import FerryService
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Rules of clients` {
    private static let body = SeededBody(seed: 33, size: 300_000)

    private func change(_ change: (inout TransferChange) -> Void) -> TransferChange {
        var result = TransferChange()
        change(&result)
        return result
    }

    @Test(arguments: ServiceKind.allCases)
    func `22 the resource timeout ends running and waiting transfers`(_ kind: ServiceKind) async throws {
        let script = OriginScript(
            Self.body, .on(.path("/runs"), .hold("never", at: .body(1000))), .on(.path("/waits"), .status(500)))
        try await withService(kind, script, { $0.delayScale = 1000 }) { bed in
            let requests = ["/runs", "/waits"].map { path in bed.request(path) { $0.timing.resourceTimeout = 0.3 } }
            for id in try await bed.add(requests).map(\.id) {
                #expect(try await bed.wait(for: id, .failed).error?.code == .deadlineExceeded)
            }
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `22 the resource timeout does not run before the first start`(_ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(Self.body)) { bed in
            let paused = try await bed.add("/a") {
                $0.timing.paused = true
                $0.timing.resourceTimeout = 0.05
            }.id
            // Its own timeout shows that the other one's would have expired.
            let other = try await bed.add("/b") {
                $0.timing.notBefore = .distantFuture
                $0.timing.resourceTimeout = 0.2
            }.id
            try await bed.wait(for: other, .failed)
            #expect(try await bed.service.transfer(paused).state == .suspended)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `70 nothing is asked before the begin date, which can be changed`(_ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(Self.body)) { bed in
            let date = Date(timeIntervalSinceNow: 86_400)
            let id = try await bed.add { $0.timing.notBefore = date }.id
            let waiting = try await bed.wait(for: id, waiting: .beginDate)
            #expect(abs(try #require(waiting.notBefore).timeIntervalSince(date)) < 0.01)
            let other = try await bed.add("/other").id
            try await bed.wait(for: other, .succeeded)
            #expect(bed.asked == ["/other"])
            let changed = try await bed.service.change(id, change { $0.notBefore = .distantPast })
            #expect(changed.notBefore == nil)
            try await bed.wait(for: id, .succeeded)
        }
    }

    @Test func `70 the begin date holds after a restart, also for one that is resumed`() async throws {
        try await withTemporaryFolder { outside in
            try await withOrigin(OriginScript(Self.body)) { origin in
                var ids: [TransferID] = []
                try await withService(.inProcess, origin, outside, keepsState: true) { bed in
                    for path in ["/a", "/b"] {
                        let request = bed.request(path) {
                            $0.timing.notBefore = Date(timeIntervalSinceNow: 86_400)
                            $0.timing.paused = path == "/b"
                        }
                        ids += try await bed.add([request]).map(\.id)
                    }
                }
                try await withService(.inProcess, origin, outside, keepsState: true) { bed in
                    try await bed.act(.resume, ids[1])
                    for id in ids { try await bed.wait(for: id, waiting: .beginDate) }
                    #expect(bed.asked.isEmpty)
                }
            }
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `an expired URL waits for another one and keeps its bytes`(_ kind: ServiceKind) async throws {
        let script = OriginScript(
            Self.body, .on(.request(1), .cut(after: 100_000)), .on(.request(2), .status(403)))
        try await withService(kind, script) { bed in
            let id = try await bed.add { $0.timing.retryRule = RetryRule(expiredStatusCodes: [403]) }.id
            let waiting = try await bed.wait(for: id, waiting: .expired)
            #expect(waiting.times.nextAttempt == nil && waiting.error?.details.httpStatus == 403)
            let fields = [HeaderField(name: "X-Key", value: "new")]
            let url = bed.origin.url("/file.bin?signature=2")
            _ = try await bed.service.change(
                id,
                change {
                    $0.url = url
                    $0.headers = fields
                })
            let ended = try await bed.wait(for: id, .succeeded)
            #expect(try FileDigest.sha256(#require(ended.destination)) == Self.body.sha256Hex)
            let last = try #require(bed.origin.requests.last)
            #expect(last.value("X-Key") == "new" && last.value("Range")?.hasPrefix("bytes=") == true)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `the request of an ended transfer, or one that is no GET, is not replaced`(_ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(Self.body), { _ in }) { bed in
            let ended = try await bed.add([
                bed.request {
                    $0.file.spooled = true
                    $0.file.onConflict = .replace
                }
            ])[0].id
            try await bed.wait(for: ended, .succeeded)
            let upload = try await bed.add("/up") {
                $0.method = "PUT"
                $0.timing.paused = true
            }.id
            for id in [ended, upload] {
                await #expect(throws: ServiceError.self) {
                    _ = try await bed.service.change(id, change { $0.headers = [] })
                }
                do {
                    _ = try await bed.service.change(id, change { $0.url = bed.origin.url("/new") })
                } catch let error as ServiceError {
                    #expect(error.code == .requestNotReplaceable)
                }
            }
            let note = ClientNote(application: "a", identifier: "b", task: 1, kind: .download, data: "x")
            #expect(try await bed.service.change(ended, change { $0.note = note }).note == note)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `33 a session's connections to one host are limited`(_ kind: ServiceKind) async throws {
        let script = OriginScript(Self.body, always: .hold("all", at: .body(1000)))
        try await withService(kind, script) { bed in
            _ = try await bed.service.changeSession(.cli, to: SessionSettings(hostConnections: 2))
            let ids = try await bed.add((0..<3).map { bed.request("/\($0)") }).map(\.id)
            for id in ids[..<2] { try await bed.wait(for: id, .running) }
            try await bed.wait(for: ids[2], waiting: .host)
            bed.origin.release("all")
            for id in ids { try await bed.wait(for: id, .succeeded) }
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `8 a note is returned as it was given`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let note = ClientNote(
                application: "app", identifier: "id", task: 7, kind: .upload,
                data: String(repeating: "é", count: 500_000))
            let id = try await bed.add {
                $0.timing.paused = true
                $0.note = note
            }.id
            #expect(try await bed.service.transfer(id).note == note)
        }
    }
}
