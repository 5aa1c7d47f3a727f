// Ferry: FerryEngine
// Several URLs of one file.

import FerryCore
import Foundation

extension TransferRun {
    /// Where extra workers may ask: where the first answer came from, and the other URLs that nothing speaks against.
    func sources(from course: RequestCourse) throws(TransferError) -> [CrewSource] {
        var sources = [CrewSource(number: source, course: course, rank: ranks[source], isProven: true)]
        for number in 0...job.request.mirrors.count where number != source && !failedSources.contains(number) {
            sources.append(
                CrewSource(number: number, course: try self.course(of: number), rank: ranks[number], isProven: false))
        }
        return sources
    }

    /// Chooses where a new worker asks, and takes a connection for it, an open one if there is one; nil if there is none to
    /// be had.
    func claimSource(_ crew: Crew, now: Double) -> (source: Int, connection: EarlyConnection?)? {
        var workers: [Int: Int] = [:]
        for member in crew.members.values { workers[member.source, default: 0] += 1 }
        let usable = crew.sources.indices.filter { index in
            let source = crew.sources[index]
            if index == 0 { return facts.unusableParts ?? 0 < SegmentRule.refusals }
            return !source.isDropped && !source.rank.rests(now: now) && (source.isProven || workers[index] == nil)
        }
        let ranks = usable.map { (crew.sources[$0].rank, workers[$0, default: 0]) }
        for index in SourceRank.order(ranks).map({ usable[$0] }) {
            let origin = crew.sources[index].course.url.origin
            if let connection = early.take(origin) { return (index, connection) }
            if engine.budget.claim(origin, wanted: wishes.connections) { return (index, nil) }
        }
        return nil
    }

    /// Takes note that a worker got no usable part where it asked.
    ///
    /// A mirror that has another file is asked no more; where the first answer came from, two of these end all extra
    /// requests, and that one goes on alone (docs/behaviour/transfers.md#S9).
    func noteUnusable(_ worker: Int, _ reason: String) {
        guard let index = crew?.members[worker]?.source, index > 0 else {
            facts.unusableParts = (facts.unusableParts ?? 0) + 1
            return
        }
        guard let number = crew?.sources[index].number, crew?.sources[index].isDropped == false else { return }
        crew?.sources[index].isDropped = true
        dropSource(number, reason)
    }

    /// Asks a URL no more in this try, and says so.
    func dropSource(_ number: Int, _ reason: String) {
        failedSources.insert(number)
        guard number > 0, let url = try? HTTPURL(parsing: job.request.mirrors[number - 1]) else { return }
        let note = "mirror \(url.redacted) dropped: \(reason)"
        if !facts.notes.contains(note) { facts.notes.append(note) }
    }

    // MARK: In turn

    /// The next URL to try after one has failed; nil if there is none, or if another would not help.
    func nextSource(after error: TransferError) -> Int? {
        guard !isStopping, checkpointError == nil, pendingChallenge == nil, raw == nil, job.request.body == nil else {
            return nil
        }
        guard error.code.row.subject.letsMirrorTry else { return nil }
        failedSources.insert(source)
        return (0...job.request.mirrors.count).first { !failedSources.contains($0) }
    }

    /// Why an answer of a mirror is not taken: it is of another file, or would cost bytes that the first URL can still
    /// continue.
    func objection(to answer: Answer, before error: TransferError?) -> TransferError? {
        guard source > 0 else { return nil }
        let isWhole = answer.head.status == 200 || answer.head.status == 206
        if isWhole, let known = facts.identity?.completeLength ?? job.request.expectedSize,
            let length = answer.head.completeLength, length != known
        {
            dropSource(source, "its file has another length")
            return TransferError(.resourceChanged, "A mirror's file has \(length) bytes, not \(known).")
        }
        switch answer.verdict.decision {
        case .start, .restart:
            guard !facts.ranges.isEmpty, error?.errorClass != .final else { return nil }
            dropSource(source, "its file is another version")
            return error ?? TransferError(.resourceChanged, "A mirror's file is another version.")
        default: return nil
        }
    }
}
