/// The options of other programs, from their own help texts. An equals sign marks an option that needs a value.
enum OtherPrograms {
    struct Option: Sendable {
        let name: String
        let needsValue: Bool
    }

    /// curl 7.88.1: `curl --help all`.
    static let curl = options(
        """
        --abstract-unix-socket= --alt-svc= --anyauth --append -a --aws-sigv4= --basic --cacert= --capath=
        --cert= -E= --cert-status --cert-type= --ciphers= --compressed --compressed-ssh --config= -K=
        --connect-timeout= --connect-to= --continue-at= -C= --cookie= -b= --cookie-jar= -c= --create-dirs
        --create-file-mode= --crlf --crlfile= --curves= --data= -d= --data-ascii= --data-binary= --data-raw=
        --data-urlencode= --delegation= --digest --disable -q --disable-eprt --disable-epsv
        --disallow-username-in-url --dns-interface= --dns-ipv4-addr= --dns-ipv6-addr= --dns-servers=
        --doh-cert-status --doh-insecure --doh-url= --dump-header= -D= --egd-file= --engine= --etag-compare=
        --etag-save= --expect100-timeout= --fail -f --fail-early --fail-with-body --false-start --form= -F=
        --form-escape --form-string= --ftp-account= --ftp-alternative-to-user= --ftp-create-dirs --ftp-method=
        --ftp-pasv --ftp-port= -P= --ftp-pret --ftp-skip-pasv-ip --ftp-ssl-ccc --ftp-ssl-ccc-mode=
        --ftp-ssl-control --get -G --globoff -g --happy-eyeballs-timeout-ms= --haproxy-protocol --head -I
        --header= -H= --help= -h= --hostpubmd5= --hostpubsha256= --hsts= --http0.9 --http1.0 -0 --http1.1
        --http2 --http2-prior-knowledge --http3 --http3-only --ignore-content-length --include -i --insecure -k
        --interface= --ipv4 -4 --ipv6 -6 --json= --junk-session-cookies -j --keepalive-time= --key= --key-type=
        --krb= --libcurl= --limit-rate= --list-only -l --local-port= --location -L --location-trusted
        --login-options= --mail-auth= --mail-from= --mail-rcpt= --mail-rcpt-allowfails --manual -M
        --max-filesize= --max-redirs= --max-time= -m= --metalink --negotiate --netrc -n --netrc-file=
        --netrc-optional --next -: --no-alpn --no-buffer -N --no-clobber --no-keepalive --no-npn
        --no-progress-meter --no-sessionid --noproxy= --ntlm --ntlm-wb --oauth2-bearer= --output= -o=
        --output-dir= --parallel -Z --parallel-immediate --parallel-max= --pass= --path-as-is --pinnedpubkey=
        --post301 --post302 --post303 --preproxy --progress-bar -# --proto= --proto-default= --proto-redir=
        --proxy= -x= --proxy-anyauth --proxy-basic --proxy-cacert= --proxy-capath= --proxy-cert=
        --proxy-cert-type= --proxy-ciphers= --proxy-crlfile= --proxy-digest --proxy-header= --proxy-insecure
        --proxy-key= --proxy-key-type= --proxy-negotiate --proxy-ntlm --proxy-pass= --proxy-pinnedpubkey=
        --proxy-service-name= --proxy-ssl-allow-beast --proxy-ssl-auto-client-cert --proxy-tls13-ciphers=
        --proxy-tlsauthtype= --proxy-tlspassword= --proxy-tlsuser= --proxy-tlsv1 --proxy-user= -U= --proxy1.0=
        --proxytunnel -p --pubkey= --quote= -Q= --random-file= --range= -r= --rate= --raw --referer= -e=
        --remote-header-name -J --remote-name -O --remote-name-all --remote-time -R --remove-on-error --request=
        -X= --request-target= --resolve= --retry= --retry-all-errors --retry-connrefused --retry-delay=
        --retry-max-time= --sasl-authzid= --sasl-ir --service-name= --show-error -S --silent -s --socks4=
        --socks4a= --socks5= --socks5-basic --socks5-gssapi --socks5-gssapi-nec --socks5-gssapi-service=
        --socks5-hostname= --speed-limit= -Y= --speed-time= -y= --ssl --ssl-allow-beast --ssl-auto-client-cert
        --ssl-no-revoke --ssl-reqd --ssl-revoke-best-effort --sslv2 -2 --sslv3 -3 --stderr= --styled-output
        --suppress-connect-headers --tcp-fastopen --tcp-nodelay --telnet-option= -t= --tftp-blksize=
        --tftp-no-options --time-cond= -z= --tls-max= --tls13-ciphers= --tlsauthtype= --tlspassword= --tlsuser=
        --tlsv1 -1 --tlsv1.0 --tlsv1.1 --tlsv1.2 --tlsv1.3 --tr-encoding --trace= --trace-ascii= --trace-time
        --unix-socket= --upload-file= -T= --url= --url-query= --use-ascii -B --user= -u= --user-agent= -A=
        --verbose -v --version -V --write-out= -w= --xattr
        """)

