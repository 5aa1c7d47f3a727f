import FerryCore
import Testing

@Suite struct `Reading many URLs` {
    /// A URL that follows any of these must be read as if it came alone.
    private static let texts = [
        "http://a.example/", "http://a.example/x/y.bin", "http://a.example", "http://a.example?q",
        "http://a.example:80/1",
        "http://a.example:8080/2", "http://a.example:80801/3", "HTTP://A.example/4", "http://a.example/b/../c",
        "http://a.example/./d", "http://a.example/.hidden", "http://a.example/e?x=/../y", "http://a.example/f#part",
        "http://a.example/%7Euser", "http://a.example/per%cent", "http://a.example/ü", "http://a.example/g h",
        "http://a.example/h\u{1}", "http://a.example/\"quoted\"", "http://a.example/back\\slash", "http://a.example\\x",
        "http://user:secret@a.example/i", "http://a.example@b.example/j", "http://a.example.evil/k",
        "ftp://a.example/l",
        "http://a.examplex/m", "https://a.example/n", "http://[::1]/o", "http://[::1]:8080/p", "http:///q",
        "a.example/r",
        "http://ä.example/s", "http://a.example/" + String(repeating: "t", count: 17_000), "http://a.example//u", "#",
        "",
        "http://a.example/v?a=b&c=d/e?f", "http://a.example/{w}", "http://a.example/x|y^z`",
        "http://a.example/!$&'()*+,;=:@",
    ]

    private struct Result: Equatable {
        var text: String?
        var origin: String?
        var credentials: Credentials?
        var error: ServiceError?
    }

    private static func alone(_ text: String) -> Result {
        do throws(ServiceError) {
            let url = try HTTPURL(parsing: text)
            return Result(
                text: url.withoutUserinfo.string, origin: url.origin.description, credentials: url.credentials)
        } catch {
            return Result(error: error)
        }
    }

    private static func read(_ text: String, _ reader: inout HTTPURLReader) -> Result {
        do throws(ServiceError) {
            let reading = try reader.read(Array(text.utf8)[...])
            return Result(
                text: String(decoding: reading.bytes, as: UTF8.self), origin: reading.origin,
                credentials: reading.credentials)
        } catch {
            return Result(error: error)
        }
    }

    @Test(arguments: texts)
    func `each is read as if it came alone`(before: String) {
        for text in Self.texts {
            var reader = HTTPURLReader()
            _ = Self.read(before, &reader)
            #expect(Self.read(text, &reader) == Self.alone(text))
        }
    }
}
