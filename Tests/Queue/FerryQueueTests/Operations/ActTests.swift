import FerryCore
import FerryRules
import Foundation
import Testing

@testable import FerryQueue

/// A queue and a journal that perform the steps of actions.
private struct ActBed {
    var queue: Queue
    let journal = MemoryJournal()
    let moment: Moment
    /// The names of the steps so far.
    var steps: [String] = []
    var effects: [Effect] = []
    /// Called before each step, for what happens meanwhile.
    var meanwhile: (Act.Step, inout Queue) -> Void = { _, _ in }
    /// Whether a step fails, by its name.
    var fails: (String) -> Bool = { _ in false }
    var storesOutcomes = true
    /// Whether the removal of files ends before the action.
    var releasesFinished = true

    /// Stores records and queues the ones to run.
    init(
        _ queue: Queue, _ records: [TransferRecord], _ conditions: ConditionReport, at moment: Moment
    ) async throws {
        self.queue = queue
        self.moment = moment
        try await journal.commit { transaction throws(ServiceError) in
            for record in records { try transaction.insert(record) }
        }
        for record in records where record.isEligible {
            _ = self.queue.take(.eligible(Input.Eligible(record: record)), at: moment)
        }
        for case .start(let id, _) in self.queue.take(.conditions(conditions), at: moment) {
            for record in records where record.id == id { _ = self.queue.take(.began(id, record), at: moment) }
        }
    }

    func record(_ id: TransferID) async throws -> TransferRecord? {
        try await journal.read { reader throws(ServiceError) in try reader.record(id) }
    }

    mutating func act(_ command: TransferCommand, _ ids: [TransferID], _ scope: Act.Scope = .named) async -> Act {
        var input = Input.act(Act(command, on: ids, scope))
        while true {
            let taken = queue.take(input, at: moment)
            effects += taken
            guard case .act(let ticket, let step)? = taken.last else {
                Issue.record("no next step")
                return Act(command, on: ids, scope)
            }
            if case .answer(let done) = step { return done }
            let name = Self.name(step)
            steps.append(name)
            meanwhile(step, &queue)
            do throws(ServiceError) {
                if fails(name) { throw ServiceError(.diskFull, "Full.") }
                let news = try await perform(step)
                if releasesFinished, case .finished = news { effects += queue.take(.release(held, .files), at: moment) }
                input = .acted(news, ticket)
            } catch {
                input = .acted(.failed(error), ticket)
            }
        }
    }

    private static func name(_ step: Act.Step) -> String {
        String("\(step)".prefix { $0 != "(" })
    }

    private func perform(_ step: Act.Step) async throws(ServiceError) -> Act.News {
        switch step {
        case .cancel(let ended):
            return .canceled(storesOutcomes ? Set(ended.map(\.record.id)) : [])
        case .inspect: return .inspected([:])
        case .commit(let commit):
            return .committed(
                try await journal.commit { transaction throws(ServiceError) in try commit.perform(in: transaction) })
        case .publish, .answer: return .published
        case .awaitReleases: return .released
        case .awaitRuns(let ids): return .waited(late: Set(ids.filter(queue.isBusy)))
        case .read(let ids):
            return .read(try await journal.read { reader throws(ServiceError) in try reader.records(ids) })
        case .finishCancel(let records):
            return .finished(releasesFinished ? records.map { ActionResult(id: $0.id, state: .canceled) } : [])
        case .finishRemoval(let records): return .finished(records.map { ActionResult(id: $0.id) })
        case .remove: return .finished([])
        }
    }

    /// Transfers whose files are being removed.
    private var held: [TransferID] {
        (1...9).map { TransferID(rawValue: $0) }.filter { queue.held.contains($0, for: .files) }
    }
}

/// Actions, from the call to the answer.
extension `The queue` {
    private func bed(_ records: [TransferRecord], active: Int = 1) async throws -> ActBed {
        try await ActBed(queue(active: active), records, report(), at: moment())
    }

    private func suspended(_ number: Int) -> TransferRecord {
        var record = record(number)
        record.intent = .suspend
        return record
    }

