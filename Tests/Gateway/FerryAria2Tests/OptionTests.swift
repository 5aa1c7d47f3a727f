import FerryCore
import FerryTesting
import Testing

@testable import FerryAria2

/// Response of aria2c 1.36 of Debian to `aria2.getOption` for a paused download, without `dir` and `user-agent`.
private let recordedOfDownloads = """
    allow-overwrite=false allow-piece-length-change=false always-resume=true async-dns=true auto-file-renaming=true
    bt-enable-hook-after-hash-check=true bt-enable-lpd=false bt-force-encryption=false bt-hash-check-seed=true
    bt-load-saved-metadata=false bt-max-peers=55 bt-metadata-only=false bt-min-crypto-level=plain
    bt-remove-unselected-file=false bt-request-peer-speed-limit=51200 bt-require-crypto=false bt-save-metadata=false
    bt-seed-unverified=false bt-stop-timeout=0 bt-tracker-connect-timeout=60 bt-tracker-interval=0
    bt-tracker-timeout=60 check-integrity=false conditional-get=false connect-timeout=60
    content-disposition-default-utf8=false continue=false dry-run=false enable-http-keep-alive=true
    enable-http-pipelining=false enable-mmap=false enable-peer-exchange=true file-allocation=prealloc
    follow-metalink=true follow-torrent=true force-save=false ftp-pasv=true ftp-reuse-connection=true ftp-type=binary
    hash-check-only=false http-accept-gzip=false http-auth-challenge=false http-no-cache=false lowest-speed-limit=0
    max-connection-per-server=1 max-download-limit=0 max-file-not-found=0 max-mmap-limit=9223372036854775807
    max-resume-failure-tries=0 max-tries=5 max-upload-limit=0 metalink-enable-unique-protocol=true
    metalink-preferred-protocol=none min-split-size=20971520 no-file-allocation-limit=5242880 no-netrc=false
    parameterized-uri=false pause-metadata=false piece-length=1048576 proxy-method=get realtime-chunk-checksum=true
    remote-time=false remove-control-file=false retry-wait=0 reuse-uri=true rpc-save-upload-metadata=true
    save-not-found=true seed-ratio=1.0 split=5 stream-piece-selector=default timeout=60 uri-selector=feedback
    use-head=false
    """

/// Further options in its response to `aria2.getGlobalOption`, without the user's folders, the port and limits.
private let recordedOfAll = """
    auto-save-interval=60 bt-detach-seed-only=false bt-max-open-files=100 check-certificate=true
    console-log-level=notice daemon=false deferred-input=false dht-listen-port=6881-6999 dht-message-timeout=10
    disable-ipv6=false disk-cache=16777216 download-result=default dscp=0 enable-color=true enable-dht=true
    enable-dht6=false enable-rpc=true event-poll=epoll help=#basic human-readable=true
    keep-unfinished-download-result=true listen-port=6881-6999 log-level=debug
    max-download-result=1000 max-overall-download-limit=0 max-overall-upload-limit=0 min-tls-version=TLSv1.2
    optimize-concurrent-downloads=false peer-agent=aria2/1.36.0 peer-id-prefix=A2-1-36-0- quiet=false
    rpc-allow-origin-all=false rpc-listen-all=false rpc-max-request-size=2097152 rpc-secure=false
    save-session-interval=0 server-stat-timeout=86400 show-console-readout=true show-files=false
    socket-recv-buffer-size=0 stderr=false stop=0 summary-interval=60 truncate-console-readout=true
    """

private func values(_ recorded: String) -> [String] { recorded.split(whereSeparator: \.isWhitespace).map(String.init) }

