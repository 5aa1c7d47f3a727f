import FerryCore
import FerryRules
import Foundation
import Testing

@Suite struct `Responses that a cache keeps` {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func fields(_ texts: [String]) -> [HeaderField] {
        texts.map { text in
            let halves = text.split(separator: ":", maxSplits: 1)
            return HeaderField(name: String(halves[0]), value: halves[1].trimmingCharacters(in: .whitespaces))
        }
    }

    private func date(_ seconds: Double) -> String { HTTPDate.text(of: now.addingTimeInterval(seconds)) }

    private func stored(
        _ response: [String], asked: [String] = [], status: Int = 200, method: String = "GET"
    ) -> StoredResponse? {
        StoredResponse(
            method: method, asked: fields(asked), status: status, fields: fields(response), received: now)
    }

    @Test(
        arguments: [
            (200, [], [], true), (404, [], [], true), (206, ["Cache-Control: max-age=9"], [], false),
            (304, ["Cache-Control: max-age=9"], [], false), (500, [], [], false),
            (500, ["Cache-Control: max-age=9"], [], true), (302, ["Expires: 0"], [], true),
            (200, ["Cache-Control: no-store"], [], false), (200, ["cache-control: max-age=9, NO-STORE"], [], false),
            (200, [], ["Cache-Control: no-store"], false), (200, [], ["Range: bytes=0-"], false),
            (200, [], ["If-None-Match: \"a\""], false), (200, ["Vary: *"], [], false),
            (200, ["Vary: Accept, Cookie"], [], false), (200, ["Vary: Accept"], [], true),
            // A comma in a quoted string does not end a directive.
            (200, ["Cache-Control: private=\"a, no-store\""], [], true),
            // The cache belongs to one user.
            (200, ["Cache-Control: private, max-age=9"], [], true), (500, ["Cache-Control: private"], [], true),
            (500, ["Cache-Control: public"], [], true), (500, ["Cache-Control: s-maxage=9"], [], false),
        ] as [(Int, [String], [String], Bool)])
    func `are kept where the server and the request let them`(
        status: Int, response: [String], asked: [String], isKept: Bool
    ) {
        #expect((stored(response, asked: asked, status: status) != nil) == isKept)
        #expect(stored(response, asked: asked, status: status, method: "POST") == nil)
    }

    @Test(
        arguments: [
            (["Cache-Control: max-age=60"], [], 59, true), (["Cache-Control: max-age=60"], [], 60, false),
            (["Cache-Control: max-age=60", "Age: 30"], [], 29, true),
            (["Cache-Control: max-age=60", "Age: 30"], [], 31, false),
            (["Cache-Control: max-age=60, max-age=600"], [], 61, false),
            (["Cache-Control: max-age=60, s-maxage=1"], [], 59, true),
            (["Cache-Control: max-age=60", "Expires: 0"], [], 59, true),
            (["Cache-Control: max-age=x"], [], 0, false), (["Cache-Control: max-age=\"60\""], [], 59, true),
            (["Cache-Control: max-age=99999999999999999999"], [], 1_000_000, true),
            (["Cache-Control: no-cache, max-age=60"], [], 1, false), (["Expires: 0"], [], 0, false),
            (["Cache-Control: max-age=60"], ["Cache-Control: no-cache"], 1, false),
            (["Cache-Control: max-age=60"], ["Pragma: no-cache"], 1, false),
            (["Cache-Control: max-age=60"], ["Pragma: no-cache", "Cache-Control: max-age=60"], 1, true),
            (["Cache-Control: max-age=60"], ["Cache-Control: max-age=10"], 11, false),
            (["Cache-Control: max-age=60"], ["Cache-Control: min-fresh=30"], 31, false),
            (["Cache-Control: max-age=60"], ["Cache-Control: min-fresh=30"], 29, true),
            (["Cache-Control: max-age=60"], ["Cache-Control: max-stale=30"], 89, true),
            (["Cache-Control: max-age=60"], ["Cache-Control: max-stale=30"], 91, false),
            (["Cache-Control: max-age=60"], ["Cache-Control: max-stale"], 1_000_000, true),
            (["Cache-Control: max-age=60, must-revalidate"], ["Cache-Control: max-stale"], 61, false),
            ([], [], 1, false),
            // The clock was set back.
            (["Cache-Control: max-age=60"], [], -1, false),
        ] as [([String], [String], Double, Bool)])
    func `are fresh for as long as the server says and the request takes them`(
        response: [String], asked: [String], seconds: Double, isFresh: Bool
    ) throws {
        let kept = try #require(stored(response))
        #expect(kept.isFresh(for: fields(asked), at: now.addingTimeInterval(seconds)) == isFresh)
    }

