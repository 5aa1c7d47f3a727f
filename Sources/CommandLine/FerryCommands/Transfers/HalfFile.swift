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
        /// The transfer starts at byte 0, for this reason.
        case startsOver(String)
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
    private static func name(of url: String) -> String? {
        let last = RequestOptions.lastPart(of: url)
        return last.isEmpty ? nil : FileName.safe(last)
    }

    /// Decides what becomes of its bytes.
    ///
    /// - Parameters:
    ///   - checksums: The digests that the user has given.
    ///   - head: The server's response to HEAD. Nil if it was not asked.
    ///   - isUnproven: Whether the user wants its bytes without a digest that proves them.
    func verdict(checksums: [Checksum], head: ResponseFacts?, isUnproven: Bool) -> Verdict {
        var source = PartialSource(
            path: path, offset: size, etag: nil, lastModified: nil, date: nil, completeLength: nil)
        source.moves = true
        guard checksums.isEmpty else { return .continues(source, checksums: checksums) }
        guard let head, (200..<300).contains(head.status) else {
            return .startsOver("nothing proves that they belong to the server's file; --checksum DIGEST would")
        }
        if let digests = head.digests, !digests.isEmpty { return .continues(source, checksums: digests) }
        let length = head.fields.value("Content-Length").flatMap { Int64($0) }
        if length == size { return .isComplete }
        if let length, length < size { return .startsOver("the server's file has only \(ByteText.of(length))") }
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

/// Applies `--continue-file` to the requests of a command.
struct HalfFiles {
    let context: CommandContext
    let options: FileOptions
    /// How to ask servers about their files. Nil for a command that does not wait.
    let fetch: HeadFetch?

    enum Result {
        /// The requests, without those whose files are complete.
        case requests(RequestList)
        case stopped(by: StopSignal)
    }

    func applied(to list: RequestList) async throws -> Result {
        guard options.continuesFiles else { return .requests(list) }
        let halves = Dictionary(
            uniqueKeysWithValues: list.requests.enumerated().compactMap { place, request in
                HalfFile(of: request).map { (place, $0) }
            })
        guard !halves.isEmpty else { return .requests(list) }
        var heads: [Int: ResponseFacts] = [:]
        let asked = halves.keys.filter { list.requests[$0].response.checksums.isEmpty }.sorted()
        if let fetch, !asked.isEmpty {
            switch try await fetch.run(asked.map { Self.headRequest(list.requests[$0]) }) {
            case .stopped(let signal): return .stopped(by: signal)
            case .ended(let final): for (place, submission) in zip(asked, final) { heads[place] = submission.response }
            }
        }
        return .requests(
            list.compactMap { place, request in
                guard let half = halves[place] else { return request }
                return decided(request, half, heads[place])
            })
    }

    /// The request after the decision about its file, or nil if the file is complete.
    private func decided(_ request: TransferRequest, _ half: HalfFile, _ head: ResponseFacts?) -> TransferRequest? {
        var request = request
        request.file.name = half.path.lastPathPart
        request.file.onConflict = .replace
        let amount = "\(half.path.lastPathPart.escapingControls) has \(ByteText.of(half.size)) of another program"
        switch half.verdict(
            checksums: request.response.checksums, head: head, isUnproven: options.continueUnproven)
        {
        case .continues(let source, let checksums):
            (request.file.continues, request.response.checksums) = (source, checksums)
            let proof = checksums.first.map { "\($0.algorithm.rawValue) will prove them" } ?? "without proof"
            context.remark("\(amount); continuing after them, \(proof).")
        case .isComplete:
            context.remark(
                "unchanged: \(half.path.escapingControls) has all \(ByteText.of(half.size)) already (not verified)")
            return nil
        case .startsOver(let reason): context.remark("\(amount); starting over, since \(reason).")
        }
        return request
    }

    private static func headRequest(_ request: TransferRequest) -> TransferRequest {
        var request = request
        request.mirrors = []
        if !request.headers.contains(where: { $0.isNamed("Want-Repr-Digest") }) {
            request.headers.append(HeaderField(name: "Want-Repr-Digest", value: "sha-256=2, sha-512=1"))
        }
        return request
    }
}
