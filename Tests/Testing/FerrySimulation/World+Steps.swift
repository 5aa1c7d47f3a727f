import FerryCore
import FerryRules
import Foundation

@testable import FerryQueue
@testable import FerryService

/// The steps of a history.
extension World {
    /// Performs a step. Returns false if it does not apply.
    func perform(_ step: Step) -> Bool {
        guard happens(step) else { return false }
        scheduler.mix(UInt64(bitPattern: Int64(step.hashValue)))
        scheduler.comment("\(step)")
        return true
    }

    private func happens(_ step: Step) -> Bool {
        switch step {
        case .submit(let number, let wanted): return submit(number, 1, wanted) { try await $0.submit($1) }
        case .submitBatch(let number, let count, let wanted):
            return submit(number, count, wanted) { service, requests in
                _ = try await service.submit(TransferBatch(requests))
                return []
            }
        case .submitList(let number, let count, let wanted):
            return submit(number, count, wanted) { service, requests in
                guard var template = requests.first else { return [] }
                let urls = URLLines(requests.map(\.url))
                template.url = ""
                _ = try await service.submit(TransferBatch(template: template, urls: urls))
                return []
            }
        case .act(let action, let numbers): return act(action, numbers.compactMap { ledger[$0] })
        case .actOnAll(let action, let session): return actOnAll(action, Self.sessions[session])
        case .change(let number, let change): return self.change(number, change)
        case .settings(let active, let perHost): return changeSettings(active: active, perHost: perHost)
        case .session(let session, let limits): return changeSession(Self.sessions[session], limits)
        case .order(let session, let first): return reorder(Self.sessions[session], first: first)
        case .list(let session): return list(Self.sessions[session])
        case .answerChallenges: return answerChallenges()
        case .quit(let session): return quit(session)
        case .listen(let session, let isSlow): return listen(session, isSlow: isSlow)
        case .attach(let session, let isSlow): return attach(session, isSlow: isSlow)
        case .leave(let session): return leave(session)
        case .acknowledge(let session): return acknowledge(session)
        case .connect(let session): return connect(session)
        case .registerLaunch(let session): return registerLaunch(session)
        case .fillDisk(let commits): machine.fullCommits = commits
        case .breakJournal:
            guard service != nil, !isEnding else { return false }
            machine.breaksJournal = true
        case .pass(let seconds): scheduler.pass(Int64(seconds * 1000) * 1_000_000)
        case .setWallClock(let seconds): machine.setWallClock(by: seconds)
        case .networks(let networks):
            machine.networks = networks
            if let changed = process.conditionsChanged { scheduler.event(changed) }
        case .folders(let answer):
            guard machine.foldersAnswer != answer else { return false }
            machine.setFolders(answer: answer)
        case .kill(let reboots): kill(reboots: reboots)
        case .terminate:
            guard service != nil, !isEnding else { return false }
            terminate()
        }
        return true
    }

    /// Calls the service. The closure returns what the client knows from the response.
    private func call(
        _ ids: [TransferID], bulk session: SessionID? = nil,
        _ body: @escaping @Sendable (LocalTransferService) async throws -> [TransferID: Ledger.Known]
    ) -> Bool {
        guard let service, !isEnding else { return false }
        let life = life
        ledger.called(ids, bulk: session)
        task {
            let known = (try? await body(service)) ?? [:]
            guard life == self.life else { return }
            self.ledger.answered(ids, bulk: session, known)
        }
        return true
    }

    // MARK: Submissions

    private func submit(
        _ number: Int, _ count: Int, _ wanted: Wanted,
        _ body: @escaping @Sendable (LocalTransferService, [TransferRequest]) async throws -> [SubmissionResult]
    ) -> Bool {
        guard ledger[number] == nil, service != nil else { return false }
        let requests = (number..<number + count).map { request($0, wanted) }
        return call([]) { service in
            let results: [SubmissionResult]
            do {
                results = try await body(service, requests)
            } catch {
                // A process that is killed meanwhile may have stored them.
                if !self.process.isDead, self.service === service {
                    let stored = (number..<number + count).filter { self.ledger[$0] != nil }
                    self.require(stored.isEmpty, "\(stored) were refused, and are stored")
                }
                throw error
            }
            var known: [TransferID: Ledger.Known] = [:]
            for case .accepted(let transfer) in results { known[transfer.id] = .submitted }
            if results.isEmpty, self.service === service {
                for number in number..<number + count {
                    guard let id = self.ledger[number] else {
                        self.require(false, "number \(number) was submitted, and is not stored")
                        continue
                    }
                    known[id] = .submitted
                }
            }
            return known
        }
    }

