package import FerryCore

/// Selects the given cookies for a request.
extension GivenCookie {
    /// The `Cookie` value for a request, or nil without matching cookies.
    ///
    /// - Parameter met: A `Cookie` value with the cookies that servers have set since. They replace given cookies of
    ///   the same name.
    package static func field(_ given: [GivenCookie], for url: HTTPURL, met: String?) -> String? {
        var value = met ?? ""
        let known = Set(
            value.split(separator: ";").map { pair in String(pair.prefix { $0 != "=" }).trimmingFieldSpace })
        for cookie in given where cookie.belongs(to: url) && !known.contains(cookie.name) {
            let pair = "\(cookie.name)=\(cookie.value)"
            guard !pair.containsControl, !pair.utf8.contains(UInt8(ascii: ";")) else { continue }
            guard value.utf8.count + pair.utf8.count + 2 <= TransferCookies.maximumFieldSize else { break }
            value += value.isEmpty ? pair : "; " + pair
        }
        return value.isEmpty ? nil : value
    }

    private func belongs(to url: HTTPURL) -> Bool {
        guard url.isSecure || !secure else { return false }
        let domain = domain.lowercased()
        let isHost =
            domain.hasPrefix(".") ? url.host == domain.dropFirst() || url.host.hasSuffix(domain) : url.host == domain
        guard isHost else { return false }
        let folder = path.hasPrefix("/") ? path : "/"
        return url.path == folder || url.path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
    }
}
