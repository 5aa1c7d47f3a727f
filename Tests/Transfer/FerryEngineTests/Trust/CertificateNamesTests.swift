import FerryCore
import FerryRules
import FerryTesting
import Foundation
import NIOSSL
import SeedKit
import Testing

@testable import FerryEngine

@Suite struct `The subject and the issuer of a certificate` {
    @Test func `are those of its subject and its issuer`() async throws {
        let files = try await TestCertificates.make()
        defer { files.remove() }
        let authority = try #require(try NIOSSLCertificate.fromPEMFile(files.caFile).first)
        let server = try #require(try NIOSSLCertificate.fromPEMFile(files.certificateFile).first)
        let above = try #require(CertificateNames(der: authority.toDERBytes()))
        let own = try #require(CertificateNames(der: server.toDERBytes()))
        #expect(above.isSelfIssued)
        #expect(!own.isSelfIssued)
        #expect(above.subject != nil && above.subject == own.issuer)
    }

    /// The server chooses these bytes.
    @Test func `are not found in damaged bytes, which do no harm`() async throws {
        let files = try await TestCertificates.make()
        defer { files.remove() }
        let bytes = try #require(try NIOSSLCertificate.fromPEMFile(files.certificateFile).first).toDERBytes()
        for length in 0..<bytes.count { #expect(CertificateNames(der: Array(bytes.prefix(length))) == nil) }
        var random = SplitMix(seed: 7)
        for _ in 0..<2000 {
            var damaged = bytes
            damaged[Int.random(in: damaged.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            let names = CertificateNames(der: damaged)
            #expect(names?.subject?.contains(where: \.isNewline) != true)
        }
    }
}
