import FerryAPI
import FerryClient
import FerryCore
import FerryFoundation

/// Answers the messages of one browser extension until the browser closes the input.
///
/// No network is involved: the browser starts this program, only for the extensions in its manifest, and holds both
/// ends of its pipes.
actor NativeHost {
    private let context: CommandContext
    private let send: @Sendable ([UInt8]) -> Void
    private var watch: Task<Void, Never>?
    /// Whether the input has ended. The extension gets no more replies.
    private var isClosed = false

    /// Maximum number of finished transfers in a list.
    private static let ended = 10
    /// Maximum number of unfinished transfers in a list.
    private static let open = 30
    /// Maximum size of a message to the browser.
    private static let mostBytes = 1 << 20
    /// Seconds that an offer may take.
    private static let offerLimits = 0.5...120.0

    /// - Parameter send: Writes bytes to the browser.
    init(_ context: CommandContext, send: @escaping @Sendable ([UInt8]) -> Void) {
        self.context = context
        self.send = send
    }

    /// Returns once the input has ended and all calls are answered.
    ///
    /// Calls are answered side by side: an offer waits for a server.
    func serve(_ input: some AsyncSequence<[UInt8], Never> & Sendable) async {
        defer { watch?.cancel() }
        await withDiscardingTaskGroup { group in
            var frames = MessageFrames()
            for await bytes in input {
                for frame in frames.append(bytes) { answer(frame, in: &group) }
            }
            isClosed = true
        }
    }

    private func answer(_ frame: MessageFrames.Frame, in group: inout DiscardingTaskGroup) {
        switch frame {
        case .oversized(let length):
            let error = ServiceError(
                .invalidRequest, "A message has \(length) bytes; \(MessageFrames.mostBytes) are the most.")
            write(NativeAnswer(id: 0, error: error))
        case .message(let message):
            do throws(ServiceError) {
                let call = try NativeCall(parsing: message)
                group.addTask(name: "call of a browser") { await self.answer(call) }
            } catch {
                struct Number: Decodable { let id: Int }
                let number = try? APIJSON.decoder.decode(Number.self, from: Data(message))
                write(NativeAnswer(id: number?.id ?? 0, error: error))
            }
        }
    }

    private func answer(_ call: NativeCall) async {
        do throws(ServiceError) {
            switch call.call {
            case .hello: reply(call, NativeResult.Hello(version: FerryVersion.current))
            case .offer: reply(call, try await offer(call))
            case .keep:
                reply(call, NativeResult.Kept(id: try await offers().keep(try key(of: call), name: call.name)))
            case .drop:
                try await offers().drop(try key(of: call))
                reply(call, NoResult())
            case .list: reply(call, try await list())
            case .act:
                try await act(call)
                reply(call, NoResult())
            case .open, .show:
                try await launch(call)
                reply(call, NoResult())
            case .watch:
                if watch == nil { watch = Task(name: "summaries for a browser") { await follow() } }
                reply(call, NoResult())
            case .page: reply(call, NativeResult.Page(url: try await PageAddress.find(in: context)))
            }
        } catch {
            write(NativeAnswer(id: call.id, error: error))
        }
    }

    private func reply<Result: Encodable>(_ call: NativeCall, _ result: Result) {
        write(NativeAnswer(id: call.id, result: result))
    }

    private func write(_ value: some Encodable) {
        guard let bytes = try? APIJSON.bytes(value), bytes.count <= Self.mostBytes else { return }
        send(MessageFrames.frame(Array(bytes)))
    }

    private func daemon() throws(ServiceError) -> any DaemonAccess {
        do { return try context.daemon() } catch let error as ServiceError { throw error } catch {
            throw ServiceError(.internal, "\(error)")
        }
    }

    // MARK: Offers

    private func offers() throws(ServiceError) -> NativeOffers { NativeOffers(service: try daemon().service) }

    private func key(of call: NativeCall) throws(ServiceError) -> OfferKey {
        guard let key = call.key else {
            throw ServiceError(.invalidRequest, "The call \(call.call.rawValue) lacks its key.")
        }
        return key
    }

    private func offer(_ call: NativeCall) async throws(ServiceError) -> NativeResult.Offer {
        guard let download = call.download else {
            throw ServiceError(.invalidRequest, "The call offer lacks its download.")
        }
        let caller = CallerEnvironment(
            variables: context.environment, umask: context.umask, currentFolder: context.currentFolder)
        let folders = try await PageAddress.gateway(in: context).status().settings.folders
        let request = try download.request(as: try key(of: call), in: AllowedFolders(folders), of: caller)
        let seconds = min(max(call.seconds ?? 12, Self.offerLimits.lowerBound), Self.offerLimits.upperBound)
        let found = try await offers().offer(request, within: .seconds(seconds))
        guard isClosed else { return found }
        // The extension may have given up before the offer existed.
        try await offers().drop(try key(of: call))
        throw ServiceError(.canceled, "The browser has closed the connection.")
    }

    // MARK: Transfers

    private func list() async throws(ServiceError) -> NativeResult.List {
        let daemon = try daemon()
        // Listing does not start the daemon.
        guard try await daemon.statusIfRunning() != nil else { return NativeResult.List(transfers: [], more: 0) }
        let service = daemon.watcher
        var transfers = try await service.queue(QueueQuery(.active, limit: Self.open))
        transfers += try await service.queue(QueueQuery(.waiting, limit: Self.open - transfers.count))
        let counts = try await service.queueCounts(of: nil)
        let more = max(0, counts.active + counts.waiting - transfers.count)
        transfers += try await service.queue(QueueQuery(.ended, limit: Self.ended, reversed: true))
        let shown = transfers.filter { !OfferKey.isHidden($0) }
        return NativeResult.List(transfers: shown.map { NativeResult.Item($0, now: context.now()) }, more: more)
    }

    private func act(_ call: NativeCall) async throws(ServiceError) {
        guard let action = call.action, let ids = call.ids, action != .removeWithFile else {
            throw ServiceError(.invalidRequest, "An action is pause, resume, retry, cancel or remove, with ids.")
        }
        let results = try await daemon().service.act(action, on: TransferSelection(ids: ids))
        if let error = results.compactMap(\.error).first { throw error }
    }

    /// Opens a finished file, or the folder of any file, in the desktop's program.
    private func launch(_ call: NativeCall) async throws(ServiceError) {
        guard let id = call.ids?.first else { throw ServiceError(.invalidRequest, "The call lacks its ids.") }
        let transfer = try await daemon().service.transfer(id)
        let target = try DesktopTarget(of: transfer, isFolder: call.call == .show)
        guard context.launch(["xdg-open", target.path]) else {
            throw ServiceError(.internal, "xdg-open cannot be started; the file is \(target.path.escapingControls).")
        }
    }

    // MARK: Summaries

    /// Sends a summary now and at each change, at most once per second.
    private func follow() async {
        var last: NativeResult.Summary?
        while !Task.isCancelled {
            do {
                let service = try daemon().watcher
                var subscription = EventSubscription()
                subscription.progressInterval = 1
                let events = try await service.events(subscription)
                last = try await notify(after: last)
                var next = ContinuousClock.now + .seconds(1)
                for try await event in events {
                    let isSample = event.kind == .progress
                    if isSample, ContinuousClock.now < next { continue }
                    next = .now + .milliseconds(900)
                    last = try await notify(after: last)
                }
            } catch {
                // Without a daemon there is nothing to follow. A later call starts it.
                let idle = NativeResult.Summary(active: [], waiting: 0, now: context.now())
                if let before = last, before != idle {
                    write(idle)
                    last = idle
                }
            }
            try? await Task.sleep(for: .seconds(2))
        }
    }

    private func notify(after last: NativeResult.Summary?) async throws(ServiceError) -> NativeResult.Summary {
        let service = try daemon().watcher
        let counts = try await service.queueCounts(of: nil)
        let active = try await service.queue(QueueQuery(.active, limit: 200))
        var query = TransferQuery()
        query.tag = NativeDownload.tag
        query.states = [.succeeded, .failed]
        query.newestFirst = true
        let ended = try await service.transfers(query).transfers
        let summary = NativeResult.Summary(active: active, waiting: counts.waiting, ended: ended, now: context.now())
        if summary != last { write(summary) }
        return summary
    }
}