    /// Ends the attempts that are waited for.
    private func endRuns(_ step: Act.Step, _ queue: inout Queue) {
        guard case .awaitRuns(let ids) = step else { return }
        for id in ids { _ = queue.take(.ended(id, nil), at: moment()) }
    }

    @Test func `pauses a waiting transfer with one commit`() async throws {
        var bed = try await bed([record(1), record(2)])
        let done = await bed.act(.pause, [id(2)])
        #expect(bed.steps == ["commit", "publish"])
        #expect(done.records[id(2)]?.intent == .suspend && done.results.isEmpty)
        #expect(bed.queue.waitingTransfers.count == 0 && bed.effects.stopped == [])
    }

    @Test func `stops a running transfer once, and answers with its record after the run`() async throws {
        var bed = try await bed([record(1)])
        bed.meanwhile = endRuns
        let done = await bed.act(.pause, [id(1)])
        #expect(bed.steps == ["commit", "publish", "awaitRuns", "read"])
        #expect(bed.effects.stopped == [id(1)] && done.records[id(1)]?.intent == .suspend)
        #expect(!bed.queue.running.contains(id(1)))
    }

    @Test(arguments: [TransferCommand.cancel, .forget(file: false, sparesSucceeded: false)])
    func `waits again for a transfer that an outdated record has started meanwhile`(
        command: TransferCommand
    ) async throws {
        var bed = try await bed([record(1)])
        var isStarted = false
        bed.meanwhile = { step, queue in
            endRuns(step, &queue)
            guard case .read = step, !isStarted else { return }
            isStarted = true
            _ = queue.take(.eligible(Input.Eligible(record: record(1))), at: moment())
            _ = queue.take(.schedule, at: moment())
            #expect(queue.running.contains(id(1)))
        }
        let done = await bed.act(command, [id(1)])
        #expect(isStarted && bed.steps.filter { $0 == "awaitRuns" }.count == 2)
        #expect(bed.steps.contains(command == .cancel ? "finishCancel" : "finishRemoval"))
        #expect(done.results[id(1)]?.error == nil && !bed.queue.isBusy(id(1)))
    }

    @Test func `waits for the slot of a transfer that has just failed, before it is handed over`() async throws {
        var failed = record(1)
        failed.outcome = .failed(ServiceError(.connectionLost, ""))
        var bed = try await bed([record(1)])
        let stored = failed
        try await bed.journal.commit { transaction throws(ServiceError) in
            _ = try transaction.finish(StoredEnd(TransferEnd(record(1), stored.outcome ?? .canceled, at: Date())))
        }
        bed.meanwhile = endRuns
        let done = await bed.act(.pause, [id(1)], .stopped)
        #expect(bed.steps.contains("awaitRuns") && done.results.isEmpty && done.held == [id(1)])
    }

    @Test func `answers while a run has not ended, and waits for it only once`() async throws {
        var bed = try await bed([record(1)])
        _ = await bed.act(.pause, [id(1)])
        #expect(bed.queue.running.disposition(of: id(1)) == .isAbandoned)
        bed.steps = []
        let again = await bed.act(.pause, [id(1)])
        #expect(bed.steps == ["commit"] && again.records[id(1)]?.intent == .suspend)
    }

    @Test func `stops transfers without an event for what ends them, and reports the runs that do not stop`()
        async throws
    {
        var canceled = record(4)
        canceled.intent = .cancel
        let ids = [id(1), id(2), id(3), id(4), id(5)]
        var bed = try await bed([record(1), record(2), suspended(3), canceled], active: 2)
        bed.meanwhile = { step, queue in
            if case .awaitRuns = step { _ = queue.take(.ended(self.id(1), nil), at: self.moment()) }
        }
        let done = await bed.act(.pause, ids, .stopped)
        #expect(bed.steps == ["commit", "awaitRuns", "read"] && Set(bed.effects.stopped) == [id(1), id(2)])
        #expect(done.records.values.count { $0.intent == .suspend } == 3 && done.records[id(4)]?.intent == .cancel)
        #expect(done.results.mapValues(\.error?.code) == [id(2): .diskIO, id(5): .unknownTransfer])
        // A run that was left behind is waited for again.
        bed.steps = []
        bed.meanwhile = endRuns
        let again = await bed.act(.pause, [id(2)], .stopped)
        #expect(bed.steps == ["commit", "awaitRuns", "read"] && again.results.isEmpty)
        #expect(done.held == [id(1), id(3), id(4)] && again.held == [id(2)])
        #expect([1, 2, 3, 4].allSatisfy { bed.queue.held.contains(id($0), for: .files) })
    }

