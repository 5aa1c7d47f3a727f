/// One way to misbehave; the modes of a script combine.
///
/// Offsets count body bytes of the response at hand, not of the resource. ETags and other values are sent as given.
package enum OriginMode: Sendable {
    // MARK: What the resource is

    /// A body of no bytes.
    case empty
    /// Another version: this body with an ETag of its own, or the given one.
    case version(SeededBody, etag: String? = nil)
    /// Another body under the unchanged ETag.
    case silentVersion(SeededBody)
    /// This ETag, such as `W/"v1"`, `""` or `v1`; nil sends none.
    case etag(String?)
    case etagPerRequest
    case lastModified(String?)
    /// No ETag, and a Last-Modified of that many seconds before Date.
    case dateOnly(age: Int64)
    case contentType(String?)
    /// Other bytes for each request, no validator, no length, no ranges.
    case generated

    // MARK: How ranges are answered

    /// 200 to every range.
    case noRanges
    /// 200 to every range, and `Accept-Ranges: none`.
    case acceptRangesNone
    /// 206 with Content-Range and body from 0 to the asked end.
    case rangeFromZero
    case contentRange(ContentRangeFault)
    /// `multipart/byteranges` for one range.
    case multipartRange
    /// At most that many bytes of the range.
    case rangeSubset(Int64)
    /// That many bytes more than asked, as far as the resource goes.
    case rangeExcess(Int64)
    /// Another complete length in Content-Range.
    case completeLength(Int64)
    /// 200 whenever If-Range holds an ETag.
    case ifRangeBlind
    /// 416 to every range.
    case unsatisfiable(UnsatisfiableFault)

    // MARK: Another answer

    case status(Int, retryAfter: String? = nil, body: String = "")
    /// A redirect; without `to` it has no Location.
    case redirect(to: String?, status: Int = 302)
    /// A redirect to `/signed/<n>`, another n for each request.
    case signedRedirect
    /// 403 after that many requests for the same path; 400 if one carries Authorization.
    case expiring(uses: Int)
    /// 410 from the second request for the same path on.
    case once
    /// 401 until the request carries these credentials.
    case basic(user: String, password: String)
    /// More than that many responses at a time get this status, or a reset.
    case limit(Int, status: Int)
    case limitByReset(Int)
    case portal(Portal)
    /// These bytes in place of a response, and the end of the connection.
    case raw([UInt8])

    // MARK: Fields

    case field(String, String)
    /// A Content-Disposition with this value.
    case disposition(String)
    case digest(DigestField, DigestTruth)
    /// A gzip body that the client did not ask for, with that many codings named.
    case gzipAnyway(codings: Int = 1)
    case headFlood(HeadFlood)

    // MARK: Framing

    case chunked
    /// HTTP/1.0 without length.
    case untilClose
    /// A Content-Length that is larger than the body; the connection ends after the body.
    case lengthTooLong(by: Int64)
    /// A Content-Length that is smaller than the body.
    case lengthTooShort(by: Int64)
    case twoLengths
    case lengthAndChunked
    /// A first chunk whose size is this text.
    case badChunkSize(String)

    // MARK: Delivery

    /// Another byte than the resource's there, whatever digests say.
    case damage(at: Int64)
    case cut(after: Int64)
    case reset(after: Int64)
    case stall(after: Int64)
    /// A chunked body that ends without its last chunk.
    case chunkCut(after: Int64)
    /// A body without length whose TLS connection ends without close_notify.
    case tlsTruncate(after: Int64)
    /// Waits there until the test releases that name.
    case hold(String, at: HoldPoint)
    /// As `hold`, with a name for each connection: that name, a space and the connection's number.
    case holdEach(String, at: HoldPoint)
    /// Pieces of that size, one an interval.
    case drip(bytes: Int, every: Duration)
    case throttle(bytesPerSecond: Int)
    case lateHead(after: Duration)
    /// Informational responses without end, in place of a head.
    case endlessInformational(every: Duration)
    case closeBeforeHead
    case resetBeforeHead
    /// A second response that no request asked for, on the idle connection.
    case unasked
}

extension OriginMode {
    /// This mode with the name that a connection has in it.
    func named(for connection: Int) -> OriginMode {
        guard case .holdEach(let name, let point) = self else { return self }
        return .hold("\(name) \(connection)", at: point)
    }
}
