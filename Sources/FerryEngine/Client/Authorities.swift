// Ferry: FerryEngine
// The certificates by which servers are verified.

import Foundation
import NIOSSL

/// The certificates by which servers are verified, as they were read.
struct Authorities: Sendable {
    /// A folder of hashed certificates, in which the TLS library looks for those that it needs. It can do so in one.
    private var folder: String?
    var lists: [[NIOSSLCertificate]] = []

    var isEmpty: Bool { folder == nil && lists.isEmpty }

    /// Adds a folder of hashed certificates; those of a second one are read at once.
    mutating func add(folder path: String) {
        if folder == nil { folder = path } else { lists.append(Self.certificates(in: path)) }
    }

    func apply(to configuration: inout TLSConfiguration) {
        configuration.trustRoots = folder.map { .file($0) } ?? .certificates([])
        configuration.additionalTrustRoots = lists.map { .certificates($0) }
    }

    /// The certificates that lie under their hashes, as the library finds them.
    private static func certificates(in folder: String) -> [NIOSSLCertificate] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter(isHashed).sorted().flatMap { name in
            (try? NIOSSLCertificate.fromPEMFile("\(folder)/\(name)")) ?? []
        }
    }

    /// Whether a name is eight hexadecimal digits, a full stop and a number, as `openssl rehash` makes them.
    private static func isHashed(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0].count == 8
            && parts[0].allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
            && UInt16(String(Substring(parts[1]))) != nil
    }
}
