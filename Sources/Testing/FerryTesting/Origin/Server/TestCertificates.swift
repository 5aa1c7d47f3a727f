import Foundation
import Subprocess

/// A certificate authority with a server certificate, in its own temporary folder.
///
/// Created at run time with the `openssl` command, because certificates in the sources would expire.
package struct TestCertificates: Sendable {
    private let folder: TemporaryFolder

    package var caFile: String { folder.file("ca.pem") }
    package var certificateFile: String { folder.file("server.pem") }
    package var keyFile: String { folder.file("server.key") }
    /// Path of a client certificate, which exists with `.asksForCertificate` only.
    package var clientFile: String { folder.file("client.pem") }
    package var clientKeyFile: String { folder.file("client.key") }

    package static func make(for fault: TLSFault = .trusted) async throws -> TestCertificates {
        let certificates = TestCertificates(folder: try TemporaryFolder())
        do {
            try await certificates.makeAuthority()
            try await certificates.makeServerCertificate(fault)
            if fault == .asksForCertificate { try await certificates.makeClientCertificate() }
            return certificates
        } catch {
            certificates.remove()
            throw error
        }
    }

    package func remove() { folder.remove() }

    /// Adds the authority to a folder under the file name that `openssl rehash` would use.
    package func addAuthority(toFolder folder: String) async throws {
        let hash = try await openssl(["x509", "-noout", "-hash", "-in", caFile])
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: caFile, toPath: "\(folder)/\(hash.trimmingCharacters(in: .whitespacesAndNewlines)).0")
    }

    private func makeAuthority() async throws {
        try await openssl(
            ["req", "-x509", "-days", "30", "-subj", "/CN=Ferry test authority", "-out", caFile]
                + newKey(folder.file("ca.key"))
                + ["-addext", "keyUsage=critical,keyCertSign,cRLSign"])
    }

    private func makeServerCertificate(_ fault: TLSFault) async throws {
        let names: String? =
            switch fault {
            case .otherHost: "DNS:other.example"
            case .otherAddress: "IP:127.0.0.2"
            case .noNames: nil
            default: "DNS:localhost,DNS:example.org,IP:127.0.0.1"
            }
        let alternativeNames = names.map { "subjectAltName=\($0)\n" } ?? ""
        let purpose = fault == .clientOnlyPurpose ? "clientAuth" : "serverAuth"
        if fault == .selfSigned {
            try await openssl(
                ["req", "-x509", "-days", "30", "-subj", "/CN=localhost", "-out", certificateFile]
                    + newKey(keyFile) + ["-addext", alternativeNames.trimmingCharacters(in: .newlines)])
            return
        }
        let extensions = """
            basicConstraints=critical,CA:FALSE
            \(alternativeNames)\
            extendedKeyUsage=\(purpose)

            """
        // A negative number of days makes the validity end before it begins, so verifiers report the certificate as
        // expired.
        try await sign(
            "localhost", extensions, days: fault == .expired ? -1 : 30, key: keyFile, certificate: certificateFile)
    }

    private func makeClientCertificate() async throws {
        let extensions = "basicConstraints=critical,CA:FALSE\nextendedKeyUsage=clientAuth\n"
        try await sign("Ferry test client", extensions, days: 30, key: clientKeyFile, certificate: clientFile)
    }

    /// Creates a key and a certificate for it, signed by the authority.
    private func sign(
        _ name: String, _ extensions: String, days: Int, key: String, certificate: String
    ) async throws {
        try Data(extensions.utf8).write(to: URL(filePath: folder.file("extensions")))
        let request = folder.file("request.csr")
        try await openssl(["req", "-subj", "/CN=\(name)", "-out", request] + newKey(key))
        try await openssl([
            "x509", "-req", "-in", request, "-CA", caFile, "-CAkey", folder.file("ca.key"), "-CAcreateserial",
            "-days", "\(days)", "-extfile", folder.file("extensions"), "-out", certificate,
        ])
    }

    private func newKey(_ path: String) -> [String] {
        ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", path]
    }

    @discardableResult
    private func openssl(_ arguments: [String]) async throws -> String {
        let result = try await run(
            .name("openssl"), arguments: Arguments(arguments), output: .string(limit: 64 << 10),
            error: .string(limit: 64 << 10))
        guard result.terminationStatus.isSuccess else {
            throw TestingError("openssl \(arguments[0]) failed: \(result.standardError)")
        }
        return result.standardOutput
    }
}
