/// Domains under which names are registered, such as `com`, `co.uk` and `github.io` (https://publicsuffix.org/list/).
///
/// A cookie for such a domain would be sent to other people's hosts.
package struct PublicSuffixList: Sendable {
    private var rules: Set<Substring> = []
    /// Rules such as `*.ck`, without the asterisk and the dot.
    private var wildcards: Set<Substring> = []
    /// Rules such as `!www.ck`, without the exclamation mark.
    private var exceptions: Set<Substring> = []

    /// Parses a list in the format of publicsuffix.org. Names that are not ASCII are converted to A-labels.
    package init(_ text: String) {
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let line = line.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") && $0 != UInt8(ascii: "\r") }
            guard !line.isEmpty, !line.starts(with: "//".utf8) else { continue }
            if line.first == UInt8(ascii: "!") {
                exceptions.insert(Self.ascii(Substring(line.dropFirst())))
            } else if line.starts(with: "*.".utf8) {
                wildcards.insert(Self.ascii(Substring(line.dropFirst(2))))
            } else {
                rules.insert(Self.ascii(Substring(line)))
            }
        }
    }

    /// Whether the list has no rules, as a damaged file.
    package var isEmpty: Bool { rules.isEmpty }

    /// Whether a lowercase domain of A-labels is a public suffix. A single label is one (the list's rule `*`).
    package func contains(_ domain: some StringProtocol) -> Bool {
        let domain = Substring(domain)
        if exceptions.contains(domain) { return false }
        guard let dot = domain.utf8.firstIndex(of: UInt8(ascii: ".")) else { return true }
        return rules.contains(domain) || wildcards.contains(domain[domain.utf8.index(after: dot)...])
    }

    private static func ascii(_ name: Substring) -> Substring {
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return name }
        return (try? HostName.canonical(String(name))).map { $0[...] } ?? name
    }
}

/// The source of the public suffix list, which is read at the first use.
package struct PublicSuffixes: Sendable {
    private let list: @Sendable () -> PublicSuffixList?

    package init(_ list: @escaping @Sendable () -> PublicSuffixList?) { self.list = list }

    /// Without a list.
    package static let none = PublicSuffixes { nil }

    /// Whether a domain is a public suffix. Nil if no list is available.
    package func contains(_ domain: some StringProtocol) -> Bool? { list()?.contains(domain) }
}
