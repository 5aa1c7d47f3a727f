import FerryCore
@testable import FerryURLSession
import FerryRules
import Foundation
import Testing

@Suite struct `Resume data` {
    @Test func `written values are read again`() throws {
        let sample = ResumeData.sample()
        let data = try #require(sample.encoded())
        let read = try #require(ResumeData(data))
        #expect(read == sample)
        #expect(read.originalRequest.timeoutInterval == 17.5)
        #expect(read.originalRequest.cachePolicy == .reloadIgnoringLocalCacheData)
        #expect(read.originalRequest.allHTTPHeaderFields == sample.originalRequest.allHTTPHeaderFields)
        #expect(!read.originalRequest.allowsExpensiveNetworkAccess)
        #expect(read.originalRequest.allowsConstrainedNetworkAccess)
        #expect(!read.currentRequest.allowsCellularAccess)
        #expect(!read.currentRequest.allowsConstrainedNetworkAccess)
    }

    @Test func `a field that the server did not send is absent`() throws {
        var sample = ResumeData.sample()
        sample.entityTag = nil
        sample.serverDate = nil
        sample.responseDate = nil
        sample.description = nil
        sample.options = nil
        sample.expectedLength = -1
        sample.originalRequest.setValue(nil, forHTTPHeaderField: "Range")
        let data = try #require(sample.encoded())
        #expect(ResumeData(data) == sample)
        let text = String(decoding: data, as: UTF8.self)
        #expect(!text.contains("NSURLSessionResumeEntityTag"))
        #expect(!text.contains("NSURLSessionResumeByteRange"))
    }