    /// GNU Wget 1.21.3: `wget --help`.
    static let wget = options(
        """
        --version -V --help -h --background -b --execute= -e= --output-file= -o= --append-output= -a= --debug -d
        --quiet -q --verbose -v --no-verbose -nv --report-speed= --input-file= -i= --force-html -F --base= -B=
        --config= --no-config --rejected-log= --tries= -t= --retry-connrefused --retry-on-http-error=
        --output-document= -O= --no-clobber -nc --no-netrc --continue -c --start-pos= --progress=
        --show-progress --timestamping -N --no-if-modified-since --no-use-server-timestamps --server-response -S
        --spider --timeout= -T= --dns-timeout= --connect-timeout= --read-timeout= --wait= -w= --waitretry=
        --random-wait --no-proxy --quota= -Q= --bind-address= --limit-rate= --no-dns-cache
        --restrict-file-names= --ignore-case --prefer-family= --user= --password= --ask-password --use-askpass=
        --no-iri --local-encoding= --remote-encoding= --unlink --xattr --no-directories -nd --force-directories
        -x --no-host-directories -nH --protocol-directories --directory-prefix= -P= --cut-dirs= --http-user=
        --http-password= --no-cache --default-page= --adjust-extension -E --ignore-length --header=
        --compression= --max-redirect= --proxy-user= --proxy-password= --referer= --save-headers --user-agent=
        -U= --no-http-keep-alive --no-cookies --load-cookies= --save-cookies= --keep-session-cookies
        --post-data= --post-file= --method= --body-data= --body-file= --content-disposition --content-on-error
        --auth-no-challenge --secure-protocol= --https-only --no-check-certificate --certificate=
        --certificate-type= --private-key= --private-key-type= --ca-certificate= --ca-directory= --crl-file=
        --pinnedpubkey= --ciphers= --no-hsts --hsts-file= --ftp-user= --ftp-password= --no-remove-listing
        --no-glob --no-passive-ftp --preserve-permissions --retr-symlinks --ftps-implicit --ftps-resume-ssl
        --ftps-clear-data-connection --ftps-fallback-to-ftp --warc-file= --warc-header= --warc-max-size=
        --warc-cdx --warc-dedup= --no-warc-compression --no-warc-digests --no-warc-keep-log --warc-tempdir=
        --recursive -r --level= -l= --delete-after --convert-links -k --convert-file-only --backups=
        --backup-converted -K --mirror -m --page-requisites -p --strict-comments --accept= -A= --reject= -R=
        --accept-regex= --reject-regex= --regex-type= --domains= -D= --exclude-domains= --follow-ftp
        --follow-tags= --ignore-tags= --span-hosts -H --relative -L --include-directories= -I=
        --trust-server-names --exclude-directories= -X= --no-parent -np
        """)