    @Test(arguments: [TransferCommand.resume, .start])
    func `starts a stopping transfer again once its run has ended`(command: TransferCommand) async throws {
        var bed = try await bed([record(1)])
        _ = await bed.act(.pause, [id(1)])
        bed.steps = []
        bed.meanwhile = endRuns
        let done = await bed.act(command, [id(1)])
        #expect(bed.steps == ["commit", "awaitRuns", "commit", "publish"])
        #expect(done.records[id(1)]?.intent == .run && bed.queue.waitingTransfers.count == 1)
    }

    @Test func `refuses to start a transfer whose run does not end`() async throws {
        var bed = try await bed([record(1), suspended(2)])
        _ = await bed.act(.pause, [id(1)])
        let done = await bed.act(.start, [id(1), id(2)])
        #expect(done.results[id(1)]?.error?.code == .diskIO && done.results[id(2)] == nil)
        #expect(try await bed.record(id(1))?.intent == .suspend)
        #expect(try await bed.record(id(2))?.intent == .run)
    }

    /// A regression of its first version: the slots stayed idle until the other transfer's run had ended.
    @Test(arguments: [true, false]) func `gives slots to started transfers while others wait for their runs`(
        isSession: Bool
    ) async throws {
        var bed = try await bed([record(1), suspended(2)], active: 2)
        _ = await bed.act(.pause, [id(1)])
        (bed.steps, bed.effects) = ([], [])
        _ = await bed.act(.start, [id(1), id(2)], isSession ? .session(.cli, isNamed: false) : .named)
        #expect(bed.steps.contains("awaitRuns") && bed.effects.plansSchedule)
    }

    @Test(arguments: [true, false]) func `starts the transfers of a session once their runs have ended`(
        isStuck: Bool
    ) async throws {
        var bed = try await bed([record(1), suspended(2)])
        _ = await bed.act(.pause, [id(1)], .session(.cli, isNamed: false))
        #expect(bed.queue.running.disposition(of: id(1)) == .isAbandoned)
        if !isStuck { bed.meanwhile = endRuns }
        let done = await bed.act(.start, [id(1), id(2)], .session(.cli, isNamed: false))
        #expect(done.results[id(1)]?.error?.code == (isStuck ? .diskIO : nil) && done.results[id(2)] == nil)
        #expect(try await bed.record(id(1))?.intent == (isStuck ? .suspend : .run))
        #expect(bed.queue.waitingTransfers.count == (isStuck ? 1 : 2) && done.error == nil)
    }

    @Test func `asks a throttling server again on the user's command`() async throws {
        let origin = try HTTPURL(parsing: "https://a.test/1").origin
        for command in [TransferCommand.resume, .start] {
            var bed = try await bed([record(1)])
            _ = bed.queue.take(.held(origin, seconds: 60, id(1)), at: moment())
            _ = bed.queue.take(.ended(id(1), NextAttempt(record: record(1), delay: 0, reason: .retry)), at: moment())
            #expect(bed.queue.take(.schedule, at: moment()).started == [])
            _ = await bed.act(command, [id(1)])
            #expect(bed.queue.take(.schedule, at: moment()).started == [id(1)])
        }
    }

    // MARK: Ends

    @Test func `cancels the transfers of a page that never ran without a commit of their intent`() async throws {
        let records = [record(1), record(2), record(3)]
        var bed = try await bed(records)
        bed.meanwhile = endRuns
        let done = await bed.act(.cancel, records.map(\.id), .page(records))
        #expect(bed.steps == ["cancel", "commit", "awaitRuns", "read", "finishCancel"])
        #expect(records.allSatisfy { done.results[$0.id]?.state == .canceled })
        #expect(try await bed.record(id(1))?.intent == .cancel)
        #expect(try await bed.record(id(2))?.intent == .run, "its outcome is what is stored")
        #expect(bed.queue.waitingTransfers.count == 0)
    }

