import Crypto
import FerryCore
import Foundation
import FoundationNetworking

/// The file format of a cached response: its metadata, its body and a digest of both. A truncated or altered file is
/// not read.
enum CacheFile {
    private static let mark = Data("FERRY URLCache 1\n".utf8)
    private static let prefix = mark.count + SHA256.byteCount + MemoryLayout<UInt32>.size

    /// The metadata of a response.
    private struct Head: Codable {
        var url: URL
        /// Nil for responses of other protocols than HTTP.
        var status: Int?
        var fields: [String: String]
        var type: String?
        var length: Int?
        var textEncoding: String?
        var stored: Date
        var selecting: [HeaderField]
        /// A property list.
        var userInfo: Data?
    }

    /// Returns the bytes of a file, or nil for a response that cannot be stored in one.
    static func encode(_ kept: KeptResponse) -> Data? {
        guard let url = kept.response.url else { return nil }
        var userInfo: Data?
        if let values = kept.userInfo, !values.isEmpty {
            userInfo = try? PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
            if userInfo == nil { return nil }
        }
        let response = kept.response as? HTTPURLResponse
        let fields = response.map { CacheRequest.fields(of: $0).map { ($0.name, $0.value) } } ?? []
        let head = Head(
            url: url, status: response?.statusCode, fields: Dictionary(fields) { first, _ in first },
            type: kept.response.mimeType, length: Int(clamping: kept.response.expectedContentLength),
            textEncoding: kept.response.textEncodingName, stored: kept.stored, selecting: kept.selecting,
            userInfo: userInfo)
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        guard let known = try? encoder.encode(head), let length = UInt32(exactly: known.count) else { return nil }
        var content = Data([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) })
        content.append(known)
        content.append(kept.data)
        return mark + Data(SHA256.hash(data: content)) + content
    }

    /// Reads the bytes of a file.
    ///
    /// - Returns: Nil if the bytes differ in any way from the written ones.
    static func decode(_ data: Data) -> KeptResponse? {
        guard data.count >= prefix, data.starts(with: mark) else { return nil }
        let digest = data.dropFirst(mark.count).prefix(SHA256.byteCount)
        let content = data.dropFirst(mark.count + SHA256.byteCount)
        guard Data(SHA256.hash(data: content)) == digest else { return nil }
        let length = content.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        let known = content.dropFirst(4).prefix(length)
        guard known.count == length, let head = try? PropertyListDecoder().decode(Head.self, from: Data(known)),
            let response = response(head)
        else { return nil }
        let userInfo = head.userInfo.flatMap {
            unsafe try? PropertyListSerialization.propertyList(from: $0, format: nil)
        }
        let cached = CachedURLResponse(
            response: response, data: Data(content.dropFirst(4 + length)),
            userInfo: userInfo as? [AnyHashable: Any], storagePolicy: .allowed)
        return KeptResponse(cached, stored: head.stored, selecting: head.selecting)
    }

    private static func response(_ head: Head) -> URLResponse? {
        guard let status = head.status else {
            return URLResponse(
                url: head.url, mimeType: head.type, expectedContentLength: head.length ?? -1,
                textEncodingName: head.textEncoding)
        }
        return HTTPURLResponse(
            url: head.url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: head.fields)
    }
}
