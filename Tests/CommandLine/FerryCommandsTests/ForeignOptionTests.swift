import CommandKit
import FerryCore
import Foundation
import Testing

@testable import FerryCommands

/// Command lines as typed for curl, wget and aria2, with the expected results.
@Suite struct `Habits` {
    /// A command line, and its equivalent in Ferry's own options.
    static let same: [(typed: String, own: String)] = [
        // curl
        ("-L URL", "URL"), ("-O URL", "URL"), ("-LO URL", "URL"), ("-LOJ URL", "URL"), ("-fsSL URL", "-q URL"),
        ("-fsSLO URL", "-q URL"), ("-sS URL", "-q URL"), ("-# -O URL", "URL"), ("-C - -O URL", "URL"),
        ("-LOC - URL", "URL"), ("--fail --location URL", "URL"), ("--continue-at - URL", "URL"),
        ("-o name URL", "-o name URL"), ("-Lo name URL", "-o name URL"), ("-oname URL", "-o name URL"),
        ("--output-dir d URL", "-d d URL"), ("--create-dirs -o d/name URL", "-o d/name URL"),
        ("--retry 3 URL", "--retries 3 URL"), ("--retry 3 --retry-all-errors URL", "--retries 3 URL"),
        ("-k URL", "--insecure URL"), ("-LkO URL", "--insecure URL"), ("-m 60 URL", "--max-time 60 URL"),
        ("-x http://proxy:3128 URL", "--proxy http://proxy:3128 URL"), ("-x proxy:3128 URL", "--proxy proxy:3128 URL"),
        ("--socks5 h:1 URL", "--proxy socks5://h:1 URL"), ("--socks5-hostname h:1 URL", "--proxy socks5h://h:1 URL"),
        ("-A agent URL", "--user-agent agent URL"), ("-e http://p/ URL", "--referer http://p/ URL"),
        ("-H A:b URL", "--header A:b URL"), ("-b a=1 URL", "--cookie a=1 URL"), ("-R URL", "--remote-time URL"),
        ("-r 0-499 URL", "--range 0-499 URL"), ("-X POST URL", "--request POST URL"), ("-n URL", "URL"),
        ("-ZLO URL URL2", "URL URL2"), ("--url URL", "URL"), ("-g URL", "URL"),
        ("--limit-rate 1M URL", "--limit-rate 1M URL"), ("--max-filesize 1M URL", "--max-size 1M URL"),
        // wget
        ("-c URL", "URL"), ("-q URL", "-q URL"), ("-nv URL", "URL"), ("-nc URL", "--on-conflict skip URL"),
        ("-N URL", "--on-conflict update URL"), ("-P d URL", "-d d URL"), ("-O name URL", "-o name URL"),
        ("-qO name URL", "-q -o name URL"), ("-t 5 URL", "--retries 4 URL"), ("--tries=0 URL", "--retries 1000 URL"),
        ("-T 10 URL", "--connect-timeout 10 --read-timeout 10 URL"),
        ("--timeout=10 URL", "--connect-timeout 10 --read-timeout 10 URL"),
        ("--no-check-certificate URL", "--insecure URL"), ("--content-disposition URL", "URL"),
        ("-U agent/1.0 URL", "--user-agent agent/1.0 URL"),
        ("--post-data a=b URL", "--data-raw a=b URL"), ("--max-redirect=5 URL", "--max-redirs 5 URL"),
        // aria2
        ("-x16 URL", "--connections 16 URL"), ("-s16 URL", "--connections 16 URL"),
        ("-x 16 -s 16 URL", "--connections 16 URL"), ("--split=4 URL", "--connections 4 URL"),
        ("--dir=d --out=name URL", "-d d -o name URL"), ("--continue=true URL", "URL"),
        ("--allow-overwrite=true URL", "--on-conflict replace URL"), ("--max-tries=3 URL", "--retries 2 URL"),
        ("--max-download-limit=1M URL", "--limit-rate 1M URL"), ("--check-certificate=false URL", "--insecure URL"),
        (
            "--checksum=sha1=da39a3ee5e6b4b0d3255bfef95601890afd80709 URL",
            "--checksum sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709 URL"
        ),
        ("--all-proxy=http://p:1 URL", "--proxy http://p:1 URL"),
        ("--file-allocation=none --summary-interval=0 --console-log-level=warn URL", "URL"),
        ("--file-allocation none -x4 URL", "-x4 URL"), ("-x16 --min-split-size=1M URL", "-x16 URL"),
        ("--disable-ipv6=true URL", "-4 URL"), ("--disable-ipv6 URL", "-4 URL"), ("--disable-ipv6=false URL", "URL"),
        ("--auto-file-renaming=false URL", "--on-conflict fail URL"), ("--auto-file-renaming URL", "URL"),
        ("--conditional-get=true URL", "-N URL"), ("--http-accept-gzip=true URL", "--compressed URL"),
        ("--enable-rpc=false --daemon=false --pause=false URL", "URL"), ("--no-proxy=a,b URL", "--noproxy a,b URL"),
        ("--lowest-speed-limit=10K URL", "-Y 10K URL"), ("-V --check-integrity=true URL", "URL"),
        // what they mean to curl and wget
        ("--http1.1 --basic URL", "URL"), ("--http2 --tlsv1.2 URL", "URL"), ("--tlsv1.3 URL", "--min-tls 1.3 URL"),
        ("--proto =https --proto-redir =https URLS", "--https-only URLS"),
        ("--proto -all,https URLS", "--https-only URLS"),
        ("--proto =http,https URL", "URL"), ("--data-ascii a=b URL", "--data a=b URL"),
        ("--oauth2-bearer abc URL", "-H Authorization:Bearer_abc URL"), ("--no-location URL", "--max-redirs 0 URL"),
        ("--progress=dot:giga --trust-server-names URL", "URL"), ("--progress=bar:force --show-progress URL", "URL"),
        ("--no-cookies --no-hsts --no-dns-cache --no-verbose URL", "URL"),

        ("--retry-on-http-error=503,429 URL", "URL"), ("--compression=auto URL", "--compressed URL"),
        ("--compression=none --restrict-file-names=windows URL", "URL"),
        ("--no-cache URL", "-H Cache-Control:no-cache URL"),
        ("--no-use-server-timestamps URL", "URL"), ("--ask-password URL", "URL"),
        ("--ca-directory=/etc/ssl URL", "--cacert /etc/ssl URL"), ("--secure-protocol=TLSv1_2 URL", "URL"),
        ("--certificate-type=PEM URL", "URL"), ("-qnc URL", "-q --on-conflict skip URL"), ("-qnd URL", "-q URL"),
        ("-OC- URL", "--continue-file URL"), ("-Om 10 URL", "--max-time 10 URL"), ("-OLH X:1 URL", "-H X:1 URL"),
        ("--hsts URL", "URL"), ("--hsts file URL", "URL"), ("--hpkp URL", "URL"), ("--fsync-policy URL", "URL"),
        ("--keep-unfinished-download-result=true URL", "URL"), ("--quiet=true URL", "-q URL"),
        ("--remote-time=true URL", "--remote-time URL"), ("--quiet=false URL", "URL"),
        ("--always-resume=false URL", "URL"),
        ("-U Mozilla/5.0_(X11;_rv:1) URL", "--user-agent Mozilla/5.0_(X11;_rv:1) URL"),
        ("--no-compressed-ssh --no-metalink URL", "URL"),
    ]

