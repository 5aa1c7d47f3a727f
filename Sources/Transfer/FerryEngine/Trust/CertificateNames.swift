import FerryCore
import SwiftASN1

/// The names of a certificate's subject and issuer (RFC 5280 §4.1).
struct CertificateNames: Hashable, Sendable {
    /// The subject's name, or `nil` if it has no text.
    let subject: String?
    /// The issuer's name.
    let issuer: String?
    /// Whether subject and issuer are equal, as in self-signed certificates.
    let isSelfIssued: Bool

    /// - Parameter der: A certificate in DER. The result is `nil` if it cannot be parsed.
    init?(der: [UInt8]) {
        guard let certificate = try? DER.parse(der), let signed = certificate.parts?.first, var fields = signed.parts
        else {
            return nil
        }
        // Version, serial number, algorithm, issuer, validity, subject. The version is optional.
        if fields.first?.identifier.tagClass == .contextSpecific { fields.removeFirst() }
        guard fields.count > 4 else { return nil }
        issuer = Self.name(fields[2])
        subject = Self.name(fields[4])
        isSelfIssued = fields[2].encodedBytes.elementsEqual(fields[4].encodedBytes)
    }

    /// Maximum length of a readable name.
    private static let longest = 100

    /// Returns the common name of a distinguished name, or else its organization, safe for display.
    private static func name(_ field: ASN1Node) -> String? {
        var found: [ASN1ObjectIdentifier: String] = [:]
        for attribute in (field.parts ?? []).flatMap({ $0.parts ?? [] }) {
            guard let pair = attribute.parts, pair.count == 2,
                let kind = try? ASN1ObjectIdentifier(derEncoded: pair[0]),
                case .primitive(let bytes) = pair[1].content, found[kind] == nil
            else { continue }
            found[kind] = String(decoding: bytes.prefix(longest), as: UTF8.self).escapingControls
        }
        return [commonName, organization].lazy.compactMap { found[$0] }.first { !$0.isEmpty }
    }

    private static let commonName: ASN1ObjectIdentifier = [2, 5, 4, 3]
    private static let organization: ASN1ObjectIdentifier = [2, 5, 4, 10]
}

extension ASN1Node {
    /// The elements of a constructed value, or `nil` for a primitive one.
    fileprivate var parts: [ASN1Node]? {
        guard case .constructed(let nodes) = content else { return nil }
        return Array(nodes)
    }
}
