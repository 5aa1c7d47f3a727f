import FerryCore
import FerryTesting

/// Misbehaviors of the scripted origin that involve several connections.
extension SegmentCase {
    /// The origin behaves well, or only its first response is wrong.
    static let good: [SegmentCase] = [
        SegmentCase("O1", "plain", others: .all),
        SegmentCase("O21", "parts without complete length", others: .all, .on(.ranged, .contentRange(.starComplete))),
        SegmentCase("O22", "parts that are shorter than asked", others: .all, .on(.ranged, .rangeSubset(700_000))),
        SegmentCase("O22", "parts that are longer than asked", others: .all, .on(.ranged, .rangeExcess(50_000))),
        SegmentCase("O27", "an old date and no ETag", others: .all, .always(.dateOnly(age: 86_400))),
        SegmentCase("O45", "slow connections", others: .all, .always(.throttle(bytesPerSecond: 8 << 20))),
        SegmentCase(
            "O46", "one slow connection", others: .all, .on(.connection(2), .throttle(bytesPerSecond: 400_000))),
        SegmentCase("O35", "a redirect", others: .all, .on(.path("/file.bin"), .redirect(to: "/there"))),
        SegmentCase("O41", "a right digest of the whole", others: .all, .always(.digest(.repr, .right))),
        SegmentCase("O41", "a right digest of each part", others: .all, .always(.digest(.content, .right))),
    ]

    /// The first head shows that more connections are useless.
    static let alone: [SegmentCase] = [
        SegmentCase("O2", "chunked", others: .none, .always(.chunked)),
        SegmentCase("O3", "the end of the connection ends the body", others: .none, .always(.untilClose)),
        SegmentCase("O17", "Accept-Ranges: none", others: .none, .always(.acceptRangesNone)),
        SegmentCase("O26", "a weak ETag", others: .none, .always(.etag("W/\"v1\""))),
        SegmentCase("O26", "an empty ETag", others: .none, .always(.etag("\"\""))),
        SegmentCase("O26", "an ETag without quotes", others: .none, .always(.etag("v1"))),
        SegmentCase("O27", "a date that is too young and no ETag", others: .none, .always(.dateOnly(age: 0))),
    ]

    /// Requests for ranges get wrong responses.
    static let wrongParts: [SegmentCase] =
        [
            ("O16", "200 to every range", OriginMode.noRanges), ("O18", "parts from 0", .rangeFromZero),
            ("O20", "parts as multipart", .multipartRange), ("O23", "another length", .completeLength(size + 99_999)),
            ("O28", "an ETag for each request", .etagPerRequest), ("O24", "another version", .version(other)),
            ("O24", "another version of another length", .version(SeededBody(seed: 403, size: size - 77))),
            ("O14", "parts whose length is too short", .lengthTooShort(by: 10)),
            ("O13", "parts whose length is too long", .lengthTooLong(by: 10)),
            ("O15", "parts with two lengths", .twoLengths), ("O39", "parts with a coding", .gzipAnyway()),
            ("O31", "416 with the length", .unsatisfiable(.complete)), ("O31", "416 bare", .unsatisfiable(.bare)),
            ("O31", "416 with another length", .unsatisfiable(.other)), ("O40", "a login page", .portal(.page)),
            ("O35", "a redirect in a circle", .redirect(to: "/file.bin")),
        ].flatMap { number, name, mode in late(number, name, mode) }
        + ContentRangeFault.allCases.filter { $0 != .starComplete }.flatMap { fault in
            late("O19", "Content-Range \(fault)", .contentRange(fault))
        }

    /// Returns a misbehavior that starts with the second request, and one that starts with the third.
    private static func late(_ number: String, _ name: String, _ mode: OriginMode) -> [SegmentCase] {
        // If a part arrived before the change, the new version follows.
        let new: SeededBody? = if case .version(let new, _) = mode { new } else { nil }
        let failure: ErrorCode? =
            switch number {
            case "O15": .badResponse
            case "O35": .tooManyRedirects
            case "O40": .resourceChanged
            default: nil
            }
        return [
            SegmentCase(number, name, .on(.requests(2...).and(.ranged), mode)),
            SegmentCase(
                number, name + ", from the third request on", file: new ?? body, mayBeFirst: new != nil,
                mayFail: failure,
                .on(.requests(3...).and(.ranged), mode)),
        ]
    }

    /// Connections that fail.
    static let failing: [SegmentCase] = [
        SegmentCase("O5", "parts are cut", .on(.requestNumbers(2..<5), .cut(after: 300_000))),
        SegmentCase("O5", "parts are reset", .on(.requestNumbers(2..<5), .reset(after: 300_000))),
        SegmentCase("O5", "the first answer is cut", others: .all, .on(.request(1), .cut(after: firstBytes))),
        SegmentCase("O6", "every answer is cut", .always(.cut(after: 600_000))),
        SegmentCase("O7", "parts are cut behind the head", .on(.requestNumbers(2..<4), .cut(after: 0))),
        SegmentCase("O33", "no head", .on(.requestNumbers(2..<4), .closeBeforeHead)),
        SegmentCase("O33", "reset in place of a head", .on(.requestNumbers(2..<4), .resetBeforeHead)),
        SegmentCase("O32", "403 to parts", .on(.requestNumbers(2..<4), .status(403))),
        SegmentCase("O32", "404 to parts", .on(.requestNumbers(2..<4), .status(404))),
        SegmentCase("O32", "429 to parts", .on(.requestNumbers(2..<4), .status(429, retryAfter: "600"))),
        SegmentCase("O32", "500 to parts", .on(.requestNumbers(2..<4), .status(500))),
        SegmentCase("O32", "503 to parts", .on(.requestNumbers(2..<4), .status(503))),
        SegmentCase(
            "O36", "signed URLs for two requests", .on(.path("/file.bin"), .signedRedirect),
            .on(.path("/signed/*"), .expiring(uses: 2))),
        SegmentCase("O41", "wrong digests of parts", .on(.requestNumbers(2..<4), .digest(.content, .wrong))),
    ]

    /// Versions that alternate or replace each other.
    static let versions: [SegmentCase] = [
        SegmentCase(
            "O29", "two versions by turns", file: other, mayBeFirst: true, .on(.turn(1, of: 2), .version(other))),
        SegmentCase(
            "O29", "two versions by turns, and the first is cut", file: other, mayBeFirst: true,
            .on(.turn(1, of: 2), .version(other)), .on(.request(1), .cut(after: 1_000_000))),
        SegmentCase(
            "O24", "a new version, and the first is cut", file: other, .on(.request(1), .cut(after: 1_000_000)),
            .on(.requests(2...), .version(other))),
        SegmentCase(
            "O24", "a new version from the third request on, and all before it are cut", file: other, mayBeFirst: true,
            .on(.requestNumbers(1..<3), .cut(after: 1_000_000)), .on(.requests(3...), .version(other))),
        SegmentCase(
            "O28", "an ETag for each request, and a digest", digest: true, .always(.etagPerRequest)),
        SegmentCase(
            "O28", "an ETag for each request, a digest, and the first is cut", digest: true,
            .always(.etagPerRequest), .on(.request(1), .cut(after: 1_000_000))),
        SegmentCase("O25", "parts of other bytes, and a digest", digest: true, .on(.ranged, .silentVersion(other))),
        SegmentCase("O26", "a weak ETag, and a digest", others: .all, digest: true, .always(.etag("W/\"v1\""))),
    ]
}
