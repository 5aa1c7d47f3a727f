import CommandKit
import FerryCore
import Testing

@testable import FerryCommands

@Suite struct `Lists of URLs` {
    @Test func `have mirrors after tabs, and options in lines that begin with white space`() {
        let list = URLList(
            "# a list\r\nhttp://a/1\thttp://b/1\t http://c/1\r\n  out=one.iso\r\n\tdir = /data\r\n\r\n http://a/2?x=y\r\nhttp://a/3"
        )
        #expect(list.urls == ["http://a/1", "http://a/2?x=y", "http://a/3"])
        #expect(list.extras.keys.sorted() == [0])
        #expect(list.extras[0]?.mirrors == ["http://b/1", "http://c/1"])
        #expect(list.extras[0]?.options.map(\.name) == ["out", "dir"])
        #expect(list.extras[0]?.options.map(\.value) == ["one.iso", "/data"])
        #expect(list.extras[0]?.options.map(\.line) == [3, 4])
    }

    @Test(arguments: ["http://a/1\n out=é\n", "http://a/1\r out=é", "http://a/1\u{2028} out=é"])
    func `are read character by character where they are not of ASCII`(text: String) {
        let list = URLList(text)
        #expect(list.urls == ["http://a/1"] && list.extras[0]?.options.map(\.value) == ["é"])
    }

    @Test func `give files names, folders, fields, digests and limits`() async {
        let daemon = FakeDaemon(ends: [:])
        let console = RecordingConsole(files: [
            "list": """
            http://a/1\thttp://b/1
              out=one.iso
              dir=sub
              header=X-A: b
              user-agent=Mine/1
              checksum=sha-256=\(String(repeating: "ab", count: 32))
              split=4
              max-download-limit=1M
              file-allocation=none
            http://a/2
            """
        ])
        #expect(await ferry("add", "-q", "-i", "list", "-d", "/data", daemon: daemon, console: console) == 0)
        let requests = daemon.requests
        #expect(requests.map(\.url) == ["http://a/1", "http://a/2"])
        #expect(requests.first?.mirrors == ["http://b/1"] && requests.first?.file.name == "one.iso")
        #expect(requests.first?.file.folder == "/home/me/sub" && requests.last?.file.folder == "/data")
        #expect(requests.first?.headers.map(\.name) == ["X-A", "User-Agent"])
        #expect(requests.first?.response.checksums.count == 1 && requests.first?.transport.connections == 4)
        #expect(requests.first?.transport.rateLimit == 1 << 20 && requests.last?.transport.rateLimit == 0)
        #expect(console.talk.contains("file-allocation in line 9"))
    }

    @Test(arguments: [("0", nil), ("1", 0), ("5", 4)] as [(String, Int?)])
    func `count all attempts at a file, as aria2 does`(tries: String, retries: Int?) async {
        let console = RecordingConsole(files: ["list": "http://a/1\n max-tries=\(tries)\n"])
        let daemon = FakeDaemon(ends: ["http://a/1": .success("/home/me/1")])
        _ = await ferry("get", "-q", "-i", "list", daemon: daemon, console: console)
        #expect(daemon.requests.map(\.timing.retries) == [retries] && daemon.requests.map(\.timing.retryRule) == [nil])
    }

    @Test(arguments: ["split=0", "split=x", "max-download-limit=fast", "checksum=abc", "header=none"])
    func `leave out a file whose option makes no sense, and name its line`(option: String) async {
        let console = RecordingConsole(files: ["list": "http://a/1\n \(option)\nhttp://a/2\n"])
        let daemon = FakeDaemon(ends: [:])
        #expect(await ferry("add", "-i", "list", daemon: daemon, console: console) == 64)
        #expect(console.talk.contains("http://a/1: Line 2 of “list”") && daemon.requests.map(\.url) == ["http://a/2"])
    }

    @Test(arguments: [[0xFF, 0xFE] as [UInt8], [0xFE, 0xFF]])
    func `may be UTF-16 with a byte order mark`(mark: [UInt8]) {
        let units = Array("http://a/é\r\nhttp://a/2\r\n".utf16)
        let bytes =
            mark
            + units.flatMap {
                mark[0] == 0xFF ? [UInt8($0 & 0xFF), UInt8($0 >> 8)] : [UInt8($0 >> 8), UInt8($0 & 0xFF)]
            }
        #expect(URLList(UTF16Text.decode(bytes) ?? "").urls == ["http://a/é", "http://a/2"])
        #expect(UTF16Text.decode(Array("http://a/".utf8)) == nil)
    }
}

@Suite struct `URLs that stand for several` {
    @Test(
        arguments: [
            ("http://a/{x,y}/f", ["http://a/x/f", "http://a/y/f"]), ("http://a/{,b}", ["http://a/", "http://a/b"]),
            ("http://a/[8-11]", ["http://a/8", "http://a/9", "http://a/10", "http://a/11"]),
            ("http://a/[008-010]", ["http://a/008", "http://a/009", "http://a/010"]),
            ("http://a/[0-10:5]", ["http://a/0", "http://a/5", "http://a/10"]),
            ("http://a/[a-e:2]", ["http://a/a", "http://a/c", "http://a/e"]),
            ("http://a/[C-D]", ["http://a/C", "http://a/D"]),
            ("http://{a,b}/[1-2]", ["http://a/1", "http://a/2", "http://b/1", "http://b/2"]),
            ("http://[::1]:80/[1-2]", ["http://[::1]:80/1", "http://[::1]:80/2"]),
            ("http://a/\\{x\\}\\[1-2\\]", ["http://a/{x}[1-2]"]), ("http://a/b\\c", ["http://a/b\\c"]),
            ("http://a/ü{1,2}", ["http://a/ü1", "http://a/ü2"]),
        ] as [(String, [String])])
    func `are read as curl reads them`(url: String, all: [String]) throws {
        let glob = try URLGlob(url)
        #expect(glob.urls == all && glob.count == all.count)
    }

    @Test(arguments: [
        "http://a/{b", "http://a/[1-2", "http://a/b}", "http://a/b]", "http://a/[2-1]", "http://a/[b-a]",
        "http://a/[a-Z]",
        "http://a/[1-a]", "http://a/[1]", "http://a/[]", "http://a/[1-2:0]", "http://a/[1-2:x]", "http://a/{a{b}c}",
        "http://a/[0-1000000]", "http://a/[0-999][0-1000]", "http://a/[0-9223372036854775807]",
        "http://a/[0-99999999999999999999]", "http://a/[0-9223372036854775807:1][0-9]",
    ])
    func `are refused where they make no sense or are too many`(url: String) {
        #expect(throws: (any Error).self) { try URLGlob(url) }
    }

    @Test func `are as many as a million together`() throws {
        #expect(try URLGlob("http://a/[1-1000000]").count == 1_000_000)
        let half = URLList(urls: ["http://a/[1-600000]", "http://b/[1-600000]"])
        #expect(throws: (any Error).self) { try half.expanded() }
    }

    @Test func `are one file each, with --glob alone`() async {
        let daemon = FakeDaemon(ends: [:])
        #expect(await ferry("add", "-q", "--glob", "http://a/[1-3]", daemon: daemon) == 0)
        #expect(daemon.requests.map(\.url) == ["http://a/1", "http://a/2", "http://a/3"])
        #expect(await ferry("add", "--glob", "-o", "x", "http://a/[1-3]", daemon: daemon) == 64)
        #expect(await ferry("add", "-q", "http://a/[1-3]", daemon: daemon) == 0)
        #expect(daemon.requests.last?.url == "http://a/[1-3]")
    }
}
