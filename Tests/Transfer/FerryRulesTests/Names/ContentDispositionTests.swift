import FerryCore
import FerryRules
import Testing

@Suite struct `Content-Disposition` {
    @Test(
        arguments: [
            ("attachment; filename=a.txt", "a.txt"),
            ("attachment; filename=\"a b.txt\"", "a b.txt"),
            ("attachment;filename=\"a;b.txt\";x=y", "a;b.txt"),
            ("inline; FileName=\"a.txt\"", "a.txt"),
            ("something-else; filename=a.txt", "a.txt"),
            ("filename=a.txt", "a.txt"),
            ("attachment; filename=a b.txt", "a b.txt"),
            ("attachment; filename = \"a.txt\" ; size=3", "a.txt"),
            ("attachment; filename=\"a\\\"b.txt\"", "a\"b.txt"),
            ("attachment; filename=\"a.txt", "a.txt"),
            ("attachment; filename=\"a%20b.txt\"", "a%20b.txt"),
            ("attachment; filename=first; filename=second", "first"),
            ("attachment; xfilename=wrong; filename=right", "right"),
            ("attachment; note=\"filename=wrong\"; filename=right", "right"),
            ("attachment; filename*=UTF-8''na%C3%AFve%20plan.txt", "naïve plan.txt"),
            ("attachment; filename=plain; filename*=utf-8'en'ext", "ext"),
            ("attachment; filename*=utf-8''ext; filename=plain", "ext"),
            ("attachment; filename*=iso-8859-1''%A3.txt; filename=plain", "£.txt"),
            ("attachment; filename*=UTF8''%C3%A4.txt; filename=plain", "ä.txt"),
            ("attachment; filename*=UTF-8''%E4.txt; filename=plain", "plain"),
            ("attachment; filename*=utf8''foo-%e4.html", "foo-ä.html"),
            ("attachment; filename*=UTF-8''%E4; filename=\"\"", "ä"),
            ("attachment; filename*=UTF-8''%zz; filename=plain", "plain"),
            ("attachment; filename*=UTF-8''a%2; filename=plain", "plain"),
            ("attachment; filename*=koi8-r''a; filename=plain", "plain"),
            ("attachment; filename*=plainly; filename=plain", "plain"),
            ("attachment; filename*=''; filename=plain", "plain"),
            ("attachment; filename*=UTF-8''%zz; filename*=UTF-8''b; filename=plain", "plain"),
            ("attachment; filename*=UTF-8''it's", "it's"),
            ("attachment; filename*0=a; filename*1=b", nil),
            ("attachment", nil), ("", nil), (";;;", nil), ("attachment; filename=", nil),
            ("attachment; filename=\"\"", nil),
            ("attachment; filename", nil), ("=", nil), ("\"", nil), ("attachment; filename=\"\\", nil),
        ] as [(String, String?)])
    func `F2 gives the name of RFC 6266`(field: String, name: String?) {
        #expect(ContentDisposition(parsing: field).fileName == name)
    }

    @Test(arguments: [
        (#"attachment; filename="..\..\x""#, "x"),
        ("attachment; filename*=UTF-8''..%5C..%5Cx", "x"),
        (#"attachment; filename="/..\\..\\x""#, "x"),
    ])
    func `CVE_2010_3842 backslashes do not leave the folder`(field: String, name: String) throws {
        #expect(try chosen(field) == name)
    }

    @Test func `CVE_2016_0754 a colon is replaced`() throws {
        #expect(try chosen("attachment; filename=\"x:ads\"") == "x_ads")
    }

    @Test(arguments: [
        ("\"/abs\"", "abs"), ("\"a/../b\"", "b"), ("\"..\"", "u"), ("\"a/..\"", "u"), ("\"/\"", "u"),
        ("\"a\\\\..\"", "u"),
        ("\"\u{0}\"", "_"), ("\"a\r\nb\"", "a__b"),
    ])
    func `wget2_a06d3d9a header names stay in the folder`(value: String, name: String) throws {
        #expect(try chosen("attachment; filename=\(value)") == name)
    }

    @Test(arguments: [
        ("https://h/a/b.iso", "b.iso"), ("https://h/a/b%20c.iso?x=/y", "b c.iso"), ("https://h/", "download"),
        ("https://h/dir/", "download"), ("https://h", "download"), ("https://h/%2525", "%25"),
        ("https://h/a%zz", "a%zz"),
        ("https://h/%ff.txt", "_.txt"), ("https://h/ü.txt", "ü.txt"), ("https://h/x.tar.gz#frag/y", "x.tar.gz"),
    ])
    func `F1 the last segment of the URL is decoded once`(url: String, name: String) throws {
        #expect(try chosen(nil, url: url) == name)
    }

    @Test(arguments: ["https://h/a/%2e%2e%2fetc%2fx", "https://h/a/%2e%2e%5cetc%5cx", "https://h/a/..%2fx"])
    func `CVE_2025_11563 encoded separators stay one name in the folder`(url: String) throws {
        #expect(try chosen(nil, url: url) == "x")
    }

    @Test func `CVE_2010_2252 CVE_2016_4971 a redirect does not choose the name`() throws {
        let original = try HTTPURL(parsing: "https://h/file.zip")
        let final = try HTTPURL(parsing: "https://evil/.bashrc")
        func name(_ source: NameSource) -> String {
            FileName.choose(
                callerName: nil, contentDisposition: nil, originalURL: original, finalURL: final, nameFrom: source)
        }
        #expect(name(.original) == "file.zip")
        #expect(name(.final) == "bashrc")
    }

    @Test func `F1 the caller's name wins and is taken as it is`() throws {
        let url = try HTTPURL(parsing: "https://h/u")
        let name = FileName.choose(
            callerName: ".keep me", contentDisposition: "attachment; filename=x", originalURL: url, finalURL: url)
        #expect(name == ".keep me")
    }

    private func chosen(_ field: String?, url: String = "https://h/u") throws -> String {
        let url = try HTTPURL(parsing: url)
        return FileName.choose(callerName: nil, contentDisposition: field, originalURL: url, finalURL: url)
    }
}
