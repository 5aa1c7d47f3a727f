import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Addresses that accept connections and do not respond` {
    private let body = SeededBody(seed: 5, size: 100_000)

    /// Runs `check` with a host whose IPv6 address misbehaves, and whose IPv4 address is the origin.
    private func withBrokenIPv6(
        _ behavior: AcceptingAddress.Behavior, tls: TLSFault? = nil, unproven: Double = 0.2,
        _ check: (EngineHarness, ScriptedOrigin) async throws -> Void
    ) async throws {
        let names = ScriptedNames([
            "both.test": .success(["::1", "127.0.0.1"]), "localhost": .success(["::1", "127.0.0.1"]),
        ])
        defer { names.release() }
        try await withEngine(
            OriginScript(body), tls: tls,
            configured: { configuration in
                configuration.lookup = names.lookup
                configuration.timeouts.unproven = unproven
            }
        ) { harness, origin in
            let broken = try AcceptingAddress("::1", port: origin.port, behavior)
            defer { broken.close() }
            try await check(harness, origin)
        }
    }

    @Test(arguments: AcceptingAddress.Behavior.allCases)
    func `give way to the other family before the attempt ends`(_ behavior: AcceptingAddress.Behavior) async throws {
        try await withBrokenIPv6(behavior) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url(host: "both.test")), tries: 1)
            try harness.expectFile(history, body)
        }
    }

    @Test(arguments: AcceptingAddress.Behavior.allCases)
    func `give way during a TLS handshake`(_ behavior: AcceptingAddress.Behavior) async throws {
        try await withBrokenIPv6(behavior, tls: .otherHost) { harness, origin in
            let request = harness.request(origin.url(host: "both.test")) { $0.tls.insecure = true }
            let history = await harness.transfer(request, tries: 1)
            try harness.expectFile(history, body)
        }
    }

    @Test func `come last for the next request`() async throws {
        try await withBrokenIPv6(.silent) { harness, origin in
            for number in 1...2 {
                let request = harness.request(origin.url("/\(number)", host: "both.test")) {
                    $0.file.name = "file \(number)"
                }
                let history = await harness.transfer(request, tries: 1)
                #expect(history.success != nil)
            }
            #expect(origin.requests.count == 2)
        }
    }

    @Test func `are not needed with a family of the user's choice`() async throws {
        try await withBrokenIPv6(.silent, unproven: 3600) { harness, origin in
            let request = harness.request(origin.url(host: "both.test")) { $0.transport.addressFamily = .ipv4 }
            try harness.expectFile(await harness.transfer(request, tries: 1), body)
        }
    }

    @Test(arguments: ["127.0.0.1", "only4.test"])
    func `a host without an address of the chosen family says so`(host: String) async throws {
        let names = ScriptedNames(["only4.test": .success(["127.0.0.1"])])
        defer { names.release() }
        try await withEngine(OriginScript(body), configured: { $0.lookup = names.lookup }) { harness, origin in
            let request = harness.request(origin.url(host: host)) { $0.transport.addressFamily = .ipv6 }
            let history = await harness.transfer(request, tries: 1)
            #expect(history.errors.map(\.code) == [.hostNotFound])
            #expect(history.errors.first?.message == "\(host) has no IPv6 address; leave out -6.")
            #expect(origin.requests.isEmpty)
        }
    }

    @Test(
        arguments: [AddressScope.site, .global],
        ["127.0.0.1", "localhost", "inside.test", "169.254.169.254", "meta.test"])
    func `a host outside the scope of a transfer gets no connection`(scope: AddressScope, host: String) async throws {
        let addresses = ["localhost": "127.0.0.1", "inside.test": "127.0.0.1", "meta.test": "169.254.169.254"]
        let names = ScriptedNames(addresses.mapValues { .success([$0]) })
        defer { names.release() }
        let isLocal = host != "meta.test" && host != "169.254.169.254"
        try await withEngine(OriginScript(body), configured: { $0.lookup = names.lookup }) { harness, origin in
            let request = harness.request(origin.url(host: host)) { $0.transport.addressScope = scope }
            let history = await harness.transfer(request, tries: 1)
            guard !isLocal || scope == .global else {
                try harness.expectFile(history, body)
                return
            }
            let error = try #require(history.errors.first)
            #expect(error.code == .connectFailed && error.errorClass == .final && origin.requests.isEmpty)
            #expect(error.message.contains("its address_scope is \(scope.rawValue)"), "\(error.message)")
        }
    }

    /// A connection from a former address of this machine accepts a request and never responds.
    @Test func `idle connections are not used after a change of the network`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            func fetch(_ numbers: ClosedRange<Int>) async {
                for number in numbers {
                    let request = harness.request(origin.url("/\(number)")) { $0.file.name = "file \(number)" }
                    #expect(await harness.transfer(request, tries: 1).success != nil)
                }
            }
            await fetch(1...12)
            harness.engine.networkChanged()
            await fetch(13...24)
            let connections = origin.requests.map(\.connection)
            #expect(Set(connections[..<12]).count < 12, "Connections are shared.")
            #expect(Set(connections[..<12]).isDisjoint(with: connections[12...]))
        }
    }
}
