import FerryCore
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A new URL` {
    private static let secrets = [
        HeaderField(name: "Authorization", value: "Bearer s3cret"),
        HeaderField(name: "Cookie", value: "session=s3cret"),
        HeaderField(name: "X-Api-Key", value: "s3cret"), HeaderField(name: "Accept", value: "text/plain"),
    ]

    private func paused(_ bed: ServiceBed) async throws -> TransferID {
        try await bed.add {
            $0.timing.paused = true
            $0.headers = Self.secrets
            $0.cookies = [GivenCookie(name: "given", value: "s3cret", domain: ".127.0.0.1", path: "/", secure: false)]
        }.id
    }

    @Test(arguments: ServiceKind.allCases)
    func `at another server gets none of the secrets, and says so`(_ kind: ServiceKind) async throws {
        try await withOrigin(OriginScript()) { other in
            try await withService(kind) { bed in
                let id = try await paused(bed)
                var change = TransferChange()
                change.url = other.url("/file.bin")
                change.action = .resume
                let changed = try await bed.service.change(id, change)
                let note = try #require(changed.notes.last)
                #expect(TransferNotes.isAboutRemovedParts(note))
                for name in ["Authorization", "Cookie", "X-Api-Key", "cookies"] { #expect(note.contains(name)) }
                try await bed.wait(for: id, .succeeded)
                #expect(!other.requests.isEmpty && bed.origin.requests.isEmpty)
                for request in other.requests {
                    #expect(!request.fields.contains { $0.value.contains("s3cret") }, "\(request.fields)")
                    #expect(request.value("Accept") == "text/plain")
                }
            }
        }
    }

    /// Changing it twice must not bring the secrets back.
    @Test(arguments: ServiceKind.allCases)
    func `at the former server again gets them no more`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let id = try await paused(bed)
            for url in ["http://localhost:1/", bed.origin.url("/file.bin")] {
                var change = TransferChange()
                change.url = url
                _ = try await bed.service.change(id, change)
            }
            try await bed.act(.resume, id)
            try await bed.wait(for: id, .succeeded)
            for request in bed.origin.requests { #expect(!request.fields.contains { $0.value.contains("s3cret") }) }
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `at the same server gets them, and a user's name and password too`(_ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(always: .basic(user: "user", password: "password"))) { bed in
            let url = bed.origin.url("/file.bin").replacing("http://", with: "http://user:password@")
            let id = try await bed.add([bed.request(url) { $0.timing.paused = true }])[0].id
            var change = TransferChange()
            change.url = bed.origin.url("/other.bin")
            change.headers = [HeaderField(name: "X-Api-Key", value: "new")]
            let changed = try await bed.service.change(id, change)
            #expect(!changed.notes.contains(where: TransferNotes.isAboutRemovedParts))
            try await bed.act(.resume, id)
            try await bed.wait(for: id, .succeeded)
            let request = try #require(bed.origin.requests.last)
            #expect(request.value("X-Api-Key") == "new" && request.value("Authorization")?.hasPrefix("Basic ") == true)
        }
    }

    @Test func `with new fields gets those alone`() {
        var request = TransferRequest(url: "https://a.example/f", folder: "/f")
        request.headers = Self.secrets
        request.tls.trust = RequestTrust(authorities: "/ca.pem", certificate: "/c.pem", key: "/k.pem")
        #expect(request.replaceURL(with: "https://a.example/g?token=1").isEmpty && request.headers == Self.secrets)
        // Another port, another scheme and another host are other origins.
        for url in ["https://a.example:8443/f", "http://a.example/f", "https://b.example/f"] {
            var changed = request
            #expect(
                changed.replaceURL(with: url) == ["Authorization", "Cookie", "X-Api-Key", "client certificate"])
            #expect(changed.headers.map(\.name) == ["Accept"])
            #expect(changed.tls.trust == RequestTrust(authorities: "/ca.pem"))
        }
    }
}
