import FerryCore
import Testing

@Suite struct `File names` {
    @Test(arguments: [
        ("plain.txt", "plain.txt"),
        // (1) the part after the last slash of either kind
        ("/etc/passwd", "passwd"), ("a/b/c.bin", "c.bin"), ("a\\b/c\\d.bin", "d.bin"), ("../../x", "x"),
        ("a/", "download"), ("/", "download"), ("a\\", "download"),
        ("x/\u{301}y", "\u{301}y"),  // a combining mark does not hide the slash
        // (2) NFC
        ("e\u{301}te\u{301}.txt", "été.txt"), ("A\u{30A}.txt", "Å.txt"), ("\u{212A}.txt", "K.txt"),
        // (3) replaced
        ("a:b.txt", "a_b.txt"), ("a*b?c\"d<e>f|g", "a_b_c_d_e_f_g"), ("a\u{0}b", "a_b"), ("a\r\nb", "a__b"),
        ("a\u{1B}[2Jb", "a_[2Jb"), ("a\u{7F}b", "a_b"), ("a\u{85}b", "a_b"), ("a\u{FFFD}b", "a_b"),
        ("photo\u{202E}gnp.exe", "photo_gnp.exe"), ("a\u{200B}b", "a_b"), ("a\u{FEFF}b", "a_b"), ("a\u{2066}b", "a_b"),
        ("a:\u{338}b", "a_\u{338}b"),
        // (4) edges
        (".bashrc", "bashrc"), ("...", "download"), ("..", "download"), (".", "download"), ("  a b  ", "a b"),
        ("a.txt.", "a.txt"), ("a.txt. . ", "a.txt"), (". .a", "a"), (".\u{301}a", "\u{301}a"),
        // (5) prefixed
        ("-rf", "_-rf"), ("--output=x", "_--output=x"), ("~root", "_~root"), ("CON", "_CON"), ("nul.txt", "_nul.txt"),
        ("Aux.tar.gz", "_Aux.tar.gz"), ("com1", "_com1"), ("LPT9.bin", "_LPT9.bin"), ("con .txt", "_con .txt"),
        ("com0", "com0"), ("com10", "com10"), ("console", "console"), (".con", "_con"), (" -x", "_-x"),
        // (6) empty
        ("", "download"), (" ", "download"),
    ])
    func `F3 a name becomes one harmless component`(text: String, name: String) {
        let result = FileName.safe(text)
        #expect(Array(result.unicodeScalars) == Array(name.unicodeScalars))
        #expect(FileName.safe(result) == result)
    }

    @Test(arguments: [
        (String(repeating: "a", count: 300), String(repeating: "a", count: 255)),
        (String(repeating: "a", count: 300) + ".iso", String(repeating: "a", count: 251) + ".iso"),
        (String(repeating: "a", count: 300) + ".tar.gz", String(repeating: "a", count: 248) + ".tar.gz"),
        (String(repeating: "ä", count: 200) + ".x", String(repeating: "ä", count: 126) + ".x"),
        (String(repeating: "a", count: 254) + "  tail", String(repeating: "a", count: 254)),
        ("a." + String(repeating: "x", count: 300), "a." + String(repeating: "x", count: 253)),
        ("-" + String(repeating: "a", count: 255), "_-" + String(repeating: "a", count: 253)),
    ])
    func `F3 CVE_2025_69195 CVE_2026_58471 a long name is cut to 255 bytes and keeps its extension`(
        text: String, name: String
    ) {
        #expect(FileName.safe(text) == name)
        #expect(FileName.safe(name) == name)
    }

    @Test func `F3 a name of ten thousand bytes of any kind fits`() {
        let kinds = ["a", "é", "😀", "e\u{301}", ":", ".", " ", "-", "\u{0}", "👨‍👩‍👧‍👦", "\u{301}", "\u{FFFD}"]
        for kind in kinds {
            for suffix in ["", ".tar.gz", ".exe", ".con", ".-"] {
                let name = FileName.safe(String(repeating: kind, count: 10_000 / kind.utf8.count) + suffix)
                #expect((1...255).contains(name.utf8.count))
                #expect(FileName.safe(name) == name)
                #expect(!name.unicodeScalars.contains("\u{FFFD}"))
            }
        }
    }

    @Test func `F3 is idempotent for every three awkward pieces`() {
        let pieces = [
            "", ".", "..", " ", "/", "\\", "-", "~", "con", "NUL", ".tar", ".gz", "a", "\u{301}", "\u{338}", ":", "<",
            "_",
            "\u{0}", "\u{202E}", "\u{200D}", "\u{200C}", "\u{FE0F}", "\u{20E3}", "\u{AD}", "😀", "ع", "1", "*",
            String(repeating: "b", count: 250), String(repeating: "\u{301}", count: 130),
            "_" + String(repeating: "\u{301}", count: 130),
        ]
        for first in pieces {
            for second in pieces {
                for third in pieces {
                    let once = FileName.safe(first + second + third)
                    #expect(FileName.safe(once).utf8.elementsEqual(once.utf8))
                    #expect(!once.utf8.contains(UInt8(ascii: "/")) && once != "." && once != "..")
                }
            }
        }
    }

    @Test(arguments: [
        ("a.txt", 0, "a.txt"), ("a.txt", 1, "a-1.txt"), ("a.tar.gz", 2, "a-2.tar.gz"), ("a.TAR.XZ", 2, "a-2.TAR.XZ"),
        ("a", 9999, "a-9999"),
        ("a.b.c", 1, "a.b-1.c"), ("x.tar", 1, "x-1.tar"), ("tar.gz", 1, "tar-1.gz"),
        ("v1.0 final version of it", 1, "v1.0 final version of it-1"),
    ])
    func `F6 a number goes before the extension`(name: String, number: Int, numbered: String) {
        #expect(FileName.numbered(name, number) == numbered)
    }

    @Test(arguments: ["", ".iso", ".tar.zst"])
    func `F6 a numbered name still fits`(suffix: String) {
        let name = FileName.safe(String(repeating: "ü", count: 300) + suffix)
        let numbered = FileName.numbered(name, 9999)
        #expect(numbered.utf8.count <= 255)
        #expect(numbered.hasSuffix("-9999" + suffix))
    }

    @Test(arguments: [
        ("x.desktop", true), ("x.URL", true), ("a.lnk", true), ("a.scf", true), ("a.txt", false), ("desktop", false),
    ])
    func `F13 CVE_2024_38519 CVE_2026_50023 names that a desktop would run are known`(name: String, runs: Bool) {
        #expect(FileName.runsOnDesktop(name) == runs)
    }

    @Test(arguments: ["a", "dir/a", "/tmp/a", "../a", ".hidden", "...", "a b", "-x", "a\nb"])
    func `F4 a path of the caller is taken as it is`(path: String) throws {
        try CallerPath.check(path)
    }

    @Test(arguments: ["", "dir/", "/", ".", "..", "dir/.", "dir/..", "a\u{0}b", "\u{0}"])
    func `F4 a path that names no file is refused`(path: String) {
        #expect { try CallerPath.check(path) } throws: { ($0 as? ServiceError)?.code == .invalidRequest }
    }
}
