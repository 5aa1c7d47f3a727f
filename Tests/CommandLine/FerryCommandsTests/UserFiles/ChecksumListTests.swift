import CommandKit
import FerryCore
import Testing

@testable import FerryCommands

@Suite struct `Lists of digests` {
    private static let md5 = "00112233445566778899aabbccddeeff"
    private static let sha256 = String(repeating: "ab", count: 32)
    private static let other = String(repeating: "cd", count: 32)
    private static let sha512 = String(repeating: "0f", count: 64)
    private static let wanted = try? Checksum(parsing: "sha256:" + sha256)

    /// Lists as they are published, each with the digest of `mini.iso`.
    private static let published = [
        ("Debian", "\(other)  ./netboot/debian.iso\n\(sha256)  ./netboot/mini.iso\n"),
        (
            "Fedora",
            """
            -----BEGIN PGP SIGNED MESSAGE-----
            Hash: SHA256

            # mini.iso: 2295853056 bytes
            SHA256 (mini.iso) = \(sha256)
            -----BEGIN PGP SIGNATURE-----

            iQIzBAEBCAAdFiEEEV35rvhXhT7oRF0KBydwfqFbecwFAmZYhHUACgkQBydwfqFb
            =BuRB
            -----END PGP SIGNATURE-----
            """
        ),
        (
            "kernel.org",
            """
            -----BEGIN PGP SIGNED MESSAGE-----
            Hash: SHA256

            \(other)  linux-6.9.tar.xz
            \(sha256)  mini.iso
            -----BEGIN PGP SIGNATURE-----
            """
        ),
        ("Arch", "\(other)  archlinux-bootstrap.tar.zst\n\(sha256)  mini.iso\n"),
        ("Ubuntu", "\(other) *ubuntu.iso\r\n\(sha256) *mini.iso\r\n"),
        ("OpenSSL 1", "SHA256(mini.iso)= \(sha256)\n"),
        ("OpenSSL 3", "SHA2-256(mini.iso)= \(sha256)\n"),
        ("openssl dgst -r", "\(sha256) *mini.iso\n"),
        ("GNU --tag", "SHA512 (x) = \(sha512)\nSHA256 (sub/mini.iso) = \(sha256)\n"),
        ("FreeBSD", "SHA256 (mini.iso) = \(sha256)\n"),
        ("OpenBSD", "untrusted comment: verify with openbsd.pub\nRWQ0\nSHA256 (mini.iso) = \(sha256)\n"),
        ("a digest alone", "\(sha256)\n"),
        ("standard input of GNU", "\(sha256)  -\n"),
        ("standard input of OpenSSL", "SHA2-256(stdin)= \(sha256)\n"),
        ("capital letters and tabs", "\(sha256.uppercased())\tmini.iso\n"),
        ("lines of another algorithm", "SHA512/256 (mini.iso) = \(other)\nSHA256 (mini.iso) = \(sha256)\n"),
        ("hyphens of clear-signed text", "- SHA256 (mini.iso) = \(sha256)\n"),
        ("a list with prose", "Digests of our release:\n\n  \(sha256)  mini.iso\n\nThank you\n"),
    ]

    @Test(arguments: published)
    func `L4 are read as their publishers write them`(publisher: String, text: String) throws {
        let list = try ChecksumList(text, from: "SUMS")
        let match = list.match("/pub/netboot/mini.iso", name: nil)
        #expect(match == .found([Self.wanted].compactMap(\.self)))
    }

    @Test(arguments: [
        ("\\\(sha256)  a\\\\b\n", "/a\\b"), ("\\\(sha256)  a\\nb\n", "/a\nb"),
        ("\\SHA256 (a\\\\b) = \(sha256)\n", "/a\\b"), ("SHA256 (a (1).iso) = \(sha256)\n", "/a (1).iso"),
        ("\(sha256)  a  b\n", "/a  b"), ("\(sha256)  ü.iso\n", "/ü.iso"),
    ])
    func `L4 have names with escapes, parentheses and spaces`(text: String, path: String) throws {
        let list = try ChecksumList(text, from: "SUMS")
        #expect(list.match(path, name: nil) == .found([Self.wanted].compactMap(\.self)))
    }

    @Test(arguments: [
        ("/pub/b/mini.iso", sha256), ("/mirror/x/b/mini.iso", sha256), ("/a/mini.iso", other),
        ("/pub/a/mini.iso", other),
    ])
    func `L4 the path of the URL decides between equal names, from the right`(path: String, hex: String) throws {
        let list = try ChecksumList("\(Self.other)  ./a/mini.iso\n\(Self.sha256)  ./b/mini.iso\n", from: "SUMS")
        #expect(list.match(path, name: nil) == .found([try Checksum(parsing: "sha256:" + hex)]))
    }

    @Test func `L4 a path that matches whole is preferred`() throws {
        let list = try ChecksumList("\(Self.other)  old/mini.iso\n\(Self.sha256)  mini.iso\n", from: "SUMS")
        #expect(list.match("/pub/mini.iso", name: nil) == .found([Self.wanted].compactMap(\.self)))
    }

    @Test func `L4 several algorithms of one file are all checked`() throws {
        let list = try ChecksumList(
            "SHA512 (mini.iso) = \(Self.sha512)\nSHA256 (mini.iso) = \(Self.sha256)\n", from: "SUMS")
        guard case .found(let checksums) = list.match("/mini.iso", name: nil) else {
            Issue.record("The file is listed.")
            return
        }
        #expect(checksums.map(\.algorithm) == [.sha512, .sha256])
    }