    private func words(_ line: String) -> [String] {
        line.replacing("URL2", with: "http://example.com/other").replacing("URLS", with: "https://example.com/file")
            .replacing("URL", with: "http://example.com/file")
            .split(separator: " ").map { String($0).replacing("Bearer_", with: "Bearer ") }
    }

    /// Returns the requests made by `get`, its messages and its exit status.
    private func requests(_ line: String) async -> (requests: [TransferRequest], talk: String, status: Int32) {
        let done = Result<String, ServiceError>.success("/home/me/file")
        let daemon = FakeDaemon(ends: [
            "http://example.com/file": done, "http://example.com/other": done, "https://example.com/file": done,
        ])
        let console = RecordingConsole()
        let context = CommandContext(console: console, environment: [:], currentFolder: "/home/me") { daemon }
        let status = await FerryProgram.run(["get"] + words(line), in: context)
        return (daemon.requests, console.talk, status)
    }

    @Test func `a line for another program asks for the same as Ferry's own`() async {
        // Many lines mean the same, and the parser is slow without optimization.
        for (own, lines) in Dictionary(grouping: Self.same, by: \.own) {
            let expected = await requests(own)
            #expect(!expected.requests.isEmpty, "\(own): \(expected.talk)")
            for (typed, _) in lines where typed != own {
                let meant = await requests(typed)
                #expect(meant.status == 0, "\(typed): \(meant.talk)")
                #expect(meant.requests == expected.requests, "\(typed)")
                #expect(meant.talk == expected.talk, "\(typed)")
            }
        }
    }

