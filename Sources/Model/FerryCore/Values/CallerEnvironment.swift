/// The caller's environment that a request depends on.
///
/// One daemon serves many programs. The proxies, trust and umask of a program apply only to its own requests.
package struct CallerEnvironment: Hashable, Sendable {
    /// Proxy variables by name.
    package var proxies: [String: String]
    package var trust: RequestTrust
    package var umask: FileMask

    // Without uppercase HTTP_PROXY, which clients of a CGI program could set by a header field named Proxy.
    private static let proxyVariables: Set = [
        "http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
    ]

    /// - Parameter currentFolder: The base of relative paths in variables.
    package init(variables: [String: String], umask: FileMask, currentFolder: String) {
        proxies = variables.filter { Self.proxyVariables.contains($0.key) }
        trust = RequestTrust(variables: variables, currentFolder: currentFolder)
        self.umask = umask
    }

    package func apply(to request: inout TransferRequest) {
        request.transport.proxyEnvironment = proxies
        request.tls.trust = trust
        request.file.umask = umask
    }

    /// Uses one proxy whatever the variables say, or none for an empty text. Exceptions stay.
    package mutating func setProxy(_ url: String) {
        proxies = proxies.filter { $0.key.lowercased() == "no_proxy" }
        if !url.isEmpty { proxies["all_proxy"] = url }
    }

    /// Sets the hosts without proxy, replacing those of the variables.
    package mutating func setExceptions(_ list: String) {
        proxies["NO_PROXY"] = nil
        proxies["no_proxy"] = list
    }
}

/// A umask: permissions that new files and folders do not get. Encoded as octal digits such as `022`.
package struct FileMask: Hashable, Sendable {
    package let bits: UInt32

    /// The mask if neither the request nor the service has one.
    package static let usual = FileMask(0o022)

    package init(_ bits: UInt32) { self.bits = bits & 0o777 }

    /// Parses one to four octal digits up to `0777`.
    package init?(octal text: some StringProtocol) {
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x37).contains($0) }),
            let bits = UInt32(text, radix: 8), bits <= 0o777
        else { return nil }
        self.init(bits)
    }

    /// Parses Linux's `/proc/PID/status`. Calling `umask` would change the mask for every thread.
    package init?(processStatus text: String) {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("Umask:") }) else { return nil }
        self.init(octal: line.dropFirst(6).drop { $0 == " " || $0 == "\t" })
    }

    package var octal: String {
        let digits = String(bits, radix: 8)
        return String(repeating: "0", count: 3 - digits.utf8.count) + digits
    }

    /// The effective mode of a new file or folder.
    package func applied(to mode: UInt32) -> UInt32 { mode & ~bits }
}

extension FileMask: Codable {
    package init(from decoder: any Decoder) throws {
        let box = try decoder.singleValueContainer()
        let text = try box.decode(String.self)
        guard let mask = FileMask(octal: text) else {
            throw DecodingError.dataCorruptedError(
                in: box, debugDescription: "“\(text)” is not a umask; write it in octal digits, such as 022")
        }
        self = mask
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.singleValueContainer()
        try box.encode(octal)
    }
}
