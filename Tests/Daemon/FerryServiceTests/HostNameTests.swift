import Dispatch
import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Synchronization
import Testing

@testable import FerryService

@Suite(.timeLimit(.minutes(1))) struct `Names that hang` {
    private static let small = SeededBody(seed: 3, size: 1_000)

    /// Runs `body` with a service whose resolver hangs for every name except `healthy.test`.
    private func withHangingNames(
        _ kind: ServiceKind, _ body: (ServiceBed, HangingLookups) async throws -> Void
    ) async throws {
        let lookups = HangingLookups()
        defer { lookups.release() }
        try await withService(
            kind, OriginScript(Self.small),
            { configuration in
                // Name resolution does not wait for the machine's networks.
                configuration.isLoopback = { _ in true }
                configuration.lookup = NameLookup { name in
                    if name == "healthy.test" { return .success(["127.0.0.1"]) }
                    lookups.hang(name)
                    return .failure(.noAnswer)
                }
            },
            { bed in try await body(bed, lookups) })
    }

    /// The names must not be resolved one after the other on an event loop. The healthy one would be last.
    @Test(arguments: ServiceKind.allCases)
    func `a file arrives from a healthy host, and a pause returns, while 64 names hang`(
        _ kind: ServiceKind
    ) async throws {
        try await withHangingNames(kind) { bed, lookups in
            try await bed.changeSettings { $0.activeTransfers = 100 }
            let dead = try await bed.add((1...64).map { bed.request("http://dead\($0).test:\(bed.origin.port)/x") })
            try await eventually("all names are looked up") { lookups.count == 64 }
            let healthy = try await bed.add(bed.origin.url("/file.bin", host: "healthy.test"))
            try await bed.wait(for: healthy.id, .succeeded)
            for transfer in dead.prefix(8) { #expect(try await bed.act(.pause, transfer.id) == .suspended) }
            #expect(try await bed.act(.cancel, dead[8].id) == .canceled)
        }
        // The service has ended at this point, although the remaining names hang.
    }

    /// Transfers that wait for a name must not occupy every slot.
    @Test func `transfers that wait for a name leave their slots to others`() async throws {
        try await withHangingNames(.inProcess) { bed, _ in
            try await bed.changeSettings { $0.activeTransfers = 2 }
            let dead = try await bed.add((1...3).map { bed.request("http://dead\($0).test:\(bed.origin.port)/x") })
            let healthy = try await bed.add(bed.origin.url("/file.bin", host: "healthy.test"))
            try await bed.wait(for: healthy.id, .succeeded)
            for transfer in dead {
                let now = try await bed.service.transfer(transfer.id)
                // An attempt counts once it has ended.
                #expect(now.state == .running && now.attempts == 0, "\(now)")
            }
        }
    }

    @Test func `a transfer whose name is found late waits for a slot`() async throws {
        let lookups = HangingLookups()
        let script = OriginScript(Self.small, always: .hold("all", at: .head))
        let tweak: Tweak = { configuration in
            configuration.isLoopback = { _ in true }
            configuration.lookup = NameLookup { name in
                if name.hasPrefix("slow") { lookups.hang(name) }
                return .success(["127.0.0.1"])
            }
        }
        try await withService(.inProcess, script, tweak) { bed in
            try await bed.changeSettings { $0.activeTransfers = 1 }
            let slow = try await bed.add(bed.origin.url("/slow", host: "slow.test"))
            let prompt = try await bed.add(bed.origin.url("/prompt", host: "prompt.test"))
            await bed.origin.wait { $0.held.count == 1 }
            lookups.release()
            try await bed.wait(for: slow.id, waiting: .slot)
            #expect(bed.asked == ["/prompt"])
            bed.origin.release("all")
            for id in [slow.id, prompt.id] { try await bed.wait(for: id, .succeeded) }
            #expect(bed.asked == ["/prompt", "/slow"])
        }
    }

    /// Otherwise a name that is dropped from the cache while its transfer waits would cost the transfer one slot after
    /// another.
    @Test func `a transfer that has given its slot away keeps the next one, however long its name takes`() async throws
    {
        let (first, second) = (HangingLookups(), HangingLookups())
        defer { second.release() }
        let script = OriginScript(Self.small, .on(.path("/prompt"), .hold("prompt", at: .head)))
        let tweak: Tweak = { configuration in
            configuration.isLoopback = { _ in true }
            configuration.lookup = NameLookup { name in
                if name == "slow.test" { first.hang(name) }
                if name == "slower.test" { second.hang(name) }
                return .success(["127.0.0.1"])
            }
        }
        try await withStoredService(script, tweak) { bed, local in
            try await bed.changeSettings { $0.activeTransfers = 1 }
            let slow = try await bed.add(bed.origin.url("/slow", host: "slow.test"))
            let prompt = try await bed.add(bed.origin.url("/prompt", host: "prompt.test"))
            await bed.origin.wait { $0.held.count == 1 }
            let last = try await bed.add(bed.origin.url("/last", host: "prompt.test"))
            first.release()
            try await bed.wait(for: slow.id, waiting: .slot)
            var change = TransferChange()
            change.url = bed.origin.url("/slow", host: "slower.test")
            _ = try await bed.service.change(slow.id, change)
            bed.origin.release("prompt")
            try await eventually("the second wait for a name") { await local.waitsForName(slow.id) }
            await local.schedule()
            #expect(try await bed.service.transfer(last.id).state == .waiting)
            second.release()
            for id in [slow.id, prompt.id, last.id] { try await bed.wait(for: id, .succeeded) }
            #expect(bed.asked == ["/prompt", "/slow", "/last"])
        }
    }
}

extension LocalTransferService {
    fileprivate func waitsForName(_ id: TransferID) -> Bool {
        queue.attempt(at: id)?.waitsForName == true
    }
}

/// Name lookups that end on the test's command.
private final class HangingLookups: Sendable {
    private let names = Mutex<Set<String>>([])
    private let isReleased = DispatchSemaphore(value: 0)

    var count: Int { names.withLock(\.count) }

    func hang(_ name: String) {
        names.withLock { _ = $0.insert(name) }
        isReleased.wait()
        isReleased.signal()
    }

    func release() { isReleased.signal() }
}
