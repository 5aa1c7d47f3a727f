/// One kind of misbehavior. The modes of a script combine.
///
/// Offsets count body bytes of the current response, not of the resource. ETags and other values are sent as given.
package enum OriginMode: Sendable {
    // MARK: Resource

    /// An empty body.
    case empty
    /// Another version: this body, with its own ETag or the given one.
    case version(SeededBody, etag: String? = nil)
    /// Another body under the unchanged ETag.
    case silentVersion(SeededBody)
    /// This ETag, such as `W/"v1"`, `""` or `v1`. `nil` sends none.
    case etag(String?)
    case etagPerRequest
    case lastModified(String?)
    /// No ETag, and a Last-Modified this many seconds before Date.
    case dateOnly(age: Int64)
    case contentType(String?)
    /// A different body for each request, without validators, length or ranges.
    case generated

    // MARK: Range responses

    /// 200 to every range request.
    case noRanges
    /// 200 to every range request, with `Accept-Ranges: none`.
    case acceptRangesNone
    /// 206 with a Content-Range and body from 0 to the requested end.
    case rangeFromZero
    case contentRange(ContentRangeFault)
    /// `multipart/byteranges` for a single range.
    case multipartRange
    /// At most this many bytes of the range.
    case rangeSubset(Int64)
    /// This many bytes more than requested, up to the end of the resource.
    case rangeExcess(Int64)
    /// This complete length in Content-Range.
    case completeLength(Int64)
    /// 200 whenever If-Range contains an ETag.
    case ifRangeBlind
    /// 416 to every range request.
    case unsatisfiable(UnsatisfiableFault)

    // MARK: Another answer

    case status(Int, retryAfter: String? = nil, body: String = "")
    /// A redirect. Without `to`, it has no Location.
    case redirect(to: String?, status: Int = 302)
    /// A redirect to `/signed/<n>`, with another n for each request.
    case signedRedirect
    /// 403 after this many requests for the same path. 400 if a request has Authorization.
    case expiring(uses: Int)
    /// 410 from the second request for the same path on.
    case once
    /// 401 unless the request has these credentials.
    case basic(user: String, password: String)
    /// Requests beyond this many concurrent responses get this status, or with `limitByReset` a reset.
    case limit(Int, status: Int)
    case limitByReset(Int)
    case portal(Portal)
    /// These bytes in place of a response. The connection then closes.
    case raw([UInt8])

    // MARK: Fields

    case field(String, String)
    /// A Content-Disposition with this value.
    case disposition(String)
    case digest(DigestField, DigestTruth)
    /// A chunked body with a digest in its trailers.
    case trailingDigest(DigestField, DigestTruth)
    /// A gzip body that the client did not request, with this many codings in Content-Encoding.
    case gzipAnyway(codings: Int = 1)
    case headFlood(HeadFlood)

    // MARK: Framing

    case chunked
    /// HTTP/1.0 without a length.
    case untilClose
    /// A Content-Length larger than the body. The connection closes after the body.
    case lengthTooLong(by: Int64)
    /// A Content-Length smaller than the body.
    case lengthTooShort(by: Int64)
    case twoLengths
    case lengthAndChunked
    /// A first chunk with this text as its size.
    case badChunkSize(String)

    // MARK: Delivery

    /// Inverts this byte of the body. Digests are those of the undamaged body.
    case damage(at: Int64)
    case cut(after: Int64)
    case reset(after: Int64)
    case stall(after: Int64)
    /// A chunked body without its last chunk.
    case chunkCut(after: Int64)
    /// A body without length. The TLS connection closes without close_notify.
    case tlsTruncate(after: Int64)
    /// Waits at this point until the test releases this name.
    case hold(String, at: HoldPoint)
    /// Like `hold`, with a separate name for each connection: the given name, a space and the connection's number.
    case holdEach(String, at: HoldPoint)
    /// Pieces of this size, one per interval.
    case drip(bytes: Int, every: Duration)
    case throttle(bytesPerSecond: Int)
    case lateHead(after: Duration)
    /// Endless informational responses in place of a head.
    case endlessInformational(every: Duration)
    case closeBeforeHead
    case resetBeforeHead
    /// An unrequested second response on the idle connection.
    case unasked
}

extension OriginMode {
    /// Returns this mode with the name of a hold made specific to a connection.
    func named(for connection: Int) -> OriginMode {
        guard case .holdEach(let name, let point) = self else { return self }
        return .hold("\(name) \(connection)", at: point)
    }
}
