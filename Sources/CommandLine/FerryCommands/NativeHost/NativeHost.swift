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

    /// Maximum number of finished transfers in a list.
    private static let ended = 10
    private static let open = 200
    /// Maximum size of a message to the browser.
    private static let mostBytes = 1 << 20

    /// - Parameter send: Writes bytes to the browser.
    init(_ context: CommandContext, send: @escaping @Sendable ([UInt8]) -> Void) {
        self.context = context
        self.send = send
    }

    /// Returns once the input has ended.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` for an oversized message.
    func serve(_ input: some AsyncSequence<[UInt8], Never>) async throws(ServiceError) {
        var frames = MessageFrames()
        defer { watch?.cancel() }
        for await bytes in input {
            for message in try frames.append(bytes) { await answer(message) }
        }
    }

    private func answer(_ message: [UInt8]) async {
        struct Number: Decodable { let id: Int }
        let number = (try? APIJSON.decoder.decode(Number.self, from: Data(message)))?.id ?? 0
        do throws(ServiceError) {
            guard let call = try? APIJSON.decoder.decode(NativeCall.self, from: Data(message)) else {
                let calls = NativeCall.Name.allCases.map(\.rawValue).joined(separator: ", ")
                throw ServiceError(.invalidRequest, "The message is not a call; the calls are \(calls).")
            }
            switch call.call {
            case .hello: reply(call, NativeResult.Hello(version: FerryVersion.current))
            case .add: reply(call, NativeResult.Added(ids: try await add(call.downloads ?? [])))
            case .list: reply(call, NativeResult.List(transfers: try await list()))
            case .act:
                try await act(call)
                reply(call, NoResult())
            case .watch:
                follow()
                reply(call, NoResult())
            case .page: reply(call, NativeResult.Page(url: try await PageAddress.find(in: context)))
            }
        } catch {
            write(NativeAnswer(id: number, error: error))
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

    // MARK: Calls

    /// Adds all of them, or none.
    private func add(_ downloads: [NativeDownload]) async throws(ServiceError) -> [TransferID] {
        let service = try daemon().service
        let caller = CallerEnvironment(
            variables: context.environment, umask: context.umask, currentFolder: context.currentFolder)
        let folder = try await PageAddress.gateway(in: context).status().settings.folders.first ?? "/nonexistent"
        var requests: [TransferRequest] = []
        for download in downloads { requests.append(try download.request(in: folder, of: caller)) }
        var added: [TransferID] = []
        var refusal: ServiceError?
        for result in try await service.submit(requests) {
            switch result {
            case .accepted(let transfer): added.append(transfer.id)
            case .refused(let error): refusal = refusal ?? error
            }
        }
        guard let refusal else { return added }
        if !added.isEmpty { _ = try await service.act(.remove, on: TransferSelection(ids: added)) }
        throw refusal
    }

    private func list() async throws(ServiceError) -> [NativeResult.Item] {
        let daemon = try daemon()
        // Listing does not start the daemon.
        guard try await daemon.statusIfRunning() != nil else { return [] }
        let service = daemon.watcher
        var transfers = try await service.queue(QueueQuery(.active, limit: Self.open))
        transfers += try await service.queue(QueueQuery(.waiting, limit: Self.open - transfers.count))
        transfers += try await service.queue(QueueQuery(.ended, limit: Self.ended, reversed: true))
        return transfers.map { NativeResult.Item($0, now: context.now()) }
    }

    private func act(_ call: NativeCall) async throws(ServiceError) {
        guard let action = call.action, let ids = call.ids, [.pause, .resume, .retry, .cancel].contains(action) else {
            throw ServiceError(.invalidRequest, "An action is pause, resume, retry or cancel, with ids.")
        }
        let results = try await daemon().service.act(action, on: TransferSelection(ids: ids))
        if let error = results.compactMap(\.error).first { throw error }
    }

    // MARK: Summaries

    /// Sends a summary now and at each change, at most once per second.
    private func follow() {
        guard watch == nil else { return }
        watch = Task(name: "summaries for a browser") {
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
                }
                try? await Task.sleep(for: .seconds(2))
            }
        }
    }

    private func notify(after last: NativeResult.Summary?) async throws(ServiceError) -> NativeResult.Summary {
        let service = try daemon().watcher
        let counts = try await service.queueCounts(of: nil)
        let active = try await service.queue(QueueQuery(.active, limit: Self.open))
        let summary = NativeResult.Summary(active: active, waiting: counts.waiting)
        if summary != last { write(summary) }
        return summary
    }
}