    @Test(
        arguments: [
            ("-j 5 URL", "-j: ferry limit --active"), ("-v URL", "-v: ferry info last"),
            ("-w %{http_code} URL", "-w: --json"), ("-F a=b URL", "-F: "), ("-K file URL", "-K: "),
            ("-C 500 URL", "-C: Ferry continues where an earlier command stopped; -r 500-"),
            ("-T file URL", "-T: "), ("-r URL", "-r: "), ("-d a=b URL", "-d is the folder"),
            ("-d @file URL", "-d is the folder"), ("--password x URL", "--password: write -u"),
            ("--proxy-user u:p URL", "--proxy-user: write them into the proxy's URL"),
            ("-U u:p URL", "-U: write the proxy's"), ("--spider URL", "--spider: -I"), ("-z file URL", "-z: -N"),
            ("--tries=many URL", "--tries: “many” is not a number of attempts."), ("--http1.0 URL", "--http1.0: "),
            ("--background URL", "--background: ferry add"),
            ("--no-location=x URL", "--no-location takes no value"), ("--no-fail URL", "--no-fail: Ferry always"),
            ("--fail=false URL", "--fail: Ferry always"), ("--continue=yes URL", "--continue takes no value"),
            ("-U me:s3/cret URL", "-U: write the proxy's"),
            ("-O a -o log URL", "-o names one file, and is given twice"),
            ("--output=a --output=b URL", "-o names one file, and is given twice"),
            ("--output= URL", "“” names no file"),
            ("-e http_proxy=h:1 URL", "-e is the referer"), ("-x URL2 URL", "-x is a proxy or a number"),
            ("-H URL2 URL", "-H is a header field"),
            ("-x http://me:pw@h/f URL", "-x is a proxy or a number of connections; http://h/f has a path"),
            (
                "-H http://me:pw@h/f URL",
                "-H is a header field; wget's -H, for links to other hosts, is not supported, and http://h/f looks"
            ), ("-E URL2 URL", "-E is a certificate"),
            ("-P -Z URL", "-P needs a folder; aria2's -P is --glob"), ("-P URL2 URL", "-P is a folder"),
            ("-d url=http://h/x URL", "-d is the folder"), ("--proto-redir =https URL", "--https-only forbids"),
            ("-k1M URL", "-k1M: -k turns the verification of certificates off"),
            ("--http-user=x URL", "--http-user: write -u"), ("--password=x URL", "--password: write -u"),
            ("--waitretry=1 URL", "--waitretry: Ferry increases"),
            ("--bt-max-peers=5 URL", "--bt-max-peers: Ferry does not"),
            ("--json {\"a\":1} URL", "--json prints the transfers as JSON; --json-body '{\"a\":1}' sends a body."),
            ("--json=@file URL", "--json prints the transfers as JSON; --json-body '@file' sends a body."),
            ("--proto =ftp URL", "--proto: Ferry uses https"), ("--https-only URL", "--https-only forbids http://"),
            ("--https-only --mirror http://a/b URLS", "--https-only forbids http://a/b"),
            ("--proxy-cacert=x URL", "--proxy-cacert: Ferry has no such option for proxies"),
            ("--resolve a:80:127.0.0.1 URL", "--resolve: Ferry connects"), ("-2 URL", "-2: Ferry uses TLS"),
            ("--compression=br URL", "--compression: Ferry decodes"),
        ])
    func `an option that Ferry has another way for says which`(typed: String, sentence: String) async {
        let meant = await requests(typed)
        #expect(meant.status == 64)
        #expect(meant.talk.hasPrefix("ferry: " + sentence), "\(meant.talk)")
        #expect(meant.talk.split(separator: "\n").count == 1)
        #expect(meant.requests.isEmpty)
    }