    /// GNU Wget2 1.99.1: `wget2 --help`.
    static let wget2 = options(
        """
        --append-output= -a= --base= -B= --config= --debug -d --execute= -e= --force-atom --force-css
        --force-html -F --force-metalink --force-rss --force-sitemap --fsync-policy --help -h --input-encoding=
        --input-file= -i= --local-db --output-file= -o= --quiet -q --stats-all --stats-dns --stats-ocsp
        --stats-server --stats-site --stats-tls --verbose -v --version -V --accept= -A= --accept-regex=
        --ask-password --backups= --bind-address= --cache --chunk-size= --clobber --connect-timeout=
        --content-on-error --continue -c --convert-links -k --cut-file-get-vars --cut-url-get-vars
        --delete-after --dns-caching --dns-timeout= --domains= -D= --exclude-domains= --filter-mime-type=
        --filter-urls --follow-tags= --force-progress --http2-request-window= --ignore-case --ignore-tags= --iri
        --level= -l= --local-encoding= --max-redirect= --max-threads= --mirror -m --netrc --output-document= -O=
        --page-requisites -p --parent --password= --post-data= --post-file= --prefer-family= --progress= --proxy
        --random-wait --read-timeout= --recursive -r --regex-type= --reject= -R= --reject-regex=
        --remote-encoding= --report-speed= --restrict-file-names= --robots --server-response -S --span-hosts -H
        --spider --strict-comments --tcp-fastopen --timeout= -T= --timestamping -N --tries= -t=
        --trust-server-names --use-askpass= --use-server-timestamps --user= --wait= -w= --waitretry= --xattr
        --adjust-extension -E --auth-no-challenge --backup-converted -K --compression= --content-disposition
        --cookie-suffixes= --cookies --default-http-port= --default-https-port= --default-page= --header=
        --html-extension --http-keep-alive --http-password= --http-proxy= --http-proxy-password=
        --http-proxy-user= --http-user= --keep-session-cookies --load-cookies= --metalink --netrc-file= --quota=
        -Q= --referer= --retry-connrefused --save-cookies= --save-headers --user-agent= -U= --ca-certificate=
        --ca-directory= --certificate= --certificate-type= --check-certificate --check-hostname --crl-file=
        --egd-file= --gnutls-options= --hpkp --hpkp-file= --hsts --hsts-file= --http2 --https-enforce=
        --https-only --https-proxy= --ocsp --ocsp-file= --ocsp-stapling --private-key= --private-key-type=
        --random-file= --secure-protocol= --tls-false-start --tls-resume --tls-session-file= --cut-dirs=
        --directories --directory-prefix= -P= --force-directories -x --host-directories --protocol-directories
        --gnupg-homedir --signature-extensions= --verify-save-failed --verify-sig -s --list-plugins
        --local-plugin= --plugin= --plugin-dirs= --plugin-help --plugin-opt=
        """)