    @Test func `L4 the URL's name decides before the name of -o`() throws {
        let list = try ChecksumList("\(Self.sha256)  mini.iso\n\(Self.other)  mine.iso\n", from: "SUMS")
        #expect(list.match("/mini.iso", name: "mine.iso") == .found([Self.wanted].compactMap(\.self)))
        #expect(list.match("/download", name: "mini.iso") == .found([Self.wanted].compactMap(\.self)))
    }

    @Test func `L4 lines that are no digests are counted, and the file is verified`() async {
        let text =
            "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA1\n\n\(Self.sha256)  1\n-----BEGIN PGP SIGNATURE-----\nx\n"
        let found = await UserFileCommand(["--checksums", "SUMS", "http://a/1"], files: ["SUMS": text])
        #expect(found.requests.first?.response.checksums == [Self.wanted].compactMap(\.self))
        #expect(found.talk.contains("4 lines of “SUMS” are not a digest and were skipped: 1, 2, 5, 6."))
        #expect(found.talk.contains("The signature in “SUMS” was not verified"))
    }

    @Test func `L4 an ambiguous name asks, and without a terminal says what to type`() async {
        let files = ["SUMS": "\(Self.other)  ./a/mini.iso\n\(Self.sha256)  ./b/mini.iso\n"]
        let words = ["--checksums", "SUMS", "http://h/mini.iso"]
        let asked = await UserFileCommand(words, files: files, answer: "2")
        #expect(asked.status == 0 && asked.requests.first?.response.checksums == [Self.wanted].compactMap(\.self))
        #expect(asked.talk.contains("2  ./b/mini.iso"))
        let silent = await UserFileCommand(words, files: files)
        #expect(silent.status == 64 && silent.requests.isEmpty)
        #expect(silent.talk.contains("“./a/mini.iso” or “./b/mini.iso”") && silent.talk.contains("--checksum"))
        let twice = await UserFileCommand(words, files: ["SUMS": "\(Self.other)  mini.iso\n\(Self.sha256)  mini.iso\n"])
        #expect(twice.status == 64 && twice.talk.contains("--checksum"), "One name with two digests is not certain.")
    }

    @Test(arguments: ["SHA256 (mini.iso) = 12\n", "12ab  mini.iso\n", "deadbeef *./pub/mini.iso\n"])
    func `L4 a line that names the file and cannot be read is an error with its number`(line: String) async {
        let files = ["SUMS": "\(Self.sha256)  other\n" + line]
        let found = await UserFileCommand(["--checksums", "SUMS", "http://h/mini.iso"], files: files)
        #expect(found.status == 64 && found.talk.contains("Line 2 of “SUMS” names “mini.iso”"))
        let others = await UserFileCommand(["--checksums", "SUMS", "http://h/other"], files: files)
        #expect(others.status == 0 && others.requests.first?.response.checksums.count == 1)
    }

    @Test(arguments: ["SHA384SUMS", "x.iso.sha384", "prism3.sha256", "blake-app.sha256sums"])
    func `L4 names of lists that only look like another algorithm are read`(name: String) async {
        let files = [name: "\(Self.sha256)  1\n"]
        let found = await UserFileCommand(["--checksums", name, "http://a/1"], files: files)
        #expect(found.requests.first?.response.checksums == [Self.wanted].compactMap(\.self))
    }

    @Test func `L4 a digest without a name is for one URL`() async {
        let files = ["SUMS": "\(Self.sha256)\n"]
        let one = await UserFileCommand(["--checksums", "SUMS", "http://a/1"], files: files)
        #expect(one.requests.first?.response.checksums == [Self.wanted].compactMap(\.self))
        let two = await UserFileCommand(["--checksums", "SUMS", "http://a/1", "http://a/2"], files: files)
        #expect(two.status == 64 && two.requests.isEmpty && two.talk.contains("several URLs"))
    }

    @Test func `L4 a list says which files it does not have`() async {
        let files = ["SUMS": "\(Self.md5)  1\n"]
        let some = await UserFileCommand(["--checksums", "SUMS", "http://a/1", "http://a/2"], files: files)
        #expect(some.requests.map(\.response.checksums.count) == [1, 0])
        #expect(some.talk == "ferry: No digest of “2”: these files are not verified.\n")
        let none = await UserFileCommand(["--checksums", "SUMS", "http://a/2"], files: files)
        #expect(none.status == 64 && none.requests.isEmpty && none.talk.contains("has no digest of “2”"))
    }

    @Test(arguments: ["", "<html>\n<body>404</body>\n", "hello\n"])
    func `L4 a file without any digest is refused`(text: String) async {
        let found = await UserFileCommand(["--checksums", "SUMS", "http://a/1"], files: ["SUMS": text])
        #expect(found.status == 64 && found.talk.contains("“SUMS” has no line with a digest"))
    }

    @Test(arguments: ["b2sums.txt", "BLAKE2SUMS", "x.sha3-512"])
    func `L4 digests of the same length and another algorithm are not taken for SHA-512`(name: String) async {
        let found = await UserFileCommand(["--checksums", name, "http://a/1"], files: [name: "\(Self.sha512)  1\n"])
        #expect(found.status == 64 && found.talk.contains("md5, sha1, sha256, sha384, sha512"))
    }
}

/// The result of a command that reads files of its user.
struct UserFileCommand {
    let requests: [TransferRequest]
    let status: Int32
    let talk: String

    /// Runs `ferry add -q` with files and a home folder.
    init(
        _ words: [String], files: [String: String] = [:], readable: Set<String> = [], answer: String? = nil
    ) async {
        let console = RecordingConsole(files: files, answer: answer, readable: readable)
        let daemon = FakeDaemon()
        let context = CommandContext(
            console: console, environment: ["HOME": "/home/me"], currentFolder: "/home/me/in"
        ) { daemon }
        status = await FerryProgram.run(["add", "-q"] + words, in: context)
        requests = daemon.requests
        talk = console.talk
    }
}