    private func request(_ number: Int, _ wanted: Wanted) -> TransferRequest {
        var request = TransferRequest(url: "https://\(Self.hosts[wanted.host]).test/\(number)", folder: "/f")
        request.session = Self.sessions[wanted.session]
        request.timing.priority = wanted.isUrgent ? .high : .normal
        request.transport.network.waits = wanted.waitsForNetworks
        request.transport.network.allowsExpensive = wanted.allowsExpensive
        request.timing.paused = wanted.isPaused
        let now = machine.active(skew: 0).wall
        request.timing.notBefore = wanted.begins.map(now.addingTimeInterval)
        request.timing.resourceTimeout = wanted.timeout
        request.timing.deadline = wanted.deadline.map(now.addingTimeInterval)
        return request
    }

    // MARK: Actions

    private func act(_ action: TransferAction, _ ids: [TransferID]) -> Bool {
        guard !ids.isEmpty else { return false }
        let hold = ledger.lastHold
        let began = machine.elapsed
        // A run that an earlier action has left behind is not waited for again.
        let running = Set(ids.filter { id in runs[id] != nil && !isAbandoned(id) })
        return call(ids) { service in
            let results = try await service.act(action, on: TransferSelection(ids: ids))
            var known: [TransferID: Ledger.Known] = [:]
            for result in results { known[result.id] = Self.known(action, result) }
            if self.service === service { self.checkStops(action, results, of: running, since: began) }
            if self.service === service, action == .resume || action == .retry {
                // The end of a running attempt may come after the action.
                let begun = results.filter { $0.error == nil && !running.contains($0.id) }
                self.ledger.release(begun.map(\.id), through: hold)
            }
            return known
        }
    }

    /// An action that stops a transfer waits for its run, for three seconds at most.
    ///
    /// - Parameter running: The transfers that ran before it.
    private func checkStops(
        _ action: TransferAction, _ results: [ActionResult], of running: Set<TransferID>, since began: Double
    ) {
        guard [.pause, .cancel, .remove, .removeWithFile].contains(action), machine.elapsed - began < 2.99 else {
            return
        }
        for result in results where result.error == nil && !ledger.isShared(result.id) {
            require(
                !running.contains(result.id) || runs[result.id].map(\.hasReported) ?? true,
                "\(result.id) still runs, and the client was told that it was stopped")
        }
    }

    private func isAbandoned(_ id: TransferID) -> Bool {
        guard let service else { return false }
        return isolated(service) { $0.queue.running.disposition(of: id) == .isAbandoned }
    }

    private static func known(_ action: TransferAction, _ result: ActionResult) -> Ledger.Known? {
        guard result.error == nil else { return nil }
        switch action {
        case .pause: return result.state == .suspended ? .rests : nil
        case .resume, .retry: return result.state == .waiting || result.state == .running ? .runs : nil
        case .cancel: return result.state == .canceled ? .ends : nil
        case .remove, .removeWithFile: return .gone
        }
    }

    private func transfers(of session: SessionID) -> [TransferID] {
        rows.rows.ids(of: session, in: Set(JournalPhase.allCases))
    }

    private func actOnAll(_ action: SessionAction, _ session: SessionID) -> Bool {
        let ids = transfers(of: session)
        return call(ids, bulk: session) { service in
            let report = try await service.act(action, in: session, on: nil)
            guard self.service === service else { return [:] }
            let failed = Set(report.failures.map(\.id))
            var known: [TransferID: Ledger.Known] = [:]
            for id in ids where !failed.contains(id) {
                switch action {
                case .pause: known[id] = self.record(id)?.intent == .suspend ? .rests : nil
                case .start, .cancel: break
                case .remove, .removeWithFile: known[id] = .gone
                }
            }
            return known
        }
    }

