import BackgroundURLSession
import Foundation
import Testing

/// Everyday expressions of apps.
///
/// Without `MemberImportVisibility`, a module sees the members of all modules below a library. A multi-statement
/// closure that ended in an interpolated string was inferred as a database's SQL type.
@Suite struct `Everyday expressions have the types that they have without Ferry` {
    private let fields = [(key: "b", value: 2), (key: "a", value: 1)]
    private let names = ["Ada", "Grace", "Linus"]

    /// Returns whether the compiler inferred this type for an expression.
    private func has<Value, Expected>(_ value: Value, _ type: Expected.Type) -> Bool { Value.self == Expected.self }

    @Test func `closures of several statements with interpolated strings`() {
        let query = fields.map { field in
            let (key, value) = field
            return "\(key)=\(value)"
        }.joined(separator: "&")
        #expect(has(query, String.self))
        #expect("\(query)" == "b=2&a=1")
        let sorted = fields.sorted { left, right in
            let (one, other) = (left.value, right.value)
            return one < other
        }.map { field in
            let text = "\(field.key)"
            return "<\(text)>"
        }.joined()
        #expect(has(sorted, String.self))
        #expect("\(sorted)" == "<a><b>")
        let lines = names.enumerated().map { index, name in
            let number = index + 1
            return "\(number). \(name)"
        }
        #expect(has(lines, [String].self))
        let some = names.compactMap { name -> String? in
            guard name.count > 3 else { return nil }
            return "\(name)!"
        }
        #expect(has(some, [String].self))
        let sum = names.reduce("") { text, name in
            let initial = name.prefix(1)
            return text + "\(initial)"
        }
        #expect(has(sum, String.self))
        let values = ["a": 1].mapValues { value in
            let next = value + 1
            return "\(next)"
        }
        #expect(has(values, [String: String].self))
        let made = { (count: Int) in
            let plural = count == 1 ? "" : "s"
            return "\(count) file\(plural)"
        }
        #expect(has(made, ((Int) -> String).self))
    }

    @Test func `literals`() {
        let (text, interpolated, list, table) = ("a", "\(1)", ["a", "b"], ["a": "b"])
        #expect(has(text, String.self) && has(interpolated, String.self))
        #expect(has(list, [String].self) && has(table, [String: String].self))
        let (mixed, nested, optional) = ([1, 2.5], [["a"], ["\(2)"]], Optional("a"))
        #expect(has(mixed, [Double].self) && has(nested, [[String]].self) && has(optional, String?.self))
        let chosen = names.isEmpty ? "none" : "\(names.count) names"
        #expect(has(chosen, String.self))
        let several = """
            \(names[0])
            """
        #expect(has(several, String.self))
    }

    @Test func `comparisons and operators`() {
        let (text, count) = ("a", 2)
        let isSame = text == "a" && count < 3 || !(text < "b")
        #expect(has(isSame, Bool.self))
        let (sum, both, lists) = (count + 1, text + "\(count)", names + ["x"])
        #expect(has(sum, Int.self) && has(both, String.self) && has(lists, [String].self))
        let (largest, smallest, first) = (names.max(), [3, 1].min(), names.first { $0 == "Ada" })
        #expect(has(largest, String?.self) && has(smallest, Int?.self) && has(first, String?.self))
        let filtered = names.filter { name in
            let length = name.count
            return length > 3
        }
        #expect(has(filtered, [String].self))
        let backwards = names.sorted { $0 > $1 }.map { "\($0)" }.joined(separator: ", ")
        #expect(has(backwards, String.self))
    }

    @Test func `conversions between texts, data and URLs`() {
        let data = Data("a".utf8)
        let (decoded, read, written) = (
            String(decoding: data, as: UTF8.self), String(data: data, encoding: .utf8), "a".data(using: .utf8)
        )
        #expect(has(decoded, String.self) && has(read, String?.self) && has(written, Data?.self))
        let hexadecimal = data.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count < 2 ? "0\(digits)" : "\(digits)"
        }.joined()
        #expect(has(hexadecimal, String.self))
        let url = URL(string: "https://example.com/\(names[0])")
        #expect(has(url, URL?.self))
        let described = [url, nil].map { url in
            guard let url else { return "none" }
            return "\(url.path)"
        }
        #expect(has(described, [String].self))
        let (moment, name) = ("\(Date(timeIntervalSince1970: 0))", "\(UUID())".lowercased())
        #expect(has(moment, String.self) && has(name, String.self))
    }
}

/// A part of `URLSession` that an app replaces in its tests.
protocol Fetching: Sendable {
    func data(for request: URLRequest) async throws -> (Data, URLResponse)
    func data(from url: URL) async throws -> (Data, URLResponse)
    func download(for request: URLRequest) async throws -> (URL, URLResponse)
    func download(from url: URL) async throws -> (URL, URLResponse)
    func upload(for request: URLRequest, from bodyData: Data) async throws -> (Data, URLResponse)
    func upload(for request: URLRequest, fromFile fileURL: URL) async throws -> (Data, URLResponse)
    func bytes(for request: URLRequest) async throws -> (URLSession.AsyncBytes, URLResponse)
    func bytes(from url: URL) async throws -> (URLSession.AsyncBytes, URLResponse)
}

extension URLSession: Fetching {}

/// The content of a file by its URL.
func linesAndBytes(of url: URL) async throws -> (lines: [String], bytes: Int) {
    var lines: [String] = []
    for try await line in url.lines { lines.append(line) }
    var count = 0
    for try await _ in url.resourceBytes { count += 1 }
    return (lines, count)
}