    @Test func `are fresh until they expire, by the server's clock`() throws {
        let kept = try #require(stored(["Date: \(date(-1000))", "Expires: \(date(-900))"]))
        // The response appears to be a thousand seconds old.
        #expect(!kept.isFresh(for: [], at: now))
        let ahead = try #require(stored(["Date: \(date(1000))", "Expires: \(date(1100))"]))
        #expect(ahead.isFresh(for: [], at: now.addingTimeInterval(99)))
        #expect(!ahead.isFresh(for: [], at: now.addingTimeInterval(100)))
    }

    @Test func `are fresh for a tenth of their age where nothing is said, and for a day at most`() throws {
        let young = try #require(stored(["Date: \(date(0))", "Last-Modified: \(date(-1000))"]))
        #expect(young.isFresh(for: [], at: now.addingTimeInterval(99)))
        #expect(!young.isFresh(for: [], at: now.addingTimeInterval(101)))
        let old = try #require(stored(["Date: \(date(0))", "Last-Modified: \(date(-100_000_000))"]))
        #expect(old.isFresh(for: [], at: now.addingTimeInterval(86_399)))
        #expect(!old.isFresh(for: [], at: now.addingTimeInterval(86_401)))
    }

    @Test func `answer requests with the same selecting fields`() throws {
        let kept = try #require(stored(["Vary: Accept-Language, Accept"], asked: ["accept-language: de", "X: y"]))
        #expect(kept.selecting == fields(["accept-language: de"]))
        #expect(kept.matches(fields(["Accept-Language: de", "X: z"])))
        #expect(!kept.matches(fields(["Accept-Language: en"])))
        #expect(!kept.matches(fields(["Accept-Language: de", "Accept: */*"])))
        #expect(!kept.matches([]))
    }

    @Test func `are asked about by what the server has said of them`() throws {
        let kept = try #require(stored(["ETag: W/\"a\"", "Last-Modified: \(date(-9))"]))
        #expect(kept.conditions == fields(["If-None-Match: W/\"a\"", "If-Modified-Since: \(date(-9))"]))
        #expect(stored([])?.conditions == [])
    }

    @Test func `take the fields of the answer that they still hold, but not its content's`() throws {
        let kept = try #require(
            stored(["ETag: \"a\"", "Cache-Control: max-age=1", "Content-Type: text/plain", "X: old", "X: older"]))
        let later = now.addingTimeInterval(100)
        let new = kept.refreshed(
            by: fields(["cache-control: max-age=60", "Content-Type: text/html", "Content-Length: 0", "X: new"]),
            at: later)
        #expect(
            new.fields == fields(["ETag: \"a\"", "Content-Type: text/plain", "cache-control: max-age=60", "X: new"]))
        #expect(new.isFresh(for: [], at: later.addingTimeInterval(59)))
    }

    @Test(arguments: [("POST", 201, true), ("DELETE", 404, false), ("GET", 200, false), ("PUT", 303, true)])
    func `are invalidated by another successful method at their URL`(method: String, status: Int, isLetGo: Bool) {
        #expect(StoredResponse.isInvalidated(by: method, status: status) == isLetGo)
    }
}
