import FerryCore
import Foundation
import Testing

@Suite struct `Shown requests` {
    private func request() -> TransferRequest {
        var request = TransferRequest(url: "https://example.com/a?signature=x", folder: "/d")
        request.headers = [HeaderField(name: "X-Api-Key", value: "s3cret"), HeaderField(name: "X-Note", value: "n")]
        request.cookies = [GivenCookie(name: "id", value: "s3cret", domain: "example.com", path: "/", secure: false)]
        request.login.logins = [GivenLogin(host: nil, user: "me", password: "s3cret")]
        request.transport.proxyEnvironment = ["http_proxy": "http://me:s3cret@proxy:3128"]
        request.body = .bytes(Data("password=s3cret".utf8))
        request.note = ClientNote(application: "app", identifier: "s", task: 1, kind: .download, data: "s3cret")
        request.tags = ["t"]
        return request
    }

    @Test func `have no secret, and name what is left out`() throws {
        let shown = ShownRequest(request())
        let text = String(decoding: try JSONEncoder().encode(shown), as: UTF8.self)
        #expect(!text.contains("s3cret") && !text.contains(Data("password=s3cret".utf8).base64EncodedString()))
        #expect(shown.withheld == ["X-Api-Key", "cookies", "login", "proxy login", "body", "note"])
        #expect(shown.request.headers.map(\.name) == ["X-Note"] && shown.request.tags == ["t"])
        #expect(shown.request.transport.proxyEnvironment == ["http_proxy": "http://proxy:3128"])
        #expect(!shown.request.secretsForgotten)
    }

    @Test func `leave nothing out of a request without secrets, apart from its URL's user`() throws {
        let plain = TransferRequest(url: "https://example.com/a", folder: "/d")
        #expect(ShownRequest(plain).withheld == [] && ShownRequest(plain).request == plain)
        #expect(ShownRequest(plain, hasCredentials: true).withheld == ["login"])
    }

    @Test func `are read as they are written`() throws {
        let shown = ShownRequest(request())
        #expect(try JSONDecoder().decode(ShownRequest.self, from: JSONEncoder().encode(shown)) == shown)
    }
}
