import FerryCore
import FerryRules
import NIOCore

/// A complete body in memory, on its way to its name.
struct SmallBody {
    let job: TransferJob
    let bytes: ByteBuffer

    var size: Int64 { Int64(bytes.readableBytes) }

    /// Compares the body with the digests that the complete file must have.
    func judge(_ expected: [Checksum]) -> JudgedDigests {
        JudgedDigests(Self.digest(Set(expected.map(\.algorithm)), of: bytes)?.finalize() ?? [], expected: expected)
    }

    static func digest(_ algorithms: Set<DigestAlgorithm>, of bytes: ByteBuffer) -> RunningDigest? {
        guard !algorithms.isEmpty else { return nil }
        var digest = RunningDigest(algorithms)
        unsafe bytes.withUnsafeReadableBytes { unsafe digest.update($0) }
        return digest
    }

    /// Returns the file to create and place in a batch with others.
    ///
    /// - Parameter engine: Its mask applies if the request has none.
    func file(
        isolation: isolated (any Actor)? = #isolation, _ facts: Boxed<TransferFacts>, _ options: RunOptions,
        _ judged: JudgedDigests, of engine: Engine, journal: any FactsJournal
    ) async -> SmallFiles.File {
        let folder = Destination.folder(of: job.request)
        let umask = engine.configuration.umask
        var attributes = PlacedAttributes(job.request, facts.wrappedValue, options, umask: umask)
        attributes.mode = await engine.places.newFileMode(in: folder) ?? attributes.mode
        return SmallFiles.File(
            id: job.id, bytes: bytes, known: facts, folder: folder, makesFolder: job.request.file.createFolders,
            folderMode: Destination.folderMode(of: job.request, umask: umask),
            allowedFolders: job.request.file.allowedFolders, device: engine.places.submittedDevice(of: folder),
            rule: options.placementRule, attributes: attributes, verified: judged.verified, reserve: job.reserve,
            journal: journal)
    }

    /// Returns the outcome of the placed file. More digests may have been requested while it was being placed.
    ///
    /// - Parameter judged: The digests compared before.
    func success(_ facts: TransferFacts, _ options: RunOptions, _ judged: JudgedDigests) -> Outcome.Success {
        let isJudged = options.onMismatch == .fail || judged.cover(options.checksums)
        let final = isJudged ? judged : judge(options.expectedDigests(with: facts))
        return Outcome.Success(
            path: facts.destination ?? "", size: size, verified: final.verified, mismatched: final.mismatched,
            lengthVerified: facts.lengthVerified)
    }
}

extension RunOptions {
    /// Returns the digests that the complete file must have: the caller's and the server's.
    func expectedDigests(with facts: TransferFacts) -> [Checksum] { checksums + (facts.identity?.reprDigests ?? []) }
}

extension PlacedAttributes {
    init(_ request: TransferRequest, _ facts: TransferFacts, _ options: RunOptions, umask: FileMask) {
        self.init(
            keepsMode: options.placementRule.replaces, mode: (request.file.umask ?? umask).applied(to: 0o666),
            modified: request.file.remoteTime ? facts.identity?.lastModified.flatMap(HTTPDate.parse) : nil,
            origin: request.file.originAttribute ? facts.redirects.last ?? facts.finalURL : nil)
    }
}
