import FerryCore
import Testing

@testable import FerryCommands

@Suite struct `Cookie files` {
    private func cookies(_ text: String, _ url: String = "http://a/1") async -> UserFileCommand {
        await UserFileCommand(["-b", "jar", url], files: ["jar": text])
    }

    @Test func `L3 cookies.txt gives each host its own`() async {
        let found = await cookies(
            """
            # Netscape HTTP Cookie File
            .Example.com\tTRUE\t/\tTRUE\t0\tname\tvalue\r
            #HttpOnly_a.example\tFALSE\t/x\tFALSE\t99999999999\tother\t

            old.example\tFALSE\t/\tFALSE\t1000\tgone\tv
            """)
        #expect(
            found.requests.first?.cookies == [
                GivenCookie(name: "name", value: "value", domain: ".example.com", path: "/", secure: true),
                GivenCookie(name: "other", value: "", domain: "a.example", path: "/x", secure: false),
            ])
        #expect(found.talk.isEmpty)
    }

    @Test(
        arguments: [
            ("a\tFALSE\t/\tFALSE\t0\tk\tv", "v"), ("a\tfalse\t/\tfalse\t1999999999.5\tk\tv", "v"),
            ("a\tFALSE\t/\tFALSE\t-1\tk\tv", "v"), ("a\tFALSE\t/\tFALSE\t\tk\tv", "v"),
            ("a\tFALSE\t\tFALSE\t0\tk\tv", "v"), ("a\tFALSE\t/\tFALSE\t0\tk", ""),
            ("a\tFALSE\t/\tFALSE\t0\tk\tv\tw", "v\tw"),
        ])
    func `L3 lines are read as browsers and their extensions write them`(line: String, value: String) async {
        let found = await cookies(line)
        #expect(found.status == 0 && found.requests.first?.cookies.map(\.value) == [value])
    }

    @Test func `L3 a line that is no cookie is named and skipped`() async {
        let found = await cookies("b.example TRUE secret\na\tFALSE\t/\tFALSE\t0\tk\tv\nnonsense\n")
        #expect(found.status == 0 && found.requests.first?.cookies.map(\.name) == ["k"])
        #expect(found.talk == "ferry: 2 lines of “jar” are not a cookie and were skipped: 1, 3.\n")
    }

    @Test(arguments: ["h.a.example\tTRUE\tsecret", ".a.example\tTRUE\t/\tno\t0\tsecret\tv", "#HttpOnly_.a.example x"])
    func `L3 a line for the URL's host that is no cookie is an error with its number`(line: String) async {
        let found = await cookies("b\tFALSE\t/\tFALSE\t0\tk\tv\n\(line)\n", "http://h.a.example/1")
        #expect(found.status == 64 && found.requests.isEmpty)
        #expect(found.talk.contains("Line 2 of “jar”") && !found.talk.contains("secret"))
    }

    @Test(arguments: ["[{\"domain\": \"a\"}]\n", "no cookies here\n"])
    func `L3 a file without any cookie is refused`(text: String) async {
        let found = await cookies(text)
        #expect(found.status == 64 && found.talk.contains("“jar” has no line with a cookie"))
    }
}
