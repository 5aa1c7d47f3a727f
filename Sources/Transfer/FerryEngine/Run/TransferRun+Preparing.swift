import FerryCore
import FerryRules
import Foundation
import Synchronization

extension TransferRun {
    /// Stores a body from position 0.
    ///
    /// - Returns: The outcome if the head alone decides it (conflict policy `skip`) or the body completed the file.
    func start(_ body: AcceptedBody, _ answer: Answer, _ variant: RequestVariant) async throws(ServiceError) -> Outcome
        .Success?
    {
        let coding = try coding(of: answer)
        var body = body
        if coding != nil { body.becomeDecoded() }
        var isGathered = false
        do throws(ServiceError) {
            try await accept(body, answer, variant)
            isGathered = coding == nil && isSmall(body)
            if !isGathered, let success = try await makeFile(of: body.completeLength) {
                await answer.exchange.close()
                return success
            }
        } catch {
            await answer.exchange.close()
            throw error
        }
        let length = body.completeLength
        let end = body.end ?? length
        job.progress.received.store(0, ordering: .relaxed)
        job.progress.expected.store(length ?? -1, ordering: .relaxed)
        if !isGathered, coding == nil, let length, mayShare(answer, length: length, from: 0) {
            try await receiveTogether(answer, from: 0, until: end ?? length, length: length)
            guard facts.ranges.contains(0..<length) else { return nil }
            return try await finish()
        }
        dropEarlyConnections()
        if isGathered { return try await receiveSmall(body, answer) }
        try await receive(
            answer, from: 0, until: end, completeLength: length, coding: coding)
        if length != nil, end == length {
            // The complete body was received, whichever part of the resource it is.
            return try await finish()
        }
        if length == nil, body.end == nil {
            // The end of a complete body is the end of the file. The end of a part says nothing about it.
            let received = facts.ranges.upperBound
            facts.identity?.completeLength = received
            facts.lengthVerified = body.framing != .untilClose || job.request.response.expectedSize != nil
            return try await finish()
        }
        return nil
    }

    /// Continues at an offset of the partial file.
    func proceed(
        at offset: Int64, until: Int64, identity: ResourceIdentity, _ answer: Answer
    ) async throws(ServiceError) {
        do throws(ServiceError) {
            guard partial != nil else { throw ServiceError(.partialLost, "The partial file is gone.") }
            let lacksResponse = keepsResponse && (facts.response.map(isRefusal) ?? true)
            // The file changes from here on. After a crash this must not look like a change by another program.
            let isSealed = facts.stamp != nil
            facts.stamp = nil
            if facts.identity != identity || !facts.joined || lacksResponse || isSealed {
                facts.identity = identity
                facts.joined = true
                facts.noteWay(answer.course)
                if lacksResponse { noteResponse(answer.head, answer.url) }
                try await record()
            }
            try await checkSpace(missing: (identity.completeLength ?? until) - facts.ranges.byteCount)
        } catch {
            await answer.exchange.close()
            throw error
        }
        job.progress.received.store(facts.ranges.byteCount, ordering: .relaxed)
        job.progress.expected.store(identity.completeLength ?? -1, ordering: .relaxed)
        if let length = identity.completeLength, mayShare(answer, length: length, from: offset) {
            return try await receiveTogether(answer, from: offset, until: until, length: length)
        }
        dropEarlyConnections()
        try await receive(
            answer, from: offset, until: until, completeLength: identity.completeLength)
    }

    // MARK: -

    /// Discards the bytes on disk and fixes the name (docs/behaviour/transfers.md#D1, step 2).
    private func accept(_ body: AcceptedBody, _ answer: Answer, _ variant: RequestVariant) async throws(ServiceError) {
        reached(.headAccepted)
        if !facts.ranges.isEmpty || facts.identity != nil || facts.needsTruncation {
            // An attempt that stored nothing discards nothing, so there is nothing to report.
            let reason = variant.restart ?? body.restart
            facts.startOver(note: reason?.note, isSameVersion: reason?.isOtherVersion != true)
            if partial != nil || facts.partial != nil {
                try await record()
                reached(.restartCommitted)
            }
        }
        if keepsResponse { noteResponse(answer.head, answer.url) }
        facts.accept(body, answer.head, answer.course, for: job, original: try sources.original.get())
    }

