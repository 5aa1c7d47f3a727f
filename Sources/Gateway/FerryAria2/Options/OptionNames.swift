/// The names of aria2's download options, grouped by Ferry's use of them.
enum OptionNames {
    /// Options that may be given several times.
    static let repeated: Set = ["header", "index-out"]

    /// Options with a counterpart in Ferry.
    static let mapped: Set = [
        "all-proxy", "all-proxy-passwd", "all-proxy-user", "allow-overwrite", "auto-file-renaming", "ca-certificate",
        "certificate", "check-certificate", "checksum", "conditional-get", "connect-timeout", "dir", "ferry-session",
        "gid", "header",
        "http-accept-gzip", "http-no-cache", "http-passwd", "http-proxy", "http-proxy-passwd", "http-proxy-user",
        "http-user", "https-proxy", "https-proxy-passwd", "https-proxy-user", "lowest-speed-limit",
        "max-connection-per-server", "max-download-limit", "max-tries", "min-tls-version", "no-proxy", "out", "pause",
        "private-key", "referer", "remote-time", "retry-wait", "split", "timeout", "user-agent",
    ]

    /// Passwords. They are not stored with a transfer.
    static let secret: Set = [
        "all-proxy-passwd", "ftp-passwd", "ftp-proxy-passwd", "http-passwd", "http-proxy-passwd", "https-proxy-passwd",
    ]

    /// Options that become header fields of the request.
    static let fields: Set = ["header", "http-no-cache", "http-passwd", "http-user", "referer", "user-agent"]

    /// Options specific to one download, which cannot be defaults.
    static let ofOneDownload: Set = ["checksum", "ferry-session", "gid", "index-out", "out", "pause", "select-file"]

    /// Options without effect on an existing download.
    static let atStart: Set = ["ferry-session", "gid", "pause"]

    /// Whether an option may be given with a download. Ferry maps some of these options; `aria2.getOption` shows the
    /// others as given.
    static func isKnown(_ name: String) -> Bool { mapped.contains(name) || OptionTable[name]?.scope == .download }

    /// Whether an option applies to all downloads together and may be changed.
    static func isOfAll(_ name: String) -> Bool { OptionTable[name]?.scope == .all }
}