    private func change(_ number: Int, _ change: Change) -> Bool {
        guard let id = ledger[number], let record = record(id) else { return false }
        var wanted = TransferChange()
        switch change {
        case .priority(let isUrgent): wanted.priority = isUrgent ? .high : .normal
        case .address: wanted.url = "https://\(Self.hosts[record.attempts % 2]).test/new/\(number)"
        case .begins(let seconds):
            wanted.notBefore = seconds.map(machine.active(skew: 0).wall.addingTimeInterval) ?? .distantPast
        case .network(let allowsExpensive):
            var network = record.request.transport.network
            network.allowsExpensive = allowsExpensive
            wanted.network = network
        }
        let asked = wanted
        ledger.told(id, address: nil)
        return call([id]) { service in
            _ = try await service.change(id, asked)
            if self.service === service, !self.ledger.isShared(id) { self.ledger.told(id, address: asked.url) }
            return [:]
        }
    }

    private func reorder(_ session: SessionID, first number: Int) -> Bool {
        guard let first = ledger[number] else { return false }
        let ids = [first] + transfers(of: session).reversed().filter { $0 != first }
        return call([], bulk: session) { service in
            try await service.reorder(session, TransferIDRuns(ids))
            return [:]
        }
    }

    private func list(_ session: SessionID) -> Bool {
        call([]) { service in
            var query = TransferQuery()
            query.session = session
            query.limit = 1000
            let page = try await service.transfers(query)
            for transfer in page.transfers where transfer.state == .running {
                self.require(!self.ledger.isKnownToRest(transfer.id), "\(transfer.id) is shown running, and rests")
            }
            return [:]
        }
    }

    /// Gives every transfer that waits for its client an answer.
    private func answerChallenges() -> Bool {
        let asking = rows.rows.ids(of: nil, in: [.pending]).filter { record($0)?.facts.challenge != nil }
        guard !asking.isEmpty else { return false }
        var answer = TransferChange()
        answer.trustAnswer = .performDefault
        let given = answer
        return call(asking) { service in
            for id in asking { _ = try? await service.change(id, given) }
            return [:]
        }
    }

    private func quit(_ session: Int) -> Bool {
        let id = Self.sessions[session]
        let ids = transfers(of: id)
        guard session > 0 else { return false }
        return call(ids, bulk: id) { service in
            let results = try await service.quit(.session(id))
            var known: [TransferID: Ledger.Known] = [:]
            for result in results where result.error == nil {
                known[result.id] = result.state == .suspended ? .rests : result.state == .canceled ? .ends : nil
            }
            return known
        }
    }

    // MARK: Settings

    private func changeSettings(active: Int, perHost: Int) -> Bool {
        guard let service, !isEnding else { return false }
        var change = ServiceSettingsChange()
        change.activeTransfers = active
        change.connectionsPerHost = perHost
        let (asked, life) = (change, life)
        ledger.settingsCalled()
        task {
            let settings = try? await service.changeSettings(asked)
            guard life == self.life else { return }
            self.ledger.settingsAnswered { if let settings { $0.told(settings) } }
        }
        return true
    }

    private func changeSession(_ id: SessionID, _ limits: Limits) -> Bool {
        guard let service, !isEnding else { return false }
        var settings = SessionSettings()
        settings.activeTransfers = limits.active
        settings.hostConnections = limits.perHost
        settings.inOrder = limits.inOrder
        if let allowsExpensive = limits.allowsExpensive {
            var network = NetworkPolicy()
            network.allowsExpensive = allowsExpensive
            settings.network = network
        }
        let (asked, life) = (settings, life)
        ledger.settingsCalled()
        task {
            let isChanged = (try? await service.changeSession(id, to: asked)) != nil
            guard life == self.life else { return }
            self.ledger.settingsAnswered { if isChanged { $0.told(id, asked) } }
        }
        return true
    }

    // MARK: Apps

    private func connect(_ session: Int) -> Bool {
        guard session > 0, let service, !isEnding else { return false }
        let (app, life) = (machine.startApp(), life)
        let name = String(Self.sessions[session].description.prefix(3))
        let connection = ApplicationConnection(application: name, process: app, launchedFor: nil)
        task {
            guard let signals = try? await service.connect(connection) else { return }
            var iterator = signals.makeAsyncIterator()
            while life == self.life, let signal = try? await iterator.next() {
                if case .handleEvents = signal {
                    _ = self.attach(session, isSlow: false, launched: nil)
                    return
                }
            }
        }
        return true
    }

    private func registerLaunch(_ session: Int) -> Bool {
        let name = String(Self.sessions[session].description.prefix(3))
        let command = LaunchCommand(arguments: ["/bin/true"], workingFolder: "/f", environment: [:])
        return call([]) { service in
            try await service.registerLaunchCommand(command, of: name)
            return [:]
        }
    }
}
