/// Options that Ferry does not have, with what to type instead.
extension ForeignOptionTable {
    static let refused = [
        ForeignOption(
            all: "-0 --http1.0 --http2-prior-knowledge --http3-only --http0.9 --http2-only",
            meaning: .advice("Ferry negotiates HTTP/1.1 or HTTP/2 with the server; leave it out.")),
        ForeignOption(
            all: "-j --max-concurrent-downloads --parallel-max --max-threads",
            meaning: .advice("ferry limit --active NUMBER sets the number of files fetched at the same time.")),
        ForeignOption(
            all: "--max-overall-download-limit",
            meaning: .advice("ferry limit RATE limits all transfers together, and --limit-rate those of a command.")),
        ForeignOption(
            all: "-v --verbose --debug --trace --trace-ascii --trace-config",
            meaning: .advice("ferry info last shows the details of a transfer.")),
        ForeignOption(
            all: "--log -a --append-output --output-file --stderr --rejected-log",
            meaning: .advice("redirect the messages in the shell instead: 2> FILE, or 2>> FILE to append.")),
        ForeignOption(
            all: "--dump-header --include --server-response --save-headers",
            meaning: .advice("-I shows the header fields of a response, and ferry info --json those of a transfer.")),
        ForeignOption(
            "-D",
            meaning: .advice(
                "-I shows the header fields of a response, as curl's -D; ferry add returns at once, as aria2's.")),
        ForeignOption(
            all: "--daemon --background", meaning: .advice("ferry add submits transfers and returns at once.")),
        ForeignOption("--pause", meaning: .advice("ferry add --paused submits transfers that wait for ferry resume.")),
        ForeignOption(
            "-w", "--write-out", meaning: .advice("--json prints all properties of a transfer once it has finished.")),
        ForeignOption(
            "-z", "--time-cond", "--etag-compare", "--etag-save",
            meaning: .advice("-N, or --on-conflict update, fetches a file only if the server has another version.")),
        ForeignOption("--spider", "--dry-run", meaning: .advice("-I requests only the head of the response.")),
        ForeignOption(
            all: "--hash-check-only --verify-sig --gnupg-homedir",
            meaning: .advice("--checksum DIGEST verifies a file; sha256sum -c and gpg --verify check an existing one.")),
        ForeignOption(
            all: """
                --recursive -p --page-requisites -np --no-parent --parent --mirror-site --level -l --span-hosts
                --relative --convert-links --convert-file-only --backup-converted --backups --accept --reject
                --accept-regex --reject-regex --regex-type --domains --exclude-domains --follow-tags --ignore-tags
                --include-directories --exclude-directories --strict-comments --ignore-case --delete-after --robots
                --filter-mime-type --filter-urls --force-css --force-sitemap --force-rss --force-atom
                """, meaning: .advice("Ferry fetches files, not whole sites: -i takes a list of URLs.")),
        ForeignOption(
            all: """
                --force-directories --protocol-directories --cut-dirs --cut-url-get-vars --cut-file-get-vars
                --adjust-extension --html-extension
                """, meaning: .advice("-d names the folder, and -o the file.")),
        ForeignOption(
            all: "--force-html --base -B",
            meaning: .advice("-i takes a list with one URL per line, not a web page.")),
        ForeignOption(
            all: "-F --form --form-string --form-escape -G --get --data-urlencode --url-query",
            meaning: .advice("ferry put --data-form NAME=@FILE URL sends a form; --data sends a body as it is.")),
        ForeignOption("--upload-file", meaning: .advice("ferry put FILE URL uploads a file.")),
        ForeignOption("-:", "--next", meaning: .advice("Ferry has one set of options per command; run two commands.")),
        ForeignOption(
            "--start-pos", meaning: .advice("-r START- fetches what follows a byte, and -c continues a file.")),
        ForeignOption(
            all: "-K --config --conf-path --execute --libcurl",
            meaning: .advice("Ferry does not read options from a file; give them on the command line.")),
        ForeignOption(
            all: "--password --http-password --http-passwd --use-askpass",
            meaning: .advice("write -u USER:PASSWORD, or -u USER with --password-stdin.")),
        ForeignOption("--http-user", meaning: .advice("write -u USER:PASSWORD.")),
        ForeignOption(
            all: """
                --proxy-user --http-proxy-user --https-proxy-user --all-proxy-user --http-proxy-passwd
                --https-proxy-passwd --all-proxy-passwd --proxy-password --http-proxy-password --https-proxy-password
                """, meaning: .advice("write them into the proxy's URL: --proxy http://USER:PASSWORD@HOST:PORT.")),
        ForeignOption(
            all: "--socks4 --socks4a --preproxy --proxy1.0 --proxytunnel --haproxy-protocol",
            meaning: .advice("a proxy is http://, https://, socks5:// or socks5h://; see --proxy.")),
        ForeignOption(
            all: "--retry-delay --waitretry --retry-wait --retry-max-time",
            meaning: .advice(
                "Ferry increases the delay after each failure by itself; --retries sets the number of retries.")),
        ForeignOption(
            all: "--wait --random-wait --rate",
            meaning: .advice("ferry limit --per-host 1 fetches one file of a server at a time.")),
        ForeignOption("--quota", meaning: .advice("--max-size limits each file.")),
        ForeignOption("--stop", "--stop-with-process", meaning: .advice("--max-time SECONDS limits each file.")),
        ForeignOption(
            "--fail-early",
            meaning: .advice("Ferry fetches the other files; the exit status is that of the first failure.")
        ),
        ForeignOption(
            all: "--ignore-length --ignore-content-length",
            meaning: .advice("Ferry needs the length to know whether a file is complete; leave it out.")),
        ForeignOption(
            "--content-on-error", meaning: .advice("Ferry saves no error pages; ferry info shows the reason.")),
        ForeignOption(
            "--raw", "--tr-encoding", meaning: .advice("Ferry saves the file as the server has it; leave it out.")),
        ForeignOption(
            all: "--post301 --post302 --post303",
            meaning: .advice("a redirected POST becomes a GET where RFC 9110 says so; leave it out.")),
        ForeignOption(
            all: "--cookie-jar --save-cookies",
            meaning: .advice("Ferry keeps no cookies of servers; -b cookies.txt sends those of a browser.")),
        ForeignOption(
            all: "--negotiate --ntlm --ntlm-wb --delegation --service-name --krb",
            meaning: .advice("Ferry answers Basic and Digest challenges only.")),
        ForeignOption("--aws-sigv4", meaning: .advice("Ferry signs no requests; give it a presigned URL.")),
        ForeignOption(
            all: """
                --resolve --connect-to --interface --multiple-interface --bind-address --local-port --unix-socket
                --abstract-unix-socket
                """,
            meaning: .advice(
                "Ferry connects as the system's names and routes say; -4 and -6 choose the kind of address.")
        ),
        ForeignOption(
            all: "--pass", meaning: .advice("Ferry reads keys without a passphrase; openssl pkey decrypts one.")),
        ForeignOption(
            all: "--pinnedpubkey --proxy-pinnedpubkey",
            meaning: .advice("--cacert FILE trusts only the certificates in a file.")),
        ForeignOption(
            all: """
                --ciphers --tls13-ciphers --curves --engine --gnutls-options --cert-status --crlfile --crl-file --ocsp
                --ocsp-file --ocsp-stapling --signature-extensions --tls-session-file -2 --sslv2 -3 --sslv3
                """, meaning: .advice("Ferry uses TLS 1.2 and 1.3 as BoringSSL does; --cacert and --min-tls limit it.")),
        ForeignOption(
            all: "--create-file-mode --preserve-permissions --xattr",
            meaning: .advice("the file's mode follows the umask of the command.")),
        ForeignOption(
            all: "--request-target --path-as-is --disallow-username-in-url --default-http-port --default-https-port",
            meaning: .advice("Ferry sends the request that the URL describes; leave it out.")),
        ForeignOption(
            "-M", "--manual", meaning: .advice("ferry manual get | man -l - shows the manual page of ferry get.")),
        ForeignOption(
            all: """
                --append --use-ascii --crlf --list-only -Q --quote --disable-epsv --disable-eprt --login-options
                --pubkey --compressed-ssh --no-remove-listing --no-passive-ftp --retr-symlinks --follow-ftp --ssl
                --ssl-reqd
                """, meaning: .advice(otherProtocols)),
        ForeignOption(
            all: """
                --torrent-file --follow-torrent --select-file --listen-port --index-out --show-files
                --max-overall-upload-limit --max-upload-limit --on-bt-download-complete
                """, meaning: .advice(torrents)),
    ]