    /// An earlier process may have created a file and ended before it recorded that.
    @Test func `looks for the files of a canceled transfer that an earlier process may have run`() async throws {
        let queue = Queue(ServiceSettings(), KnownConditions { _ in false }, lastID: id(1), lookAhead: 60)
        let records = [suspended(1), suspended(2)]
        var bed = try await ActBed(queue, records, report(), at: moment())
        var finished: [TransferID] = []
        bed.meanwhile = { step, _ in
            if case .finishCancel(let records) = step { finished += records.map(\.id) }
        }
        _ = await bed.act(.cancel, records.map(\.id), .page(records))
        #expect(finished == [id(1)])
    }

    @Test(arguments: [true, false])
    func `leaves a transfer in its place whose end cannot be stored`(isSession: Bool) async throws {
        let records = [record(1), record(2)]
        var bed = try await bed(records, active: 0)
        (bed.fails, bed.storesOutcomes) = ({ $0 == "commit" }, false)
        var started: [TransferID] = []
        bed.meanwhile = { _, queue in
            started += queue.take(.settings(ServiceSettings(), self.report()), at: self.moment()).started
        }
        let scope = isSession ? Act.Scope.session(.cli, isNamed: true) : .page(records)
        let command = isSession ? TransferCommand.forget(file: false, sparesSucceeded: false) : .cancel
        let done = await bed.act(command, records.map(\.id), scope)
        #expect(started.isEmpty, "none may start while its end is stored")
        #expect(bed.queue.waitingTransfers.count == 2 && done.results.count == 2)
        #expect(bed.queue.take(.schedule, at: moment()).started == records.map(\.id))
        #expect((done.error?.code == .diskFull) == isSession)
    }

    @Test func `removes a finished transfer without files in one commit`() async throws {
        var ended = record(1)
        ended.outcome = .canceled
        var bed = try await bed([ended])
        let done = await bed.act(.forget(file: false, sparesSucceeded: false), [id(1)], .page([ended]))
        #expect(bed.steps == ["commit", "publish"] && done.results[id(1)]?.error == nil)
        #expect(try await bed.record(id(1)) == nil)
    }

    @Test func `removes a page of several sessions in one commit, and then those with files`() async throws {
        var records = (1...4).map { record($0) }
        for index in records.indices { records[index].outcome = .canceled }
        records[1].request.session = try SessionID("other")
        records[2].facts.partial = PartialFacts(
            folder: "/d", name: "a.partial", device: 1, inode: 2, folderDevice: 1, folderInode: 3)
        // Another action has removed the last one since the page was read.
        var bed = try await bed(Array(records.prefix(3)))
        let done = await bed.act(.forget(file: false, sparesSucceeded: false), records.map(\.id), .page(records))
        #expect(bed.steps == ["commit", "publish", "read", "finishRemoval"])
        #expect(done.results.count == 4 && done.results[id(4)]?.error?.code == .unknownTransfer)
        #expect((1...3).allSatisfy { done.results[id($0)]?.error == nil })
        var left: [TransferRecord] = []
        for record in records { if let found = try await bed.record(record.id) { left.append(found) } }
        #expect(left.map(\.id) == [id(3)] && left.first?.intent == .remove)
    }

    @Test(arguments: [TransferCommand.pause, .cancel])
    func `answers a stored pause, and no other stop, where the record cannot be read afterwards`(
        command: TransferCommand
    ) async throws {
        var bed = try await bed([record(1)])
        bed.fails = { $0 == "read" }
        bed.meanwhile = endRuns
        let done = await bed.act(command, [id(1)])
        #expect((done.results[id(1)]?.error == nil) == (command == .pause))
        #expect(!bed.steps.contains("finishCancel"))
    }

    /// Another action removes the files of the transfer, and its removal by this one must not be lost.
    @Test func `waits for another operation on a transfer, and then finishes its own`() async throws {
        var canceled = record(1)
        canceled.intent = .cancel
        var bed = try await bed([canceled])
        _ = bed.queue.take(.hold([id(1)], .files), at: moment())
        bed.meanwhile = { step, queue in
            if case .awaitRuns = step { _ = queue.take(.release([self.id(1)], .files), at: self.moment()) }
        }
        _ = await bed.act(.forget(file: false, sparesSucceeded: false), [id(1)])
        #expect(bed.steps == ["commit", "awaitRuns", "read", "finishRemoval"])
    }

