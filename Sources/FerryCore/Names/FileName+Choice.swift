// Ferry: FerryCore
// Which of several names a file gets.

/// Which URL a name is taken from, where a URL decides it.
package enum NameSource: String, Codable, Sendable {
    /// The URL that the user gave: a redirect does not choose the name.
    case original
    /// The URL that answered.
    case final
}

extension FileName {
    /// The name of a transfer's file: the caller's as it is, else the first safe name that the response's
    /// `Content-Disposition` or the URL gives, else `download`.
    package static func choose(
        callerName: String?, contentDisposition: String?, originalURL: HTTPURL, finalURL: HTTPURL,
        nameFrom: NameSource = .original
    ) -> String {
        if let callerName { return callerName }
        if let field = contentDisposition, let name = ContentDisposition(parsing: field).fileName.flatMap(reduced) {
            return name
        }
        let url = nameFrom == .original ? originalURL : finalURL
        let segment = url.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last
        return safe(segment.map { PercentEncoding.decodeLeniently(String(Substring($0))) } ?? "")
    }

    /// Whether a desktop would run or follow a file of this name instead of showing it.
    package static func runsOnDesktop(_ name: String) -> Bool {
        let name = name.lowercased()
        return [".desktop", ".url", ".lnk", ".scf"].contains { name.hasSuffix($0) }
    }
}