    /// An option's value is never parsed as an option.
    @Test(arguments: [
        ("--referer -L URL", "-L"), ("-e -L URL", "-L"), ("--referer=-L URL", "-L"), ("-e-L URL", "-L"),
    ])
    func `the value of an option is its value`(typed: String, value: String) async {
        #expect(await requests(typed).requests.first?.headers == [HeaderField(name: "Referer", value: value)])
    }

    @Test(arguments: [("-O - URL", "-"), ("-qO- URL", "-"), ("-Oname URL", "name")])
    func `the letter of a name is wget's where a name follows`(typed: String, name: String) throws {
        let translated = try TranslatedArguments.translated(words(typed))
        let place = try #require(translated.firstIndex(of: "--output"))
        #expect(translated[place + 1] == name)
    }

    /// A whole-file download must not continue a partial file that an earlier range download has left.
    @Test func `a part of a file is distinguished from the whole file`() async throws {
        let request = try #require(await requests("-r 0-499 --tag a URL").requests.first)
        #expect(request.headers == [HeaderField(name: "Range", value: "bytes=0-499")])
        #expect(request.tags == ["a", "bytes=0-499"])
        var part = Transfer.sample(url: "http://example.com/file")
        part.folder = "/home/me"
        part.tags = request.tags
        (part.state, part.names.chosen, part.names.given) = (.waiting, nil, nil)
        let daemon = FakeDaemon()
        daemon.add(part)
        var unfinished = try await UnfinishedTransfers(daemon, session: .cli)
        var whole = request
        (whole.tags, whole.headers) = ([], [])
        #expect(unfinished.take(for: whole) == nil)
        var posted = request
        posted.method = "POST"
        #expect(unfinished.take(for: posted) == nil)
        #expect(unfinished.take(for: request)?.id == part.id)
    }

    @Test(
        arguments: [
            ("--data a=b --data c URL", "POST", "a=b&c", "application/x-www-form-urlencoded"),
            ("--data-raw @x URL", "POST", "@x", "application/x-www-form-urlencoded"),
            ("-X PUT --json-body {} URL", "PUT", "{}", "application/json"),
            ("-H content-type:text/plain --data a URL", "POST", "a", "text/plain"),
        ])
    func `content has curl's method and type`(line: String, method: String, content: String, type: String) async throws
    {
        let request = try #require(await requests(line).requests.first)
        #expect(request.method == method)
        #expect(request.body == .bytes(Data(content.utf8)))
        #expect(request.headers.first { $0.isNamed("Content-Type") }?.value == type)
    }

    /// A regression: aria2's `-k 1M`, the size of pieces, turned the verification of certificates off.
    @Test(arguments: [
        "-x 16 -s 16 -k 1M URL", "-k 20M URL", "-k 1024 URL", "-k 5MiB URL", "-fsSLk 1m URL", "-Lk 1M URL",
        "--insecure 1M URL", "--insecure true URL", "--no-check-certificate false URL",
        "--check-certificate=false 1M URL",
        "--allow-downgrade yes URL",
    ])
    func `an option that lowers safety is refused where it seems to have a value`(line: String) async {
        let meant = await requests(line)
        #expect(meant.requests.isEmpty && meant.status == 64, "\(meant)")
        #expect(meant.talk.contains("looks like one"), "\(meant.talk)")
    }

