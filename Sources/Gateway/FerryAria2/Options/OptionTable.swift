/// An option of aria2, with its scope, form and default.
struct OptionRow: Sendable {
    enum Scope: Sendable {
        /// One download. A global change sets the default of all downloads.
        case download
        /// All downloads together. May be changed while aria2 runs.
        case all
        /// The program. Shown, but changes are ignored.
        case program
    }

    let name: String
    let scope: Scope
    let form: OptionForm
    /// aria2's default, or `nil` if there is none.
    let usual: String?
}

/// The options of aria2 1.36, with its defaults.
enum OptionTable {
    static let rows: [OptionRow] = downloads + all + program

    static subscript(_ name: String) -> OptionRow? { byName[name] }

    private static let byName = Dictionary(rows.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    /// aria2's defaults of the download options.
    static let usualOfDownloads = usual { $0.scope == .download }

    /// aria2's defaults of all options.
    static let usualOfAll = usual { _ in true }

    private static func usual(_ isMeant: (OptionRow) -> Bool) -> OptionValues {
        let rows = rows.filter(isMeant)
        return OptionValues(
            Dictionary(uniqueKeysWithValues: rows.compactMap { row in row.usual.map { (row.name, $0) } }))
    }

    // MARK: Groups

    private static func group(
        _ scope: OptionRow.Scope, _ form: OptionForm, usual: String? = nil, _ names: String...
    ) -> [OptionRow] {
        names.flatMap { $0.split(separator: " ") }
            .map { OptionRow(name: String($0), scope: scope, form: form, usual: usual) }
    }

    private static let sizes: OptionForm = .size(0...Int64.max)
    private static let counts: OptionForm = .whole(0...Int.max)
    private static let timeouts: OptionForm = .whole(1...600)
    private static let pieces: OptionForm = .size(1 << 20...1 << 30)

    private static let downloads = flags + numbers + words + texts

    private static let flags =
        group(
            .download, .flag, usual: "false",
            "allow-overwrite allow-piece-length-change bt-enable-lpd bt-force-encryption bt-load-saved-metadata",
            "bt-metadata-only bt-remove-unselected-file bt-require-crypto bt-save-metadata bt-seed-unverified",
            "check-integrity conditional-get content-disposition-default-utf8 continue dry-run enable-http-pipelining",
            "enable-mmap force-save hash-check-only http-accept-gzip http-auth-challenge http-no-cache no-netrc",
            "parameterized-uri pause-metadata remote-time remove-control-file use-head")
        + group(
            .download, .flag, usual: "true",
            "always-resume async-dns auto-file-renaming bt-enable-hook-after-hash-check bt-hash-check-seed",
            "enable-http-keep-alive enable-peer-exchange ftp-pasv ftp-reuse-connection metalink-enable-unique-protocol",
            "realtime-chunk-checksum reuse-uri rpc-save-upload-metadata save-not-found")
        + group(.download, .flag, "pause")

    private static let numbers =
        group(
            .download, counts, usual: "0",
            "bt-stop-timeout bt-tracker-interval max-file-not-found max-resume-failure-tries")
        + group(.download, counts, usual: "5", "max-tries") + group(.download, counts, usual: "55", "bt-max-peers")
        + group(
            .download, timeouts, usual: "60", "bt-tracker-connect-timeout bt-tracker-timeout connect-timeout timeout")
        + group(.download, .whole(0...600), usual: "0", "retry-wait")
        // aria2c allows 16. Modified builds bundled with clients allow as many as Ferry does per file.
        + group(.download, .whole(1...64), usual: "1", "max-connection-per-server")
        + group(.download, .whole(1...Int.max), usual: "5", "split")
        + group(.download, sizes, usual: "0", "lowest-speed-limit max-download-limit max-upload-limit")
        + group(.download, sizes, usual: "51200", "bt-request-peer-speed-limit")
        + group(.download, sizes, usual: "5242880", "no-file-allocation-limit")
        + group(.download, sizes, usual: "9223372036854775807", "max-mmap-limit")
        + group(.download, pieces, usual: "20971520", "min-split-size")
        + group(.download, pieces, usual: "1048576", "piece-length")
        + group(.download, .decimal, usual: "1.0", "seed-ratio") + group(.download, .decimal, "seed-time")

    private static let words =
        group(.download, .word(["plain", "arc4"]), usual: "plain", "bt-min-crypto-level")
        + group(.download, .word(["none", "prealloc", "trunc", "falloc"]), usual: "prealloc", "file-allocation")
        + group(.download, .word(["true", "mem", "false"]), usual: "true", "follow-metalink follow-torrent")
        + group(.download, .word(["binary", "ascii"]), usual: "binary", "ftp-type")
        + group(.download, .word(["http", "https", "ftp", "none"]), usual: "none", "metalink-preferred-protocol")
        + group(.download, .word(["get", "tunnel"]), usual: "get", "proxy-method")
        + group(
            .download, .word(["default", "inorder", "random", "geom"]), usual: "default", "stream-piece-selector")
        + group(.download, .word(["inorder", "feedback", "adaptive"]), usual: "feedback", "uri-selector")

    private static let texts =
        group(
            .download, .text,
            "all-proxy all-proxy-passwd all-proxy-user bt-exclude-tracker bt-external-ip bt-prioritize-piece bt-tracker",
            "certificate checksum dir ferry-session ftp-passwd ftp-proxy ftp-proxy-passwd ftp-proxy-user ftp-user gid",
            "header http-passwd http-proxy http-proxy-passwd http-proxy-user http-user https-proxy https-proxy-passwd",
            "https-proxy-user load-cookies metalink-base-uri metalink-language metalink-location metalink-os",
            "metalink-version no-proxy out private-key referer ssh-host-key-md user-agent")
        + group(.download, .indexed, "index-out") + group(.download, .ranges, "select-file")

    private static let all =
        group(.all, .whole(1...Int.max), usual: "5", "max-concurrent-downloads")
        + group(.all, .whole(1...Int.max), usual: "100", "bt-max-open-files")
        + group(.all, counts, usual: "1000", "max-download-result")
        + group(.all, sizes, usual: "0", "max-overall-download-limit max-overall-upload-limit")
        + group(.all, .flag, usual: "true", "keep-unfinished-download-result")
        + group(.all, .text, usual: "false", "optimize-concurrent-downloads")
        + group(.all, .word(["default", "full", "hide"]), usual: "default", "download-result")
        + group(.all, .word(["debug", "info", "notice", "warn", "error"]), usual: "debug", "log-level")
        + group(.all, .text, "log save-cookies save-session server-stat-of")

    private static let program = [
        ("auto-save-interval", "60"), ("bt-detach-seed-only", "false"), ("ca-certificate", nil),
        ("check-certificate", "true"), ("conf-path", nil), ("console-log-level", "notice"), ("daemon", "false"),
        ("deferred-input", "false"), ("dht-file-path", nil), ("dht-file-path6", nil), ("dht-listen-port", "6881-6999"),
        ("dht-message-timeout", "10"), ("disable-ipv6", "false"), ("disk-cache", "16777216"), ("dscp", "0"),
        ("enable-color", "true"), ("enable-dht", "true"), ("enable-dht6", "false"), ("enable-rpc", "true"),
        ("event-poll", "epoll"), ("help", "#basic"), ("human-readable", "true"), ("listen-port", "6881-6999"),
        ("min-tls-version", "TLSv1.2"), ("netrc-path", nil), ("no-conf", "false"), ("peer-agent", "aria2/1.36.0"),
        ("peer-id-prefix", "A2-1-36-0-"), ("quiet", "false"), ("rlimit-nofile", "1024"),
        ("rpc-allow-origin-all", "false"), ("rpc-listen-all", "false"), ("rpc-listen-port", "6800"),
        ("rpc-max-request-size", "2097152"), ("rpc-secure", "false"), ("save-session-interval", "0"),
        ("server-stat-timeout", "86400"), ("show-console-readout", "true"), ("show-files", "false"),
        ("socket-recv-buffer-size", "0"), ("stderr", "false"), ("stop", "0"), ("summary-interval", "60"),
        ("truncate-console-readout", "true"),
    ].map { name, usual in OptionRow(name: name, scope: .program, form: .text, usual: usual) }
}