@Suite(.timeLimit(.minutes(1))) struct `Options as aria2c shows them` {
    /// Returns the result of a method, each option as `name=value`.
    private static func shown(_ method: String, _ parameters: String = "") async throws -> Set<String> {
        let answer = try RPCValueReader.read(Array(await Client().call(method, parameters).utf8))
        return Set((answer.members ?? [:]).map { "\($0.key)=\($0.value.text ?? "")" })
    }

    @Test func `of a download are there with aria2's defaults`() async throws {
        let client = Client()
        client.service.put(.sample(id: 0x12, state: .suspended))
        let answer = try RPCValueReader.read(Array(await client.call("aria2.getOption", #""0000000000000012""#).utf8))
        let shown = Set((answer.members ?? [:]).map { "\($0.key)=\($0.value.text ?? "")" })
        #expect(values(recordedOfDownloads).filter { !shown.contains($0) } == [])
        #expect(shown.contains("dir=/downloads"))
    }

    @Test func `of all downloads are there with aria2's defaults`() async throws {
        let shown = try await Self.shown("aria2.getGlobalOption")
        #expect(values(recordedOfDownloads + " " + recordedOfAll).filter { !shown.contains($0) } == [])
        #expect(shown.contains("max-concurrent-downloads=16"))
    }

    @Test func `are shown as they were when the download was added`() async {
        let client = Client()
        #expect(await client.call("aria2.changeGlobalOption", #"{"split":"9","max-tries":"3"}"#) == #""OK""#)
        let gid = await client.call(
            "aria2.addUri", #"["http://h/"],{"max-tries":"007","min-split-size":"1M","use-head":""}"#)
        let shown = await client.options(
            "aria2.getOption", gid, named: "split", "max-tries", "min-split-size", "use-head")
        #expect(shown == ["split": "9", "max-tries": "7", "min-split-size": "1048576", "use-head": "true"])
        // A default applies to later downloads only.
        #expect(await client.call("aria2.changeGlobalOption", #"{"split":"2","timeout":"9"}"#) == #""OK""#)
        #expect(
            await client.options("aria2.getOption", gid, named: "split", "timeout") == ["split": "9", "timeout": "60"])
    }
}

@Suite(.timeLimit(.minutes(1))) struct `Values of options` {
    /// Values passed to each option of aria2c, to find out which it accepts.
    private static let texts = [
        "x", "", "-1", "0", "1", "1.5", "17", "601", "99999999999", "1K", "true", "false",
    ]

    /// The options, with the indices of the values above that aria2c accepts.
    private static let taken: [(String, Set<String>)] = [
        ("allow-overwrite use-head continue bt-seed-unverified dry-run", ["", "true", "false"]),
        ("max-tries max-file-not-found bt-stop-timeout bt-max-peers", ["0", "1", "17", "601", "99999999999"]),
        ("bt-tracker-timeout connect-timeout timeout", ["1", "17"]), ("retry-wait", ["0", "1", "17"]),
        ("split", ["1", "17", "601", "99999999999"]),
        (
            "lowest-speed-limit max-download-limit no-file-allocation-limit max-mmap-limit",
            ["0", "1", "17", "601", "99999999999", "1K"]
        ),
        ("min-split-size piece-length", []), ("follow-metalink follow-torrent", ["true", "false"]),
        ("file-allocation ftp-type uri-selector bt-min-crypto-level proxy-method stream-piece-selector", []),
        ("seed-ratio seed-time", Set(texts).subtracting(["-1"])), ("select-file", ["", "1", "17", "601"]),
        ("index-out", []), ("referer out all-proxy header bt-tracker metalink-os", Set(texts)),
    ]

    @Test(arguments: taken) func `are refused as aria2c refuses them`(names: String, taken: Set<String>) throws {
        for name in names.split(separator: " ") {
            let row = try #require(OptionTable[String(name)])
            #expect(Set(Self.texts.filter { row.form.canonical($0) != nil }) == taken, "\(name)")
        }
    }

    @Test(arguments: [
        ("connect-timeout", "x"), ("file-allocation", "bogus"), ("split", "0"), ("max-connection-per-server", "65"),
        ("min-split-size", "2G"), ("piece-length", "1023K"), ("select-file", "1-"), ("index-out", "0=a"),
        ("bt-max-peers", "-1"), ("enable-mmap", "yes"),
    ])
    func `that make no sense are named`(name: String, value: String) async {
        let client = Client()
        let refusal = Client.error("We encountered a problem while processing the option '--\(name)'.")
        #expect(await client.call("aria2.addUri", #"["http://h/"],{"\#(name)":"\#(value)"}"#) == refusal)
        let ofAll = await client.call("aria2.changeGlobalOption", #"{"\#(name)":"\#(value)"}"#)
        #expect(ofAll == (OptionNames.ofOneDownload.contains(name) ? #""OK""# : refusal))
        client.service.put(.sample(id: 0x12, state: .waiting))
        #expect(await client.call("aria2.changeOption", #""0000000000000012",{"\#(name)":"\#(value)"}"#) == refusal)
        #expect(client.service.requests.isEmpty)
        #expect(client.service.changes.isEmpty)
    }

    @Test(arguments: ["1-3,5", "1", ""]) func `name files and ranges of them`(text: String) {
        #expect(OptionForm.ranges.canonical(text) == text)
    }

    @Test(arguments: ["../x", "/etc/x", "a/../../x", "..", "a/.."])
    func `of out lead to no file outside of the folder`(out: String) async {
        let client = Client()
        let refusal = Client.error("The file of --out has to be below the folder of --dir.")
        #expect(await client.call("aria2.addUri", #"["http://h/"],{"out":"\#(out)"}"#) == refusal)
        client.service.put(.sample(id: 0x12, state: .waiting))
        #expect(await client.call("aria2.changeOption", #""0000000000000012",{"out":"\#(out)"}"#) == refusal)
        #expect(client.service.requests.isEmpty)
        #expect(client.service.changes.isEmpty)
    }

    @Test func `of options that are the program's are passed over`() async {
        let client = Client()
        #expect(await client.call("aria2.changeGlobalOption", #"{"enable-rpc":"x","conf-path":7}"#) == #""OK""#)
        #expect(await client.options("aria2.getGlobalOption", named: "enable-rpc") == ["enable-rpc": "true"])
    }
}
