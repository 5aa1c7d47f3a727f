import FerryClient
import FerryCore

/// Waits for transfers, shows how they get on, and stops on a signal.
struct TransferWait {
    var context: CommandContext
    var service: any TransferService
    var display: ProgressDisplay
    var signals: AsyncStream<StopSignal>
    /// Whether it is told of successes without their transfers, where nothing is shown of them.
    var omitsSuccesses = false
    /// Whether it is told of progress where nothing is shown of it.
    var wantsProgress = false

    enum End {
        /// Every transfer has ended.
        case ended
        case stopped(by: StopSignal)
    }

    /// Seconds between samples of progress.
    static let sampling = 0.25

    /// - Parameters:
    ///   - ids: The transfers; nil is all, without an end.
    ///   - after: Number of a durable event before the first of these transfers' events; nil asks how they stand first.
    ///   - onUpdate: Told of every update, besides the display.
    func run(
        _ ids: [TransferID]?, after: Int64? = nil, onUpdate: @escaping @Sendable (FollowUpdate) async -> Void
    ) async throws(ServiceError) -> End {
        let isQuiet = display.isQuiet && !wantsProgress
        let follower = TransferFollower(
            service, progressInterval: isQuiet ? nil : Self.sampling, endsAlone: isQuiet,
            omitsSuccesses: isQuiet && omitsSuccesses)
        let result = await withTaskGroup(of: Result<End, ServiceError>?.self) { group in
            group.addTask {
                do throws(ServiceError) {
                    try await follower.follow(ids, after: after) { update in
                        await onUpdate(update)
                        await display.show(update)
                    }
                    return .success(.ended)
                } catch {
                    return .failure(error)
                }
            }
            group.addTask { [signals] in
                for await signal in signals { return .success(.stopped(by: signal)) }
                return nil
            }
            group.addTask {
                try? await Task.sleep(for: .milliseconds(400))
                await showSilent(ids ?? [])
                while !Task.isCancelled {
                    await display.tick()
                    try? await Task.sleep(for: .seconds(1))
                }
                return nil
            }
            for await result in group {
                guard let result else { continue }
                group.cancelAll()
                return result
            }
            return .success(.ended)
        }
        await display.finish()
        return try result.get()
    }

    /// Looks at transfers of which nothing was heard: one that its server holds has no event before its turn.
    private func showSilent(_ ids: [TransferID]) async {
        for id in ids.prefix(Self.mostLooks) where await display.isSilent(about: id) {
            if let transfer = try? await service.transfer(id), await display.isSilent(about: id) {
                await display.show(transfer)
            }
        }
    }

    private static let mostLooks = 20
}
