// Ferry: FerryEngineTests
// What an advisor is shown of a server's certificates.

import FerryCore
import FerryTesting
import Foundation
import NIOSSL
import Testing

@testable import FerryEngine

@Suite(.timeLimit(.minutes(1))) struct `The certificates that an advisor is shown` {
    /// The library speaks of a certificate once more that breaks the constraints of another one's names, after the leaf: an
    /// advisor that knows a server by its certificate must not take one of another server for it.
    @Test(arguments: [true, false])
    func `begin with the server's own, whatever the library speaks of last`(isGood: Bool) async throws {
        let files = try await TestCertificates.make()
        defer { files.remove() }
        let root = try #require(try NIOSSLCertificate.fromPEMFile(files.caFile).first)
        let leaf = try #require(try NIOSSLCertificate.fromPEMFile(files.certificateFile).first)
        let url = try HTTPURL(parsing: "https://localhost/")
        let listener = ChainListener()
        _ = listener.judged(root, .certificateVerified)
        _ = listener.judged(leaf, .certificateVerified)
        _ = listener.judged(root, isGood ? .certificateVerified : .failed)
        let shown = listener.shown(for: url, leaf: leaf, checksHost: true, now: Date())
        #expect(try shown.chain == [leaf, root].map { try Data($0.toDERBytes()) })
        #expect((shown.fault == nil) == isGood)
        // Without a word on it, a certificate is not trusted.
        #expect(ChainListener().shown(for: url, leaf: leaf, checksHost: true, now: Date()).fault != nil)
        #expect(listener.shown(for: url, leaf: nil, checksHost: true, now: Date()).fault != nil)
    }
}
