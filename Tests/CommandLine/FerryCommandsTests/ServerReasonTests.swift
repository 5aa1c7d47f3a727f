import FerryCore
import Testing

@testable import FerryCommands

@Suite struct `The server's reason` {
    private func reason(_ body: String?) -> String? {
        ServerReason.of(ServiceError(.httpStatus, "x", details: ErrorDetails(httpStatus: 403, body: body)))
    }

    @Test(
        arguments: [
            (#"{"message": "API rate limit exceeded", "documentation_url": "https://x"}"#, "API rate limit exceeded"),
            (#"{"error": {"code": 403, "message": "Quota exceeded"}}"#, "Quota exceeded"),
            (#"{"type": "about:blank", "title": "Forbidden", "detail": "EULA not accepted"}"#, "EULA not accepted"),
            (#"{"errors": [{"msg": "a"}, {"msg": "b"}]}"#, "a"), (#"{"errors": ["first", "second"]}"#, "first"),
            (
                "<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>",
                "Request has expired"
            ),
            (
                "<html><head><title>403</title><style>b{}</style></head><body><h1>Forbidden</h1><p>Accept the license &amp; try again.</p></body></html>",
                "Forbidden Accept the license & try again."
            ),
            ("<html><head><title>Only a title</title></head><body></body></html>", "Only a title"),
            ("You must accept\r\n  the license.\n", "You must accept the license."),
            ("<script>alert(1)</script>Blocked<!-- x > y -->", "Blocked"),
            ("<STYLE>b{}</STYLE><P>Quota exceeded</P>", "Quota exceeded"), ("<MESSAGE>No</MESSAGE>", "No"),
            ("{broken", "{broken"), ("a\u{1B}[31mred", "a\\u{1b}[31mred"),
        ] as [(String, String)])
    func `is read from what servers send`(body: String, expected: String) {
        #expect(reason(body) == expected)
    }

    @Test(arguments: [nil, "", " \n", "<html></html>"])
    func `is nothing without words`(body: String?) {
        #expect(reason(body) == nil)
    }

    @Test func `is not longer than a few lines, whatever the server sends`() throws {
        let shown = try #require(reason(String(repeating: "word ", count: 2000)))
        #expect(shown.count <= 301 && shown.hasSuffix("…"))
        #expect(reason(String(repeating: "<", count: 4096)) != "")
        #expect(reason(String(repeating: "{\"error\":", count: 1000)) != nil)
    }
}
