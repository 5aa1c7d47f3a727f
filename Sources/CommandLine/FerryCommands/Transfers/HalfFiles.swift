import FerryCore

/// Applies `--continue-file` to the requests of a command.
struct HalfFiles {
    let context: CommandContext
    let options: FileOptions
    /// How to ask servers about their files. Nil for a command that does not wait.
    let fetch: HeadFetch?
    let isQuiet: Bool

    enum Result {
        /// The requests, without those whose files are complete or cannot be continued.
        case requests(RequestList, refused: [Submission])
        case stopped(by: StopSignal)
    }

    func applied(to list: RequestList) async throws -> Result {
        // Another policy of the user's protects the file.
        guard options.continuesFiles, options.onConflict ?? .replace == .replace else {
            return .requests(list, refused: [])
        }
        let halves = Dictionary(
            uniqueKeysWithValues: list.requests.enumerated().compactMap { place, request in
                HalfFile(of: request).map { (place, $0) }
            })
        guard !halves.isEmpty else { return .requests(list, refused: []) }
        var heads: [Int: ResponseFacts] = [:]
        let asked = halves.keys.filter { list.requests[$0].response.checksums.isEmpty }.sorted()
        if let fetch, !asked.isEmpty {
            switch try await fetch.run(asked.map { Self.headRequest(list.requests[$0]) }) {
            case .stopped(let signal): return .stopped(by: signal)
            case .ended(let final): for (place, submission) in zip(asked, final) { heads[place] = submission.response }
            }
        }
        var refused: [Submission] = []
        let requests = list.compactMap { place, request in
            guard let half = halves[place] else { return request }
            do throws(ServiceError) {
                return try decided(request, half, heads[place])
            } catch {
                refused.append(.refused(url: request.url, session: request.session, error))
                return nil
            }
        }
        return .requests(requests, refused: refused)
    }

    /// The request after the decision about its file.
    ///
    /// - Returns: Nil if the file is complete.
    /// - Throws: ``ServiceError`` with code `destination_exists` for a file that nothing connects with the server's,
    ///   unless the user has named it to be replaced.
    private func decided(
        _ request: TransferRequest, _ half: HalfFile, _ head: ResponseFacts?
    ) throws(ServiceError) -> TransferRequest? {
        var request = request
        let isNamed = request.file.name != nil
        request.file.name = half.path.lastPathPart
        request.file.onConflict = .replace
        let amount = "\(half.path.lastPathPart.escapingControls) has \(ByteText.of(half.size))"
        switch half.verdict(
            checksums: request.response.checksums, head: head, isUnproven: options.continueUnproven)
        {
        case .continues(let source, let checksums):
            (request.file.continues, request.response.checksums) = (source, checksums)
            let proof = checksums.first.map { "\($0.algorithm.rawValue) will prove the file" } ?? "without proof"
            say("\(amount): continuing after them, \(proof)")
        case .isComplete:
            say("unchanged: \(half.path.escapingControls) (\(ByteText.of(half.size)), not verified)")
            return nil
        case .startsOver(let reason): say("\(amount): starting over, since \(reason)")
        case .isUnrelated(let reason):
            guard isNamed else {
                throw ServiceError(
                    .destinationExists,
                    "\(amount), and \(reason), so it is not continued. --checksum DIGEST would prove the result; "
                        + "-o NAME starts over and replaces the file.")
            }
            say("\(amount): starting over, since \(reason)")
        }
        return request
    }

    private func say(_ line: String) {
        if !isQuiet { context.console.say(line) }
    }

    private static func headRequest(_ request: TransferRequest) -> TransferRequest {
        var request = request
        request.mirrors = []
        (request.timing.notBefore, request.timing.retries, request.timing.retryRule) = (nil, 0, nil)
        if !request.headers.contains(where: { $0.isNamed("Want-Repr-Digest") }) {
            request.headers.append(HeaderField(name: "Want-Repr-Digest", value: "sha-256=2, sha-512=1"))
        }
        return request
    }
}