    /// The journal's order and that of its answers may differ.
    @Test func `commits a command on each transfer only after the last one is known`() async throws {
        var bed = try await bed([record(1), record(2), record(3)])
        _ = bed.queue.take(.hold([id(2)], .commit), at: moment())
        var committed: [[TransferID]] = []
        bed.meanwhile = { step, queue in
            if case .commit(let commit) = step { committed.append(commit.ids) }
            if case .awaitReleases(let ids) = step { _ = queue.take(.release(ids, .commit), at: self.moment()) }
        }
        _ = await bed.act(.pause, [id(2), id(3)])
        #expect(committed == [[id(3)], [id(2)]])
        #expect(bed.steps == ["commit", "publish", "awaitReleases", "commit", "publish"])
    }

    @Test func `stores no outcome of a transfer while another commit on it is in progress`() async throws {
        let records = [suspended(1), suspended(2)]
        var bed = try await bed(records)
        _ = bed.queue.take(.hold([id(2)], .commit), at: moment())
        var canceled: [TransferID] = []
        bed.meanwhile = { step, queue in
            if case .cancel(let ended) = step { canceled += ended.map(\.record.id) }
            if case .awaitReleases(let ids) = step { _ = queue.take(.release(ids, .commit), at: self.moment()) }
        }
        _ = await bed.act(.cancel, records.map(\.id), .page(records))
        #expect(canceled == [id(1)])
        #expect(bed.steps == ["cancel", "awaitReleases", "commit", "finishCancel"])
    }

    @Test func `reads a transfer again whose files are not removed in time, and keeps it held`() async throws {
        var bed = try await bed([suspended(1)])
        bed.releasesFinished = false
        let done = await bed.act(.cancel, [id(1)])
        #expect(bed.steps == ["commit", "finishCancel", "read"])
        #expect(done.results.isEmpty && done.records[id(1)]?.intent == .cancel && bed.queue.held.contains(id(1)))
        // A start waits for it.
        bed.steps = []
        let started = await bed.act(.start, [id(1)])
        #expect(bed.steps == ["commit", "awaitRuns"] && started.results[id(1)]?.error?.code == .diskIO)
    }

    @Test(arguments: [true, false]) func `finishes the removals that were committed before one that cannot be`(
        isSession: Bool
    ) async throws {
        var bed = try await bed([suspended(1), suspended(2)])
        _ = bed.queue.take(.hold([id(2)], .commit), at: moment())
        var commits = 0
        bed.meanwhile = { step, queue in
            if case .awaitReleases(let ids) = step { _ = queue.take(.release(ids, .commit), at: self.moment()) }
            if case .commit = step { commits += 1 }
        }
        bed.fails = { $0 == "commit" && commits == 2 }
        let scope = isSession ? Act.Scope.session(.cli, isNamed: false) : .named
        let done = await bed.act(.forget(file: false, sparesSucceeded: false), [id(1), id(2)], scope)
        let end = isSession ? ["commit", "publish"] : ["commit", "awaitReleases", "commit", "finishRemoval"]
        #expect(bed.steps.prefix(end.count) == end[...])
        #expect(done.results[id(2)]?.error?.code == .diskFull && done.results[id(1)]?.error == nil)
    }

    @Test func `holds new transfers until they are queued`() async throws {
        var bed = try await bed([suspended(1), suspended(2)])
        _ = bed.queue.take(.storing(id(1)...id(2)), at: moment())
        bed.meanwhile = { step, queue in
            if case .awaitReleases = step { _ = queue.take(.queued(self.id(1)...self.id(2)), at: self.moment()) }
        }
        _ = await bed.act(.resume, [id(2)])
        #expect(bed.steps == ["awaitReleases", "commit", "publish"] && !bed.queue.held.contains(id(1)))
    }

    @Test func `names the transfers that do not exist`() async throws {
        var bed = try await bed([record(1)])
        let done = await bed.act(.resume, [id(1), id(7)])
        #expect(done.results[id(7)]?.error?.code == .unknownTransfer && done.results[id(1)] == nil)
    }
}