    /// Options of one kind, by the beginning of their names.
    static let families: [(start: String, meaning: ForeignOption.Meaning)] = [
        ("--ftp-proxy", .advice(otherProtocols)), ("--ftp", .advice(otherProtocols)),
        ("--mail-", .advice(otherProtocols)), ("--tftp-", .advice(otherProtocols)),
        ("--telnet-", .advice(otherProtocols)), ("--ssh-", .advice(otherProtocols)),
        ("--sasl-", .advice(otherProtocols)), ("--hostpub", .advice(otherProtocols)),
        ("--bt-", .advice(torrents)), ("--dht-", .advice(torrents)), ("--enable-dht", .advice(torrents)),
        ("--enable-peer", .advice(torrents)), ("--peer-", .advice(torrents)), ("--seed-", .advice(torrents)),
        ("--metalink", .advice(metalink)), ("--follow-metalink", .advice(metalink)),
        ("--force-metalink", .advice(metalink)),
        ("--rpc-", .advice(gateway)), ("--enable-rpc", .advice(gateway)),
        ("--warc-", .advice("Ferry writes files as the servers have them, and no archives.")),
        ("--no-warc-", .ignored(hasValue: false)),
        ("--on-download-", .advice("--json prints the finished transfers; run what follows after the command: &&.")),
        (
            "--proxy-", .advice("Ferry has no such option for proxies; --cacert names the authorities for proxies too.")
        ),
        ("--socks5-gssapi", .advice("Ferry answers a proxy with user and password only.")),
        ("--dns-", .advice("names are resolved by the system, as in /etc/resolv.conf; --connect-timeout limits it.")),
        ("--async-dns-server", .advice("names are resolved by the system, as in /etc/resolv.conf.")),
        ("--doh-", .advice("names are resolved by the system, as in /etc/resolv.conf.")),
        ("--tls", .advice("Ferry uses TLS 1.2 and 1.3, with certificates; --min-tls 1.3 forbids 1.2.")),
        ("--stats-", .advice("ferry info last shows the details of a transfer.")),
        ("--plugin", .advice("Ferry has no plugins.")), ("--list-plugins", .advice("Ferry has no plugins.")),
        ("--local-plugin", .advice("Ferry has no plugins.")),
        ("--hpkp-", .ignored(hasValue: true)), ("--cookie-suffixes", .ignored(hasValue: true)),
        ("--http2-request-window", .ignored(hasValue: true)),
    ]

    private static let otherProtocols = "Ferry downloads over http and https only."
    private static let torrents = "Ferry does not download torrents."
    private static let metalink = "Ferry does not read Metalink files; --mirror and --checksum give what they contain."
    private static let gateway = "ferry gateway on lets clients of aria2 connect."
}