    /// aria2 1.36.0: `aria2c --help=#all`.
    static let aria2 = options(
        """
        --version -v --help -h --timeout= -t= --connect-timeout= --max-tries= -m= --auto-save-interval= --log=
        -l= --dir= -d= --out= -o= --split= -s= --daemon -D --referer= --lowest-speed-limit= --piece-length=
        --max-overall-download-limit= --max-download-limit= --file-allocation= --no-file-allocation-limit=
        --allow-overwrite --realtime-chunk-checksum --check-integrity -V --netrc-path= --continue -c --no-netrc
        -n --input-file= -i= --deferred-input --max-concurrent-downloads= -j= --optimize-concurrent-downloads
        --force-sequential -Z --auto-file-renaming --parameterized-uri -P --allow-piece-length-change --no-conf
        --conf-path= --stop= --quiet -q --async-dns --summary-interval= --log-level= --console-log-level=
        --uri-selector= --server-stat-timeout= --server-stat-if= --server-stat-of= --remote-time -R
        --max-file-not-found= --event-poll= --enable-rpc --rpc-listen-port= --rpc-user= --rpc-passwd=
        --rpc-max-request-size= --rpc-listen-all --rpc-allow-origin-all --rpc-certificate= --rpc-private-key=
        --rpc-secure --rpc-save-upload-metadata --dry-run --reuse-uri --on-download-start= --on-download-pause=
        --on-download-stop= --on-download-complete= --on-download-error= --interface= --multiple-interface=
        --disable-ipv6 --human-readable --remove-control-file --always-resume --max-resume-failure-tries=
        --save-session= --max-connection-per-server= -x= --min-split-size= -k= --conditional-get
        --enable-async-dns6 --max-download-result= --retry-wait= --async-dns-server= --show-console-readout
        --stream-piece-selector= --truncate-console-readout --pause --download-result= --hash-check-only
        --checksum= --stop-with-process= --enable-mmap --force-save --save-not-found --disk-cache= --gid=
        --save-session-interval= --enable-color --rpc-secret= --dscp= --pause-metadata --rlimit-nofile=
        --min-tls-version= --socket-recv-buffer-size= --max-mmap-limit= --stderr
        --keep-unfinished-download-result --ftp-user= --ftp-passwd= --ftp-type= --ftp-pasv -p
        --ftp-reuse-connection --ssh-host-key-md= --http-user= --http-passwd= --user-agent= -U= --load-cookies=
        --save-cookies= --enable-http-keep-alive --enable-http-pipelining --header= --certificate=
        --private-key= --ca-certificate= --check-certificate --use-head --http-auth-challenge --http-no-cache
        --http-accept-gzip --content-disposition-default-utf8 --http-proxy= --https-proxy= --ftp-proxy=
        --all-proxy= --no-proxy= --proxy-method= --http-proxy-user= --http-proxy-passwd= --https-proxy-user=
        --https-proxy-passwd= --ftp-proxy-user= --ftp-proxy-passwd= --all-proxy-user= --all-proxy-passwd=
        --show-files -S --max-overall-upload-limit= --max-upload-limit= -u= --torrent-file= -T= --listen-port=
        --follow-torrent= --select-file= --seed-time= --seed-ratio= --peer-id-prefix= --peer-agent=
        --enable-peer-exchange --enable-dht --dht-listen-port= --dht-entry-point= --dht-file-path= --enable-dht6
        --dht-listen-addr6= --dht-entry-point6= --dht-file-path6= --bt-min-crypto-level= --bt-require-crypto
        --bt-request-peer-speed-limit= --bt-max-open-files= --bt-seed-unverified --bt-hash-check-seed
        --bt-max-peers= --bt-external-ip= --index-out= -O= --bt-tracker-interval= --bt-stop-timeout=
        --bt-prioritize-piece= --bt-save-metadata --bt-metadata-only --bt-enable-lpd --bt-lpd-interface=
        --bt-tracker-timeout= --bt-tracker-connect-timeout= --dht-message-timeout= --on-bt-download-complete=
        --bt-tracker= --bt-exclude-tracker= --bt-remove-unselected-file --bt-detach-seed-only
        --bt-force-encryption --bt-enable-hook-after-hash-check --bt-load-saved-metadata --metalink-file= -M=
        --metalink-version= --metalink-language= --metalink-os= --metalink-location= --follow-metalink=
        --metalink-preferred-protocol= --metalink-enable-unique-protocol --metalink-base-uri=
        """)

    private static func options(_ text: String) -> [Option] {
        text.split(whereSeparator: \.isWhitespace).map { word in
            Option(name: String(word.hasSuffix("=") ? word.dropLast() : word), needsValue: word.hasSuffix("="))
        }
    }
}