    /// Without its weak tag, a response would look as if its date alone were a validator (RFC 9110 §13.1.5).
    @Test(arguments: [("\"1\"", true), ("W/\"1\"", false), (nil, true)] as [(String?, Bool)])
    func `a weak tag stays, and no date takes its place`(tag: String?, guardsRanges: Bool) throws {
        let session = URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        let task = session.downloadTask(with: try #require(URL(string: "http://a.example/f")))
        let left = PartialSource(
            path: "/s/1.partial", offset: 5, etag: tag, lastModified: "Sun, 06 Nov 1994 08:49:37 GMT",
            date: "Sun, 06 Nov 1994 09:49:37 GMT", completeLength: 9)
        let source = try #require(ResumeData(left, in: .spool, task: task)).source(in: "/s")
        #expect(source.etag == tag)
        let identity = ResourceIdentity(
            origin: Origin(scheme: "http", host: "a.example", port: 80), etag: source.etag,
            lastModified: source.lastModified, date: source.date)
        #expect((identity.strongValidator != nil) == guardsRanges)
    }

    @Test func `Apple's keys are at the top level of an XML property list`() throws {
        let data = try #require(ResumeData.sample().encoded())
        #expect(String(decoding: data.prefix(5), as: UTF8.self) == "<?xml")
        let list = try ResumeData.sampleList()
        #expect(list["NSURLSessionResumeInfoVersion"] as? Int == 4)
        #expect(list["NSURLSessionResumeInfoTempFileName"] as? String == "00000000000000a1.partial")
        #expect(list["NSURLSessionDownloadURL"] as? String == ResumeData.sample().currentRequest.url?.absoluteString)
        #expect(list["NSURLSessionResumeBytesReceived"] as? Int == 123)
        #expect(list["NSURLSessionResumeEntityTag"] as? String == "\"v1\"")
        #expect(list["NSURLSessionResumeServerDownloadDate"] as? String == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(list["NSURLSessionResumeByteRange"] as? String == "bytes=10-")
        let request = try #require(list["NSURLSessionResumeOriginalRequest"] as? [String: Any])
        #expect(request["URL"] as? String == "https://example.com/a?b=c")
        #expect(request["Method"] as? String == "GET")
        #expect((request["Headers"] as? [String: String])?["Authorization"] == "Bearer x")
        #expect(list["FerryResumeFormat"] as? Int == 1)
        #expect(list["FerryExpectedLength"] as? Int == 1 << 40)
        #expect(list["FerryDirectory"] as? String == "spool")
    }

    /// The reserved field of a request is not a field of the server.
    @Test func `the reserved field is not among the headers`() throws {
        let list = try ResumeData.sampleList()
        let request = try #require(list["NSURLSessionResumeOriginalRequest"] as? [String: Any])
        #expect((request["Headers"] as? [String: String])?.keys.sorted() == ["Authorization", "Range"])
    }

    @Test func `65 data torn at any length are refused`() throws {
        let data = try #require(ResumeData.sample().encoded())
        let end = try #require(data.range(of: Data("</plist>".utf8))).upperBound
        for length in 0..<end where ResumeData(data.prefix(length)) != nil {
            Issue.record("\(length) of \(data.count) bytes are taken for whole.")
        }
        #expect(ResumeData(data.prefix(end)) != nil)
    }

    /// An altered byte may leave the data valid, for example in a description. It must never crash or name a path
    /// outside the folder.
    @Test(arguments: [0x00, 0x2F, 0x3C, 0x2D, 0xFF] as [UInt8])
    func `65 one altered byte never names a file outside of the folder`(byte: UInt8) throws {
        var data = try #require(ResumeData.sample().encoded())
        for index in data.indices {
            let before = data[index]
            data[index] = byte
            if let read = ResumeData(data) { #expect(!read.fileName.contains("/") && read.received >= 0) }
            data[index] = before
        }
    }

    @Test(arguments: ["", ".", "..", "/etc/passwd", "../a", "a/b", "a/", "a/../../b"])
    func `65 a name that is no plain file name is refused`(name: String) throws {
        #expect(ResumeData(try ResumeData.sample(at: ["NSURLSessionResumeInfoTempFileName"], name)) == nil)
    }

    @Test(arguments: [nil, 0, 2, -1, "1", true, 1.0] as [(any Sendable)?])
    func `65 another version, or none as in Apple's data, is refused`(format: (any Sendable)?) throws {
        #expect(ResumeData(try ResumeData.sample(at: ["FerryResumeFormat"], format)) == nil)
    }

    @Test func `keys that are not known are left alone`() throws {
        #expect(ResumeData(try ResumeData.sample(at: ["FerryLater"], ["a": [1, 2]])) == .sample())
        #expect(ResumeData(try ResumeData.sample(at: ["FerryTask", "Later"], true)) == .sample())
        let request = ["NSURLSessionResumeOriginalRequest", "Later"]
        #expect(ResumeData(try ResumeData.sample(at: request, Data([1]))) == .sample())
    }

    @Test(arguments: Self.required)
    func `65 a value that is missing is refused`(path: [String]) throws {
        #expect(ResumeData(try ResumeData.sample(at: path, nil)) == nil)
    }

    @Test(arguments: Self.required + Self.optional)
    func `65 a value of another type is refused`(path: [String]) throws {
        let right = Self.value(try ResumeData.sampleList(), path)
        for wrong in Self.wrongValues(for: right) {
            #expect(ResumeData(try ResumeData.sample(at: path, wrong)) == nil, "\(wrong)")
        }
    }

    @Test(
        arguments: [
            (["NSURLSessionResumeBytesReceived"], -1), (["FerryExpectedLength"], -2), (["FerryDirectory"], "home"),
            (["NSURLSessionResumeOriginalRequest", "CachePolicy"], -1),
            (["NSURLSessionResumeOriginalRequest", "CachePolicy"], 99),
            (["NSURLSessionResumeOriginalRequest", "TimeoutInterval"], -1.0),
            (["NSURLSessionResumeOriginalRequest", "TimeoutInterval"], Double.infinity),
            (["NSURLSessionResumeCurrentRequest", "URL"], ""), (["FerryTask", "Priority"], Double.nan),
        ] as [([String], any Sendable)])
    func `65 a value out of its range is refused`(path: [String], value: any Sendable) throws {
        #expect(ResumeData(try ResumeData.sample(at: path, value)) == nil)
    }

    @Test(arguments: ["", "x", "{ a = 1; }", "bplist00", "<?xml", "<?xml version=\"1.0\"?><plist><array/></plist>"])
    func `65 other data are refused`(text: String) { #expect(ResumeData(Data(text.utf8)) == nil) }

    @Test func `65 another form of property list is refused`() throws {
        let data = try PropertyListSerialization.data(
            fromPropertyList: try ResumeData.sampleList(), format: .binary, options: 0)
        #expect(ResumeData(data) == nil)
    }

    // MARK: -

    private static let required: [[String]] =
        [
            ["NSURLSessionResumeInfoVersion"], ["NSURLSessionResumeInfoTempFileName"], ["NSURLSessionDownloadURL"],
            ["NSURLSessionResumeBytesReceived"], ["NSURLSessionResumeOriginalRequest"],
            ["NSURLSessionResumeCurrentRequest"], ["FerryResumeFormat"], ["FerryExpectedLength"], ["FerryDirectory"],
            ["FerryTask"], ["FerryTask", "Priority"],
        ]
        + ["NSURLSessionResumeOriginalRequest", "NSURLSessionResumeCurrentRequest"].flatMap { request in
            [
                "URL", "Method", "Headers", "TimeoutInterval", "CachePolicy", "AllowsCellularAccess",
                "AllowsExpensiveNetworkAccess", "AllowsConstrainedNetworkAccess",
            ].map { [request, $0] }
        }

    private static let optional: [[String]] = [
        ["NSURLSessionResumeEntityTag"], ["NSURLSessionResumeServerDownloadDate"], ["NSURLSessionResumeByteRange"],
        ["FerryResponseDate"], ["FerryTask", "Description"], ["FerryTask", "Options"],
        ["FerryTask", "Options", "maximumConnections"], ["FerryTask", "Options", "metadata"],
    ]

    private static func value(_ list: [String: Any], _ path: [String]) -> Any? {
        path.dropLast().reduce(list) { $0[$1] as? [String: Any] ?? [:] }[path.last ?? ""]
    }

    /// Returns a value of every type but the right one. Integers and fractions are interchangeable.
    private static func wrongValues(for value: Any?) -> [Any] {
        let all: [Any] = ["text", 1, true, Data([1]), Date(timeIntervalSince1970: 0), ["a"], ["a": 1]]
        return all.filter { wrong in
            // Foundation also accepts a number as a Boolean.
            let isFlag = value.map { type(of: $0) == Bool.self } ?? false
            return switch value {
            case is String: !(wrong is String)
            case is [String: Any]: !(wrong is [String: Any]) || (wrong as? [String: Int]) != nil
            case is Bool where isFlag: !(wrong is Bool)
            case is NSNumber: wrong is Bool || !(wrong is Int)
            default: true
            }
        }
    }
}
