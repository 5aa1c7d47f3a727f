package import FerryCore

extension FileName {
    /// Chooses the name of a transfer's file: the caller's as given, otherwise the first safe name from the response's
    /// `Content-Disposition` or the URL, otherwise `download`.
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
}
