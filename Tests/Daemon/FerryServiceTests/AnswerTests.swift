import FerryCore
@testable import FerryService
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Answers of a client` {
    private static let body = SeededBody(seed: 44, size: 50_000)
    private static let locked = OriginScript(body, always: .basic(user: "u", password: "p"))

    private func spooled(_ bed: ServiceBed, _ path: String = "/file.bin") -> TransferRequest {
        bed.request(path) { request in
            request.file.folder = ""
            request.file.spooled = true
            request.file.onConflict = .replace
            request.response.statusPolicy = .any
        }
    }

    private func answer(_ answer: ChallengeAnswer) -> TransferChange {
        var change = TransferChange()
        change.answer = answer
        return change
    }

    private func attach(_ bed: ServiceBed) async throws {
        try await #require(bed.service as? LocalTransferService).parts.apps.memories.attach(.cli)
    }

    private func authentication(_ transfer: Transfer) throws -> AuthenticationChallenge {
        guard case .authentication(let challenge) = transfer.challenge else {
            throw TestingError("no challenge: \(transfer)")
        }
        return challenge
    }

    @Test func `27 a challenge waits for the attached client, whose answer serves the whole session`() async throws {
        try await withService(.inProcess, Self.locked) { bed in
            try await attach(bed)
            let ids = try await bed.add([spooled(bed, "/a"), spooled(bed, "/b")]).map(\.id)
            for id in ids { try await bed.wait(for: id, waiting: .authentication) }
            let challenge = try authentication(await bed.service.transfer(ids[0]))
            #expect(challenge.scheme == .basic && challenge.previousFailures == 0)
            let credentials = Credentials(user: "u", password: "p")
            _ = try await bed.service.change(ids[0], answer(.credentials(credentials)))
            for id in ids {
                let ended = try await bed.wait(for: id, .succeeded)
                #expect(ended.response?.status == 200 && ended.challenge == nil)
            }
            let later = try #require(await bed.add([spooled(bed, "/c")]).first).id
            let ended = try await bed.wait(for: later, .succeeded)
            #expect(ended.response?.status == 200)
        }
    }

    @Test func `25 refused credentials are asked for again, with the number of refusals`() async throws {
        try await withService(.inProcess, Self.locked) { bed in
            try await attach(bed)
            let id = try #require(await bed.add([spooled(bed)]).first).id
            try await bed.wait(for: id, waiting: .authentication)
            for refusals in 1...2 {
                let wrong = Credentials(user: "u", password: "wrong \(refusals)")
                _ = try await bed.service.change(id, answer(.credentials(wrong)))
                try await bed.wait(for: id, "refusal \(refusals)") {
                    guard case .authentication(let challenge) = $0.challenge else { return false }
                    return $0.reason == .authentication && challenge.previousFailures == refusals
                }
            }
            _ = try await bed.service.change(id, answer(.credentials(Credentials(user: "u", password: "p"))))
            try await bed.wait(for: id, .succeeded)
        }
    }

    @Test func `25 default handling makes the 401 the result, cancelling ends the transfer`() async throws {
        try await withService(.inProcess, Self.locked) { bed in
            try await attach(bed)
            let ids = try await bed.add([spooled(bed, "/a"), spooled(bed, "/b")]).map(\.id)
            for id in ids { try await bed.wait(for: id, waiting: .authentication) }
            _ = try await bed.service.change(ids[1], answer(.cancel))
            try await bed.wait(for: ids[1], .canceled)
            _ = try await bed.service.change(ids[0], answer(.performDefault))
            let ended = try await bed.wait(for: ids[0], .succeeded)
            #expect(ended.response?.status == 401)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `27 a detached client that never answered gets default handling`(_ kind: ServiceKind) async throws {
        try await withService(kind, Self.locked) { bed in
            let id = try #require(await bed.add([spooled(bed)]).first).id
            let ended = try await bed.wait(for: id, .succeeded)
            #expect(ended.response?.status == 401)
        }
    }

    @Test func `23 cookies of a session go to its later transfers, also after a restart`() async throws {
        let script = OriginScript(Self.body, .on(.path("/sets"), .field("Set-Cookie", "k=v; Path=/")))
        try await withTemporaryFolder { outside in
            try await withOrigin(script) { origin in
                try await withService(.inProcess, origin, outside, keepsState: true) { bed in
                    for path in ["/sets", "/same"] {
                        let id = try #require(await bed.add([spooled(bed, path)]).first).id
                        try await bed.wait(for: id, .succeeded)
                    }
                }
                try await withService(.inProcess, origin, outside, keepsState: true) { bed in
                    var other = spooled(bed, "/other")
                    other.session = try SessionID("other")
                    for id in try await bed.add([spooled(bed, "/later"), other]).map(\.id) {
                        try await bed.wait(for: id, .succeeded)
                    }
                }
                let sent = Dictionary(origin.requests.map { ($0.path, $0.value("Cookie")) }) { $1 }
                #expect(sent["/sets"] == .some(nil) && sent["/other"] == .some(nil))
                #expect(sent["/same"] == "k=v" && sent["/later"] == "k=v")
            }
        }
    }
}
