@testable import Ferry
import Foundation
import Testing

@Suite struct `Names of files` {
    private static let url = "http://example.org/a.mp4"
    private static let usual = "6f711f4d4b75bc09e2112ceb474d06a3.mp4"

    @Test(arguments: [
        (url, usual), ("https://example.org/plain", "cf5ea9997cbaf4c250b490d70b2ae5a8"),
        ("http://example.org/a.tar.gz?x=1.zip", "a76d3362cd32ec6deaa849107ac095e5.gz"),
    ])
    func `are the digest of the URL and its extension where the app gives none`(url: String, name: String) {
        #expect(FileNaming.defaultName(for: url) == name)
    }

    @Test(arguments: [
        ("film.mp4", "film.mp4"), ("../x", "_x"), ("a/b\\c", "a_b_c"), ("...a.b", "a.b"),
        ("a\u{0}\n\u{7f}\u{85}b", "a____b"),
        (".\u{301}x", "\u{301}x"), ("", usual), ("..", usual), ("~/.profile", "~_.profile"), ("a ", "a "),
        ("電影.mp4", "電影.mp4"),
    ])
    func `are made harmless`(given: String, name: String) {
        #expect(Array(FileNaming.sanitized(given, url: Self.url).utf8) == Array(name.utf8))
        #expect(FileNaming.sanitized(given) == (name == Self.usual ? nil : name))
    }

    @Test(arguments: [
        (String(repeating: "a", count: 255), String(repeating: "a", count: 255)),
        (String(repeating: "a", count: 256), String(repeating: "a", count: 255)),
        (String(repeating: "a", count: 300) + ".mp4", String(repeating: "a", count: 251) + ".mp4"),
        (String(repeating: "ü", count: 200) + ".mp4", String(repeating: "ü", count: 125) + ".mp4"),
        (String(repeating: "👨‍👩‍👧", count: 100), String(repeating: "👨‍👩‍👧", count: 14)),
        ("a." + String(repeating: "b", count: 253), "a." + String(repeating: "b", count: 253)),
        ("aa." + String(repeating: "b", count: 253), "a." + String(repeating: "b", count: 253)),
        ("a." + String(repeating: "b", count: 300), "a." + String(repeating: "b", count: 253)),
    ])
    func `have 255 bytes at most and keep their extension`(given: String, name: String) {
        #expect(FileNaming.sanitized(given, url: Self.url) == name)
    }

    @Test func `never leave the folder of their cache`() {
        let cache = Cache("a", downloadPath: "/folder")
        #expect(cache.filePath(fileName: "../../etc/passwd") == "/folder/File/_.._etc_passwd")
        #expect(cache.filePath(fileName: "..") == nil && !cache.fileExists(fileName: ".."))
    }
}