    @Test(arguments: ["-k URL", "-kL URL", "--insecure URL", "-k -x 16 URL", "URL -k", "--no-check-certificate URL"])
    func `an option that lowers safety has its effect where it is meant`(line: String) async {
        let meant = await requests(line)
        #expect(meant.requests.map(\.tls.insecure) == [true], "\(meant)")
    }

    /// Whatever another program's user types is accepted, translated, or answered with what to type instead.
    @Test(arguments: [OtherPrograms.curl, OtherPrograms.wget, OtherPrograms.wget2, OtherPrograms.aria2])
    func `no option of another program is unknown`(options: [OtherPrograms.Option]) throws {
        #expect(options.count > 140)
        let own = TranslatedArguments.ownWithValue.union(TranslatedArguments.ownFlags)
        let letters = TranslatedArguments.ownLetters
        let known = own.union((letters.withValue + letters.flags + "h").map { "-\($0)" }).union(["--version", "--help"])
        let unknown = options.map(\.name).filter { !known.contains($0) && ForeignOptionTable.option($0) == nil }
        #expect(unknown.isEmpty)
    }

    /// Otherwise the value would be fetched as a URL, or a URL would be lost as a value.
    @Test(arguments: [OtherPrograms.curl, OtherPrograms.wget, OtherPrograms.wget2, OtherPrograms.aria2])
    func `a long option of another program takes a value if it does there`(options: [OtherPrograms.Option]) {
        // Flags in one program and not in another. The next test is about them.
        let ambiguous: Set = ["--help", "--json", "--mirror", "--proxy", "--hsts", "--no-proxy"]
        let different = options.filter { option in
            guard option.name.hasPrefix("--"), !ambiguous.contains(option.name), let own = takesValue(option.name)
            else { return false }
            return own != option.needsValue
        }
        #expect(different.map(\.name) == [])
    }

    @Test(arguments: ["--json {} URL", "--mirror URL", "--proxy URL", "--no-proxy a.example,b.example URL"])
    func `an option with a value in some programs only loses no word`(line: String) async {
        let meant = await requests(line)
        #expect(meant.requests.isEmpty && meant.status == 64, "\(meant)")
    }

    @Test(arguments: ["--hsts URL", "--hsts file.txt URL", "--no-proxy URL", "--no-proxy=a.example URL"])
    func `an option with a value in some programs only has it where it is meant`(line: String) async {
        let meant = await requests(line)
        #expect(meant.requests.count == 1 && meant.status == 0, "\(meant)")
    }

    @Test(
        arguments: [
            ("-c jar.txt URL", "jar.txt"), ("URL a.example/f", "a.example/f"), ("URL http:/f", "http:/f"),
            ("URL --mirror a.example/f", "a.example/f"),
        ])
    func `a typed word without a scheme is refused before anything is done`(line: String, word: String) async {
        let meant = await requests(line)
        #expect(meant.requests.isEmpty && meant.status == 64, "\(meant)")
        #expect(meant.talk.contains("“\(word)”"), "\(meant.talk)")
    }

    /// - Returns: Nil if the option is always refused.
    private func takesValue(_ name: String) -> Bool? {
        if TranslatedArguments.ownWithValue.contains(name) { return true }
        guard let option = ForeignOptionTable.option(name) else { return false }
        if case .advice = option.meaning { return nil }
        return option.takesValue
    }

    @Test func `words after two dashes are no options`() throws {
        #expect(try TranslatedArguments.translated(["-L", "--", "-O"]) == ["--", "-O"])
        #expect(try TranslatedArguments.translated(["--no-proxy", "x"]) == ["--proxy", "", "x"])
        #expect(try TranslatedArguments.translated(["--no-netrc", "x"]) == ["--netrc-file", "/dev/null", "x"])
    }