    /// Creates the partial file and records its facts (docs/behaviour/transfers.md#D1, step 3).
    ///
    /// - Parameter length: The file's length in bytes, or `nil` while it is unknown.
    /// - Returns: The outcome if the name alone decides it (conflict policy `skip`).
    func makeFile(of length: Int64?) async throws(ServiceError) -> Outcome.Success? {
        let folder = try await openDestinationFolder()
        facts.stamp = nil
        if partial == nil {
            let id = job.id
            let home = try await openPartialFolder() ?? folder
            partial = try await onDisk { system throws(DiskError) in
                try PartialFile.create(for: id, in: home, disk: system)
            }
            facts.partial = partial?.facts
            reached(.partialMade)
        } else if facts.needsTruncation, let partial {
            try await onDisk { _ throws(DiskError) in try partial.truncate() }
        }
        facts.needsTruncation = false
        if let success = try await claimDestination(in: folder, keepsBytes: job.request.file.partialFolder != nil) {
            return success
        }
        reached(.identityCommitted)
        try await makeRoom(length)
        writes.digest.begin(Set(expectedDigests.map(\.algorithm)))
        return nil
    }

    /// Returns the content coding to decode. A part of coded content has none.
    ///
    /// - Throws: ``ServiceError`` with code `bad_response` for an unsupported coding.
    private func coding(of answer: Answer) throws(ServiceError) -> ContentDecoder.Coding? {
        guard job.request.response.decode, answer.head.status != 206, answer.course.method != "HEAD" else { return nil }
        do throws(ServiceError) {
            return try ContentDecoder.coding(of: answer.head)
        } catch {
            // A client that accepts every response as a result gets the encoded body.
            guard job.request.response.statusPolicy == .any else { throw error }
            return nil
        }
    }

    private var keepsResponse: Bool {
        job.request.note != nil || job.request.file.spooled || job.request.direction == .upload
            || job.request.response.acceptableStatuses != nil
    }

    private func noteResponse(_ head: ResponseHead, _ url: HTTPURL) {
        facts.response = ResponseFacts(
            url: url.withoutUserinfo.string, status: head.status, version: head.version, fields: head.fields)
    }

    /// Stores the head of a response that is not a result, for a caller that specified which ones are.
    func noteRefusal(_ head: ResponseHead, _ url: HTTPURL) {
        if let accepted = job.request.response.acceptableStatuses, !accepted.contains(head.status) {
            noteResponse(head, url)
        }
    }

    /// Returns whether a stored response is a refusal, not the one the bytes came with. A part of the requested range
    /// is no refusal.
    private func isRefusal(_ response: ResponseFacts) -> Bool {
        guard let accepted = job.request.response.acceptableStatuses else { return false }
        return response.status != 206 && !accepted.contains(response.status)
    }

    /// Mode bits to remove from the file and its folders.
    var umask: FileMask { job.request.file.umask ?? engine.configuration.umask }

    /// The mode of folders created for the file.
    var folderMode: UInt32 { Destination.folderMode(of: job.request, umask: umask) }

    /// Opens the destination folder: the request's, or a subfolder if the caller's name contains folders.
    func openDestinationFolder() async throws(ServiceError) -> OpenFile {
        let path = Destination.folder(of: job.request)
        let makes = job.request.file.createFolders
        let allowed = job.request.file.allowedFolders
        let mode = folderMode
        return try await onDisk { system throws(DiskError) in
            if makes { try system.makeFolders(path, mode: mode, allowed: allowed) }
            return try system.openFolder(path, allowed: allowed)
        }
    }

    /// Opens the partial file's folder, if the request names one.
    private func openPartialFolder() async throws(ServiceError) -> OpenFile? {
        guard let path = job.request.file.partialFolder else { return nil }
        let allowed = job.request.file.allowedFolders
        let mode = folderMode
        return try await onDisk { system throws(DiskError) in
            try system.makeFolders(path, mode: mode, allowed: allowed)
            return try system.openFolder(path, allowed: allowed)
        }
    }

