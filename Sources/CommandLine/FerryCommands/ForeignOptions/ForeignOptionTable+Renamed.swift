import ArgumentParser
import FerryCore

/// Options with another name in Ferry, or with a slightly different value.
extension ForeignOptionTable {
    static let renamed = [
        ForeignOption("-P", "--directory-prefix", "--dir", "--output-dir", meaning: .option("--folder")),
        ForeignOption("--output-document", "--out", meaning: .option("--output")),
        ForeignOption("-U", meaning: .value(agent)),
        ForeignOption("-E", "--certificate", meaning: .option("--cert")),
        ForeignOption("--private-key", meaning: .option("--key")),
        ForeignOption(all: "--ca-certificate --capath --ca-directory", meaning: .option("--cacert")),
        ForeignOption("--no-check-certificate", meaning: .words(["--insecure"])),
        ForeignOption("--check-certificate", meaning: .flag { $0 == "false" ? ["--insecure"] : [] }),
        ForeignOption("--max-redirect", meaning: .option("--max-redirs")),
        ForeignOption("-c", "--continue", meaning: .words(["--continue-file"])),
        ForeignOption("--no-location", meaning: .words(["--max-redirs", "0"])),
        ForeignOption("--retry", meaning: .option("--retries")),
        ForeignOption("--split", "--max-connection-per-server", meaning: .option("--connections")),
        ForeignOption("--max-download-limit", meaning: .option("--limit-rate")),
        ForeignOption("--lowest-speed-limit", meaning: .option("--speed-limit")),
        ForeignOption("--load-cookies", meaning: .option("--cookie")),
        ForeignOption("--inet4-only", meaning: .words(["--ipv4"])),
        ForeignOption("--inet6-only", meaning: .words(["--ipv6"])),
        ForeignOption("--disable-ipv6", meaning: .words(["--ipv4"])),
        ForeignOption("--netrc-path", meaning: .option("--netrc-file")),
        ForeignOption("--no-netrc", meaning: .words(["--netrc-file", "/dev/null"])),
        ForeignOption("--http-auth-challenge", meaning: .flag { $0 == "false" ? ["--auth-no-challenge"] : [] }),
        ForeignOption("-R", meaning: .words(["--remote-time"])),
        ForeignOption("--use-server-timestamps", meaning: .words(["--remote-time"])),
        ForeignOption("-N", "--timestamping", "--conditional-get", meaning: .words(["--on-conflict", "update"])),
        ForeignOption("-nc", "--no-clobber", meaning: .words(["--on-conflict", "skip"])),
        ForeignOption("--clobber", meaning: .words(["--on-conflict", "replace"])),
        ForeignOption("--allow-overwrite", meaning: .words(["--on-conflict", "replace"])),
        ForeignOption("--auto-file-renaming", meaning: .flag { $0 == "false" ? ["--on-conflict", "fail"] : [] }),
        ForeignOption("-s", "--silent", meaning: .words(["--quiet"])),
        ForeignOption("--parameterized-uri", meaning: .words(["--glob"])),
        ForeignOption("--no-cache", "--http-no-cache", meaning: .words(["--header", "Cache-Control: no-cache"])),
        ForeignOption("--http-accept-gzip", "--compressed-response", meaning: .words(["--compressed"])),
        ForeignOption("--compression", meaning: .value(compression)),
        ForeignOption("--oauth2-bearer", meaning: .value { ["--header", "Authorization: Bearer \($0)"] }),
        // wget's flag, and aria2's list of hosts.
        ForeignOption("--no-proxy", meaning: .flag { $0.map { ["--noproxy", $0] } ?? ["--proxy", ""] }),
        ForeignOption("--http-proxy", "--https-proxy", "--all-proxy", meaning: .option("--proxy")),
        ForeignOption("--socks5", meaning: .value { ["--proxy", "socks5://\($0)"] }),
        ForeignOption("--socks5-hostname", meaning: .value { ["--proxy", "socks5h://\($0)"] }),
        ForeignOption("--url", meaning: .value { [$0] }),
        ForeignOption("--method", meaning: .option("--request")),
        ForeignOption("--data-ascii", meaning: .option("--data")),
        ForeignOption("--post-data", "--body-data", meaning: .option("--data-raw")),
        ForeignOption("--post-file", "--body-file", meaning: .value { ["--data-binary", "@\($0)"] }),
        ForeignOption("--https-enforce", meaning: .value { $0 == "none" ? [] : ["--https-only"] }),
        ForeignOption("--proto", meaning: .value(protocols)),
        ForeignOption("--proto-redir", meaning: .value(redirectProtocols)),
        ForeignOption("--proto-default", meaning: .value(defaultProtocol)),
        ForeignOption("--tlsv1.3", meaning: .words(["--min-tls", "1.3"])),
        ForeignOption("--min-tls-version", "--secure-protocol", meaning: .value(version)),
        ForeignOption(
            all: "--cert-type --key-type --certificate-type --private-key-type", meaning: .value(fileType)),
        ForeignOption("-t", "--tries", "--max-tries", meaning: .value(attempts)),
        ForeignOption("-T", meaning: .value(timeout)),
        ForeignOption("--timeout", meaning: .value { ["--connect-timeout", $0, "--read-timeout", $0] }),
        ForeignOption("-C", "--continue-at", meaning: .value(offset)),
    ]

