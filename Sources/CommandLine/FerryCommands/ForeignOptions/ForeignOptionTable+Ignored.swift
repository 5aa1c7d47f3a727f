/// Options that ask for what Ferry does anyway, or for details that Ferry chooses.
extension ForeignOptionTable {
    static let accepted = [
        // The default behavior.
        ForeignOption(
            all: """
                -L --location --follow -O --remote-name --remote-name-all -J --remote-header-name --content-disposition
                -f --fail --fail-with-body -nd -nH --directories --host-directories --create-dirs -g
                --globoff --no-buffer --remove-on-error --force-sequential -Z --parallel --keep-session-cookies
                --iri --trust-server-names --unlink
                """, meaning: .usual),
        // Opposites that are the default behavior, because Ferry has no such thing.
        ForeignOption(
            all: """
                --no-directories --no-host-directories --no-use-server-timestamps --no-conf --no-config --disable
                --no-hsts --no-cookies --no-alpn --no-npn --no-sessionid --no-recursive --no-robots --no-metalink
                --no-warc-compression --no-glob --no-verbose --no-http2 --no-local-db --no-page-requisites
                --no-iri --no-trust-server-names
                """, meaning: .ignored(hasValue: false)),
        // The display of progress.
        ForeignOption(
            all: """
                -# -S -nv --show-error --progress-bar --show-progress --no-progress-meter --force-progress
                --styled-output --human-readable --enable-color --show-console-readout --truncate-console-readout
                --keep-unfinished-download-result --suppress-connect-headers --trace-time
                """, meaning: .ignored(hasValue: false)),
        ForeignOption(
            all: """
                --progress --summary-interval --console-log-level --log-level --report-speed --download-result
                --max-download-result
                """, meaning: .ignored(hasValue: true)),
        // Connections and requests.
        ForeignOption(
            all: """
                --http1.1 --http2 --http3 --basic --digest --anyauth --junk-session-cookies --keepalive
                --no-keepalive --no-http-keep-alive --http-keep-alive --enable-http-keep-alive
                --enable-http-pipelining --tcp-nodelay --tcp-fastopen --false-start --tls-false-start --tls-resume -1
                --tlsv1 --tlsv1.0 --tlsv1.1 --tlsv1.2 --ssl-allow-beast --ssl-auto-client-cert --ssl-no-revoke
                --ssl-revoke-best-effort --socks5-basic --proxy-anyauth --proxy-basic --proxy-digest
                --no-dns-cache --dns-caching --async-dns --enable-async-dns6 --parallel-immediate --use-head
                --reuse-uri --retry-connrefused --retry-all-errors --content-disposition-default-utf8
                --no-if-modified-since --cache --cookies --local-db --verify-save-failed --ask-password -n --netrc-optional --netrc --check-hostname
                """, meaning: .ignored(hasValue: false)),
        ForeignOption(
            all: """
                --alt-svc --hsts --hsts-file --keepalive-time --expect100-timeout --happy-eyeballs-timeout-ms
                --prefer-family --egd-file --random-file --socket-recv-buffer-size --event-poll --proxy-method
                --retry-on-http-error --max-file-not-found --max-resume-failure-tries --uri-selector
                --server-stat-timeout --server-stat-if --server-stat-of --default-page --local-encoding
                --remote-encoding --input-encoding --dscp
                """, meaning: .ignored(hasValue: true)),
        // The way to the file.
        ForeignOption(
            all: """
                --realtime-chunk-checksum -V --check-integrity --remove-control-file --force-save --save-not-found --always-resume
                --deferred-input --optimize-concurrent-downloads --allow-piece-length-change --enable-mmap
                --pause-metadata --fsync-policy --hpkp --no-hpkp
                """, meaning: .ignored(hasValue: false)),
        ForeignOption(
            all: """
                --file-allocation --no-file-allocation-limit --min-split-size --piece-length --chunk-size
                --stream-piece-selector --disk-cache --max-mmap-limit --auto-save-interval --save-session
                --save-session-interval --rlimit-nofile --gid --restrict-file-names
                """, meaning: .ignored(hasValue: true)),
    ]
}
