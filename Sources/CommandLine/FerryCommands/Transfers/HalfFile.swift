import FerryCore
import FerryFoundation
import Glibc

/// An incomplete file of another program, which a command is to continue.
struct HalfFile: Equatable {
    let path: String
    let size: Int64

    enum Verdict: Equatable {
        /// The transfer continues with its bytes.
        case continues(PartialSource, checksums: [Checksum])
        /// It has all bytes.
        case isComplete
        /// The transfer starts at byte 0, for this reason, and the complete file replaces it.
        case startsOver(String)
        /// Nothing says that it is a part of the server's file, for this reason.
        case isUnrelated(String)
    }

    init(path: String, size: Int64) {
        (self.path, self.size) = (path, size)
    }

    /// - Returns: Nil unless the request would save a file under the name of an existing regular file with bytes.
    init?(of request: TransferRequest) {
        guard request.method == "GET", request.body == nil, RangeTag.of(request.tags) == nil,
            let name = request.file.name ?? Self.name(of: request.url)
        else { return nil }
        let path = request.file.folder.appendingPathPart(name)
        var facts = stat()
        guard path.withPath({ unsafe lstat($0, &facts) }) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_size > 0
        else { return nil }
        self.init(path: path, size: Int64(facts.st_size))
    }

    /// The name that other programs give the file of a URL.
    static func name(of url: String) -> String? {
        let last = RequestOptions.lastPart(of: url)
        return last.isEmpty ? nil : FileName.safe(last)
    }

    /// Decides what becomes of its bytes.
    ///
    /// - Parameters:
    ///   - checksums: The digests that the user has given.
    ///   - head: The server's response to HEAD. Nil if it was not asked, or has not responded.
    ///   - isUnproven: Whether the user wants its bytes without a digest that proves them.
    func verdict(checksums: [Checksum], head: ResponseFacts?, isUnproven: Bool) -> Verdict {
        var source = PartialSource(
            path: path, offset: size, etag: nil, lastModified: nil, date: nil, completeLength: nil)
        guard checksums.isEmpty else { return .continues(source, checksums: checksums) }
        guard let head else { return .isUnrelated("nothing is known of the server's file") }
        guard (200..<300).contains(head.status) else {
            return .isUnrelated("the server answers HEAD with status \(head.status)")
        }
        if let digests = head.digests, !digests.isEmpty { return .continues(source, checksums: digests) }
        let length = head.fields.value("Content-Length").flatMap { Int64($0) }
        if length == size { return .isComplete }
        // An error page or a login page must not cost a large file.
        guard let length else { return .isUnrelated("the server does not say how long its file is") }
        if length < size { return .isUnrelated("the server's file has only \(ByteText.of(length))") }
        (source.etag, source.lastModified) = (head.fields.value("ETag"), head.fields.value("Last-Modified"))
        (source.date, source.completeLength) = (head.fields.value("Date"), length)
        guard source.etag != nil || source.lastModified != nil else {
            return .startsOver("the server identifies no version of its file; --checksum DIGEST would prove them")
        }
        guard isUnproven else {
            return .startsOver(
                "nothing proves that they belong to the server's file; --checksum DIGEST would, and --continue-unproven "
                    + "continues without proof")
        }
        return .continues(source, checksums: [])
    }
}
