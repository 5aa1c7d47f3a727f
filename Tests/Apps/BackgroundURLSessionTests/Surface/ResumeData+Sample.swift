@testable import FerryURLSession
import Foundation
import Testing

/// Sample resume data with a value in every field.
extension ResumeData {
    static func sample() -> ResumeData {
        var original = URLRequest(url: URL(fileURLWithPath: "/"), cachePolicy: .reloadIgnoringLocalCacheData)
        original.url = URL(string: "https://example.com/a?b=c")
        original.timeoutInterval = 17.5
        original.setValue("Bearer x", forHTTPHeaderField: "Authorization")
        original.setValue("bytes=10-", forHTTPHeaderField: "Range")
        original.allowsExpensiveNetworkAccess = false
        var current = original
        current.url = URL(string: "https://mirror.example.com/ä?b=<&>")
        current.allowsCellularAccess = false
        current.allowsConstrainedNetworkAccess = false
        var options = TaskOptions()
        options.destination = .init(URL(fileURLWithPath: "/tmp/ä b"), conflictPolicy: .unique)
        options.expectedDigest = .init(.sha256, hex: "00ff")
        options.mirrors = [URL(fileURLWithPath: "/m")]
        options.maximumConnections = 4
        options.bytesPerSecondLimit = 1 << 40
        options.metadata = ["a": "b", "": "<&>"]
        options.retryPolicy = RetryPolicy(maximumAttemptsWithoutProgress: 3, statusCodes: [503])
        return ResumeData(
            fileName: "00000000000000a1.partial", directory: .spool, received: 123, expectedLength: 1 << 40,
            entityTag: "\"v1\"", serverDate: "Sun, 06 Nov 1994 08:49:37 GMT",
            responseDate: "Sun, 06 Nov 1994 09:49:37 GMT", originalRequest: original, currentRequest: current,
            description: "a <description>", priority: 0.75, options: options)
    }

    /// Returns the sample as a dictionary.
    static func sampleList() throws -> [String: Any] {
        let data = try #require(sample().encoded())
        let list = unsafe try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
        return try #require(list as? [String: Any])
    }

    /// Returns the sample with one value replaced or removed. The path names the keys of nested dictionaries.
    static func sample(at path: [String], _ value: Any?) throws -> Data {
        let list = replaced(try sampleList(), ArraySlice(path), value)
        return try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
    }

    private static func replaced(_ list: [String: Any], _ path: ArraySlice<String>, _ value: Any?) -> [String: Any] {
        var list = list
        guard let key = path.first else { return list }
        if path.count == 1 {
            list[key] = value
        } else {
            list[key] = replaced(list[key] as? [String: Any] ?? [:], path.dropFirst(), value)
        }
        return list
    }
}
