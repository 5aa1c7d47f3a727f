// Ferry: FerryEngine
// Several URLs of one file.

import FerryCore
import Foundation

extension TransferRun {
    /// Where extra workers may ask: where the first answer came from, and the other URLs that nothing speaks against.
    func places(from course: RequestCourse) throws(TransferError) -> [CrewSource] {
        let present = sources.current
        var places = [CrewSource(number: present, course: course, rank: sources.rank(of: present), isProven: true)]
        for number in sources.others {
            let other = try shared.course(from: sources.url(of: number))
            places.append(CrewSource(number: number, course: other, rank: sources.rank(of: number), isProven: false))
        }
        return places
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
        guard let note = sources.drop(number, reason), !facts.notes.contains(note) else { return }
        facts.notes.append(note)
    }

    // MARK: In turn

    /// Whether another URL may bring what one has failed with.
    func mayAskAnother(after error: TransferError) -> Bool {
        !end.isStopping && writes.fault == nil && end.challenge == nil && raw == nil && job.request.body == nil
            && error.code.row.subject.letsMirrorTry
    }

    /// Why an answer of a mirror is not taken; the mirror is asked no more.
    func objection(to answer: Answer, before error: TransferError?) -> TransferError? {
        let objection = sources.objection(
            to: answer, known: facts.identity?.completeLength ?? job.request.expectedSize,
            hasBytes: !facts.ranges.isEmpty, before: error)
        guard let objection else { return nil }
        dropSource(sources.current, objection.reason)
        return objection.error
    }
}