    @Test func `all options with values are known`() throws {
        let tree = try CommandTree.ofFerry().leaves.filter { $0.words == ["get"] || $0.words == ["add"] }
        for (_, command) in tree {
            for argument in command.arguments ?? [] where argument.kind != "positional" {
                for name in (argument.names ?? []).map(\.text) {
                    if name.hasPrefix("--") {
                        #expect(
                            TranslatedArguments.ownWithValue.contains(name) == (argument.kind == "option"), "\(name)")
                        let isFlag = TranslatedArguments.ownFlags.contains(name)
                        #expect(
                            isFlag == (argument.kind == "flag") || ["--version", "--help"].contains(name), "\(name)")
                        #expect(ForeignOptionTable.words[name] == nil, "\(name)")
                    } else if let letter = name.last {
                        let letters = TranslatedArguments.ownLetters
                        #expect(letters.withValue.contains(letter) == (argument.kind == "option"), "\(name)")
                        #expect(letters.flags.contains(letter) == (argument.kind == "flag"), "\(name)")
                        #expect(ForeignOptionTable.words[name] == nil, "\(name)")
                    }
                }
            }
        }
    }
}

@Suite struct `A command line that cannot be read` {
    @Test(
        arguments: [
            ("get --retries -1 URL", "--retries: “-1” is not a number from 0 to 1000."),
            ("get -x 0 URL", "-x: “0” is not a number from 1 to 64."),
            ("get --conections 3 URL", "--conections is not an option of this command; did you mean --connections?"),
            ("get --fial URL", "--fial is not an option of this command; did you mean --fail?"),
            ("get --frobnicate URL", "--frobnicate is not an option of this command."),
            ("get -W URL", "-W is not an option of this command."),
            ("get --frobnicate", "--frobnicate is not an option of this command."),
            ("get -qW", "-W is not an option of this command."),
            ("get -o a --frobnicate URL URL", "--frobnicate is not an option of this command."),
            ("get -o --frobnicate URL URL", "-o names one file"), ("get", "Nothing to fetch"),
            ("put --frobnicate", "--frobnicate is not an option of this command."),
            ("cancel --frobnicate", "--frobnicate is not an option of this command."),
            ("get -m", "-m needs a value."), ("get --retry", "--retry needs a value."),
            ("get --priority zzz URL", "--priority: “zzz” is not low, normal, high or a number from -10 to 10."),
            ("get --limit-rate 100 URL", "--limit-rate: “100” is too slow; write at least 1k, or 0 for no limit."),
            ("get -r 9-1 URL", "-r: “9-1” is not one range of bytes, such as 0-499, 500- or -500."),
            ("get --begin soon URL", "“soon” is not a time; write it as 20:00, 2026-01-31T20:00, or +2h from now."),
            ("get -I -o x URL", "-I prints response heads; leave out -o, -X and --json."),
            (
                "get --data a --json-body b URL",
                "--data, --data-binary and --json-body each set the whole body; give one of them."
            ),
            ("list --sate x", "--sate is not an option of this command; did you mean --state?"),
            ("limit --active -1", "--active: “-1” is not a number of transfers or connections; write it as 4."),
            ("help nonsense", "Unknown command “nonsense”. See ferry --help."),
            ("hsts --help", "Unknown command “hsts”. See ferry --help."),
            ("pause", "Select transfers by ids"),
        ])
    func `is answered with the option as it was typed`(line: String, sentence: String) async {
        let console = RecordingConsole()
        let context = CommandContext(console: console, environment: [:], currentFolder: "/") { FakeDaemon() }
        let words = line.replacing("URL", with: "http://example.com/file").split(separator: " ").map(String.init)
        #expect(await FerryProgram.run(words, in: context) == 64)
        #expect(console.talk.hasPrefix("ferry: " + sentence), "\(console.talk)")
        #expect(console.talk.split(separator: "\n").count <= 2)
    }
}
