/// The names of aria2's options of a download, by what Ferry does with them.
enum OptionNames {
    /// Options that may be given several times.
    static let repeated: Set = ["header", "index-out"]

    /// Options that say something that Ferry does.
    static let mapped: Set = [
        "all-proxy", "all-proxy-passwd", "all-proxy-user", "allow-overwrite", "auto-file-renaming", "ca-certificate",
        "certificate", "check-certificate", "checksum", "conditional-get", "dir", "ferry-session", "gid", "header",
        "http-accept-gzip", "http-no-cache", "http-passwd", "http-proxy", "http-proxy-passwd", "http-proxy-user",
        "http-user", "https-proxy", "https-proxy-passwd", "https-proxy-user", "lowest-speed-limit",
        "max-connection-per-server", "max-download-limit", "max-tries", "min-tls-version", "no-proxy", "out", "pause",
        "private-key", "referer", "remote-time", "retry-wait", "split", "timeout", "user-agent",
    ]

    /// Options that tune what is inside aria2, or protocols that Ferry does not speak: kept and given back.
    static let kept: Set = [
        "allow-piece-length-change", "always-resume", "async-dns", "bt-enable-hook-after-hash-check", "bt-enable-lpd",
        "bt-exclude-tracker", "bt-external-ip", "bt-force-encryption", "bt-hash-check-seed",
        "bt-load-saved-metadata", "bt-max-peers", "bt-metadata-only", "bt-min-crypto-level", "bt-prioritize-piece",
        "bt-remove-unselected-file", "bt-request-peer-speed-limit", "bt-require-crypto", "bt-save-metadata",
        "bt-seed-unverified", "bt-stop-timeout", "bt-tracker", "bt-tracker-connect-timeout", "bt-tracker-interval",
        "bt-tracker-timeout", "check-integrity", "connect-timeout", "content-disposition-default-utf8", "continue",
        "dry-run", "enable-http-keep-alive", "enable-http-pipelining", "enable-mmap", "enable-peer-exchange",
        "file-allocation", "follow-metalink", "follow-torrent", "force-save", "ftp-passwd", "ftp-pasv", "ftp-proxy",
        "ftp-proxy-passwd", "ftp-proxy-user", "ftp-reuse-connection", "ftp-type", "ftp-user", "hash-check-only",
        "http-auth-challenge", "index-out", "load-cookies", "max-file-not-found", "max-mmap-limit",
        "max-resume-failure-tries", "max-upload-limit", "metalink-base-uri", "metalink-enable-unique-protocol",
        "metalink-language", "metalink-location", "metalink-os", "metalink-preferred-protocol", "metalink-version",
        "min-split-size", "no-file-allocation-limit", "no-netrc", "parameterized-uri", "pause-metadata",
        "piece-length", "proxy-method", "realtime-chunk-checksum", "remove-control-file", "reuse-uri",
        "rpc-save-upload-metadata", "save-not-found", "seed-ratio", "seed-time", "select-file", "ssh-host-key-md",
        "stream-piece-selector", "uri-selector", "use-head",
    ]

    /// Options of all downloads together.
    static let global: Set = [
        "bt-max-open-files", "disk-cache", "download-result", "keep-unfinished-download-result", "log", "log-level",
        "max-concurrent-downloads", "max-download-result", "max-overall-download-limit", "max-overall-upload-limit",
        "optimize-concurrent-downloads", "save-cookies", "save-session", "server-stat-of",
    ]

    /// Options whose values open something for their user, and are not stored with a transfer.
    static let secret: Set = [
        "all-proxy-passwd", "ftp-passwd", "ftp-proxy-passwd", "http-passwd", "http-proxy-passwd", "https-proxy-passwd",
    ]

    /// Options that become fields of the request.
    static let fields: Set = ["header", "http-no-cache", "http-passwd", "http-user", "referer", "user-agent"]

    /// Options of one download: they are no defaults of others.
    static let ofOneDownload: Set = ["checksum", "ferry-session", "gid", "index-out", "out", "pause", "select-file"]

    /// Options that have no meaning once a download is there.
    static let atStart: Set = ["ferry-session", "gid", "pause"]

    /// What clients read of a program that was given no options, where it is true of Ferry.
    static let defaults = OptionValues([
        "allow-overwrite": "false", "auto-file-renaming": "true", "check-certificate": "true", "continue": "true",
        "lowest-speed-limit": "0", "max-download-limit": "0", "remote-time": "false",
    ])

    static func isKnown(_ name: String) -> Bool { mapped.contains(name) || kept.contains(name) }
}
