import FerryClient
import FerryCore

/// Waits for transfers, shows their progress, and stops on a signal.
struct TransferWait {
    var context: CommandContext
    var service: any TransferService
    var display: ProgressDisplay
    var signals: AsyncStream<StopSignal>
    /// Whether `succeeded` events omit their transfers, because nothing is shown of them.
    var omitsSuccesses = false
    /// Whether it receives progress without showing it.
    var wantsProgress = false

    enum End {
        /// Every transfer has finished.
        case ended
        case stopped(by: StopSignal)
    }

    /// Seconds between progress events.
    static let sampling = 0.25

    /// - Parameters:
    ///   - ids: The transfers. Nil follows all without end.
    ///   - after: Number of a durable event before all of these transfers' events. Nil lists them first.
    ///   - onUpdate: Called for every update, in addition to the display.
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

    /// Lists transfers without events: one throttled by its server has none before its first slot.
    private func showSilent(_ ids: [TransferID]) async {
        for id in ids.prefix(Self.mostLooks) where await display.isSilent(about: id) {
            if let transfer = try? await service.transfer(id), await display.isSilent(about: id) {
                await display.show(transfer)
            }
        }
    }

    private static let mostLooks = 20
}
