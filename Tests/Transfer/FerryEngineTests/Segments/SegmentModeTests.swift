import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Servers and several connections` {
    private static let connections = [1, 2, 8]

    @Test(arguments: SegmentCase.good, connections)
    func `the file is whole, by as many connections as were asked for`(
        one: SegmentCase, connections: Int
    ) async throws {
        try await fetch(one, connections)
    }

    @Test(arguments: SegmentCase.alone, connections)
    func `S2 the file comes over one connection where parts cannot be trusted`(
        one: SegmentCase, connections: Int
    ) async throws {
        let origin = try await fetch(one, connections)
        #expect(origin.requests.count == 1)
        #expect(origin.requests.allSatisfy { $0.value("Range") == nil })
    }

    @Test(arguments: SegmentCase.wrongParts, connections)
    func `S9 wrong parts are not stored, and the first response continues`(
        one: SegmentCase, connections: Int
    ) async throws {
        let origin = try await fetch(one, connections)
        if connections == 1 { #expect(origin.requests.count == 1) }
    }

    @Test(arguments: SegmentCase.failing, connections)
    func `a failed connection costs no byte`(one: SegmentCase, connections: Int) async throws {
        try await fetch(one, connections)
    }

    @Test(arguments: SegmentCase.versions, connections)
    func `R2 bytes of two versions are never joined`(one: SegmentCase, connections: Int) async throws {
        try await fetch(one, connections)
    }

    @discardableResult
    private func fetch(
        _ one: SegmentCase, _ connections: Int, _ location: SourceLocation = #_sourceLocation
    ) async throws -> OriginFacts {
        try await withEngine(one.script, location) { harness, origin in
            let request = harness.request(origin.url()) {
                $0.transport.connections = connections
                if one.hasDigest { $0.response.checksums = [one.file.checksum(.sha256)] }
            }
            async let transferred = harness.transfer(request)
            await origin.wait { $0.requests.count >= one.others.requests(connections) }
            origin.release("first")
            let history = await transferred
            if let code = one.mayFail, history.success == nil {
                #expect(history.failure?.code == code, sourceLocation: location)
                #expect(harness.contents.allSatisfy { $0 == EngineHarness.partialName })
                return origin.facts
            }
            let isFirst =
                try one.mayBeFirst && history.success.map { try sha256($0.path) } == SegmentCase.body.sha256Hex
            try harness.expectFile(history, isFirst ? SegmentCase.body : one.file, location)
            return origin.facts
        }
    }
}
