// Ferry: FerryTesting
// What modes do to the fields and the framing of an answer.

import Crypto
import FerryCore
import Foundation

extension OriginResponse {
    /// Applies a mode that changes fields or framing.
    package mutating func apply(_ mode: OriginMode, resource: OriginResource) {
        switch mode {
        case .field(let name, let value): add(name, value)
        case .disposition(let value): add("Content-Disposition", value)
        case .digest(let field, let truth): addDigest(field, truth, resource)
        case .gzipAnyway(let codings): compress(codings: codings)
        case .headFlood(.bigField(let bytes)): add("X-Flood", String(repeating: "f", count: bytes))
        case .headFlood(.manyFields(let count)): for index in 0..<count { add("X-Flood-\(index)", "f") }
        case .chunked, .chunkCut: framing = .chunked
        case .untilClose:
            version = "HTTP/1.0"
            framing = .untilClose
        case .tlsTruncate: framing = .untilClose
        case .lengthTooLong(let excess): lengthError = excess
        case .lengthTooShort(let missing): lengthError = -missing
        case .twoLengths: framing = .twoLengths
        case .lengthAndChunked: framing = .lengthAndChunked
        case .badChunkSize(let text): framing = .badChunk(text)
        default: break
        }
    }

    private mutating func addDigest(_ field: DigestField, _ truth: DigestTruth, _ resource: OriginResource) {
        let digest =
            switch field {
            case .repr: resource.body.digest(.sha256, of: 0..<resource.body.size)
            case .content: contentDigest
            }
        let value =
            switch truth {
            case .right: "sha-256=:\(Data(digest).base64EncodedString()):"
            case .wrong: "sha-256=:\(Data(digest.map { ~$0 }).base64EncodedString()):"
            case .foreign: "x-unknown=:\(Data(digest.prefix(8)).base64EncodedString()):"
            }
        add(field.rawValue, value)
    }

    private var contentDigest: [UInt8] {
        switch content.first {
        case .seeded(let body, let range) where content.count == 1: body.digest(.sha256, of: range)
        default: Array(SHA256.hash(data: content.flatMap(\.bytes)))
        }
    }

    /// Replaces the body of a 200 by its gzip form; any other answer only says that it is coded.
    private mutating func compress(codings: Int) {
        if status == 200 { content = [.bytes(StoredGzip.encode(content.flatMap(\.bytes)))] }
        add("Content-Encoding", Array(repeating: "gzip", count: codings).joined(separator: ", "))
    }
}