    /// Checks before the first byte that the file can be placed, if its partial file is in another folder.
    func checkFolders() async throws(ServiceError) {
        guard let home = try await openPartialFolder() else { return }
        let place = try await openDestinationFolder()
        try await onDisk { system throws(DiskError) in
            for folder in [home, place] {
                guard let errno = system.writeObstacle(in: folder) else { continue }
                throw DiskError("Writing to the folder", folder.path, errno: errno)
            }
        }
    }

    /// Finds the destination by the conflict policy, and records it with all other facts in one commit.
    ///
    /// - Parameters:
    ///   - keepsBytes: Whether a taken name affects only the placement, which keeps all bytes.
    ///   - first: The number of the first name to try.
    /// - Returns: The outcome if the existing file stays, else `nil`.
    func claimDestination(
        in folder: OpenFile, keepsBytes: Bool, from first: Int = 0
    ) async throws(ServiceError) -> Outcome.Success? {
        let rule = ConflictRule(options.onConflict, at: keepsBytes ? .beforeFetchKeepingBytes : .beforeFetch)
        for candidate in rule.names(of: baseName, from: first) {
            let name = (candidate.number == 0 ? facts.destination?.lastPathPart : nil) ?? candidate.name
            let found = try await onDisk { system throws(DiskError) in try system.identity(of: name, in: folder) }
            let path = folder.path.appendingPathPart(name)
            switch rule.verdict(on: path, heldBy: found.holder) {
            case .useNextName: continue
            case .take: break
            case .keepExisting:
                try await dropPartialFile()
                return Outcome.Success(path: path, size: found?.size ?? 0, verified: [], unchanged: true)
            case .refuse(let error):
                try await dropPartialFile()
                throw error
            }
            facts.destination = path
            if try await journal.record(facts, of: job.id, isolation: self) { return nil }
            facts.destination = nil
            guard case .refuse(let error) = rule.verdict(on: path, heldBy: .transfer) else { continue }
            if !keepsBytes { try await dropPartialFile() }
            throw error
        }
        if !keepsBytes { try await dropPartialFile() }
        throw ConflictRule.exists(folder.path.appendingPathPart(baseName))
    }

    /// The name that gets a number if it is taken.
    var baseName: String { (facts.name ?? job.request.file.name ?? FileName.fallback).lastPathPart }

    /// Removes the partial file of a transfer that does not need it.
    func dropPartialFile() async throws(ServiceError) {
        partial = nil
        guard let recorded = facts.partial else { return }
        try await onDisk { system throws(DiskError) in try PartialFile.remove(recorded, disk: system) }
        facts.giveUpFile()
    }

    /// - Parameter length: `nil` if only the end of the body determines it.
    private func makeRoom(_ length: Int64?) async throws(ServiceError) {
        try await checkSpace(missing: length ?? 0)
        guard let length, length >= 1 << 20, let partial else { return }
        _ = try await onDisk { system throws(DiskError) in try system.allocate(partial.file, size: length) }
    }

    /// Checks the free disk space before the first byte, instead of filling the disk (docs/behaviour/transfers.md#L7).
    private func checkSpace(missing: Int64) async throws(ServiceError) {
        guard let partial, missing > 0 || job.reserve > 0 else { return }
        let free = try await onDisk { system throws(DiskError) in try system.freeSpace(of: partial.folder) }
        // Blocks reserved for this file by a previous attempt do not count as free.
        let reserved = facts.joined ? missing : 0
        let required = missing.addingSaturated(job.reserve)
        guard free.addingSaturated(reserved) < required else { return }
        var details = ErrorDetails(errno: ENOSPC)
        details.required = required
        details.available = free
        let reserve = job.reserve > 0 ? "; \(ByteText.of(job.reserve)) are kept free" : ""
        throw ServiceError(
            .diskFull,
            "\(ByteText.of(missing)) are needed in \(partial.folder.path.escapingControls), and "
                + "\(ByteText.of(free)) are free\(reserve).",
            details: details)
    }
}