    // MARK: Values

    /// curl's user and password of a proxy, or wget's agent, whose first part is a product such as `Mozilla/5.0`.
    @Sendable private static func agent(_ value: String) throws(ValidationError) -> [String] {
        guard value.prefix(while: { !" /(".contains($0) }).contains(":") else { return ["--user-agent", value] }
        throw ValidationError(
            "write the proxy's user and password into its URL: --proxy http://USER:PASSWORD@HOST:PORT.")
    }

    /// wget and aria2 count the first attempt, and 0 means unlimited.
    @Sendable private static func attempts(_ value: String) throws(ValidationError) -> [String] {
        if value == "0" || value == "inf" {
            return ["--retries", String(SettingRange<Int>.retries.allowed.upperBound)]
        }
        guard let attempts = Int(value), attempts > 0 else {
            throw ValidationError("“\(value.escapingControls)” is not a number of attempts.")
        }
        return ["--retries", String(attempts - 1)]
    }

    @Sendable private static func timeout(_ value: String) throws(ValidationError) -> [String] {
        guard Double(value) != nil else {
            throw ValidationError("ferry put FILE URL uploads a file.")
        }
        return ["--connect-timeout", value, "--read-timeout", value]
    }

    @Sendable private static func offset(_ value: String) throws(ValidationError) -> [String] {
        guard value != "-" else { return ["--continue-file"] }
        throw ValidationError(
            "Ferry continues where an earlier command stopped; -r \(value.escapingControls)- fetches what follows a byte."
        )
    }

    @Sendable private static func compression(_ value: String) throws(ValidationError) -> [String] {
        switch value {
        case "none", "identity": return []
        case "auto", "gzip", "deflate": return ["--compressed"]
        default: throw ValidationError("Ferry decodes gzip and deflate; write --compressed.")
        }
    }

    // MARK: Protocols

    /// curl's list of protocols, in which `=` replaces, `+` adds and `-` removes.
    @Sendable private static func protocols(_ value: String) throws(ValidationError) -> [String] {
        var allowed: Set = ["http", "https"]
        for part in value.lowercased().split(separator: ",") {
            let name = part.drop { "=+-".contains($0) }
            let names = name == "all" ? ["http", "https"] : [String(name)]
            if part.hasPrefix("-") {
                allowed.subtract(names)
            } else if part.hasPrefix("=") {
                allowed = Set(names)
            } else {
                allowed.formUnion(names)
            }
        }
        switch (allowed.contains("http"), allowed.contains("https")) {
        case (true, true): return []
        case (false, true): return ["--https-only"]
        default: throw ValidationError("Ferry uses https, and http where the URL says so; --https-only forbids http.")
        }
    }

    /// Redirects from https to http are refused by default, and those from http to http are not.
    @Sendable private static func redirectProtocols(_ value: String) throws(ValidationError) -> [String] {
        try protocols(value)
    }

    @Sendable private static func defaultProtocol(_ value: String) throws(ValidationError) -> [String] {
        throw ValidationError("write https:// or http:// before each URL.")
    }

    @Sendable private static func version(_ value: String) throws(ValidationError) -> [String] {
        switch value.lowercased().replacing("_", with: ".") {
        case "auto", "pfs", "tlsv1", "tlsv1.0", "tlsv1.1", "tlsv1.2": return []
        case "tlsv1.3": return ["--min-tls", "1.3"]
        default: throw ValidationError("Ferry uses TLS 1.2 and 1.3; --min-tls 1.3 forbids 1.2.")
        }
    }

    @Sendable private static func fileType(_ value: String) throws(ValidationError) -> [String] {
        guard value.lowercased() != "pem" else { return [] }
        throw ValidationError("Ferry reads PEM files; openssl converts others.")
    }
}
