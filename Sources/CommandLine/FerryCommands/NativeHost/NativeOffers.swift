import FerryClient
import FerryCore
import FerryFoundation

/// Downloads that are on offer: Ferry requests the file while the browser's own download goes on.
///
/// The browser gives its download up only once the head of Ferry's response shows the same file. Until then the
/// offered transfer has a hidden name, and can be dropped without a trace.
struct NativeOffers: Sendable {
    let service: any SessionService

    /// Submits a request and waits for the head of its response.
    ///
    /// - Parameter limit: The longest wait. A link's transfer that still waits for a slot is returned as it is.
    /// - Throws: ``ServiceError`` if the file cannot be had now. The transfer is then removed.
    func offer(_ request: TransferRequest, within limit: Duration) async throws(ServiceError) -> NativeResult.Offer {
        let submitted = try await service.submitNumbered([request])
        let transfer: Transfer
        switch submitted.results.first {
        case .accepted(let accepted): transfer = accepted
        case .refused(let error): throw error
        case nil: throw ServiceError(.internal, "The daemon has sent no result.")
        }
        let head = await head(of: transfer, after: submitted.after, within: limit)
        do throws(ServiceError) {
            if let head { return try head.get() }
            guard request.file.name == nil, try await service.transfer(transfer.id).state == .waiting else {
                throw ServiceError(.timedOut, "Ferry has no response for the file yet.")
            }
            return NativeResult.Offer(transfer, isFound: false)
        } catch {
            try await remove([transfer.id])
            throw error
        }
    }

    /// Makes an offer a transfer like any other, and returns its id. Idempotent.
    ///
    /// - Throws: ``ServiceError`` with code `unknown_transfer`.
    func keep(_ key: OfferKey, name: String?) async throws(ServiceError) -> TransferID {
        guard let transfer = try await find(key) else {
            throw ServiceError(.unknownTransfer, "Ferry no longer has the download.")
        }
        guard OfferKey.isHidden(transfer) else { return transfer.id }
        var change = TransferChange()
        change.name = FileName.safe(name ?? "")
        return try await service.change(transfer.id, change).id
    }

    /// Removes an offer and its bytes, if it exists. A kept transfer stays.
    func drop(_ key: OfferKey) async throws(ServiceError) {
        guard let transfer = try await find(key), OfferKey.isHidden(transfer) || transfer.names.given == nil else {
            return
        }
        try await remove([transfer.id])
    }

    private func find(_ key: OfferKey) async throws(ServiceError) -> Transfer? {
        var query = TransferQuery()
        query.tag = key.tag
        query.limit = 1
        return try await service.transfers(query).transfers.first
    }

    private func remove(_ ids: [TransferID]) async throws(ServiceError) {
        _ = try await service.act(.removeWithFile, on: TransferSelection(ids: ids))
    }

    // MARK: Waiting

    /// Returns the head's facts or the failure, or `nil` if neither has come within the limit.
    private func head(
        of transfer: Transfer, after number: Int64?, within limit: Duration
    ) async -> Result<NativeResult.Offer, ServiceError>? {
        await withTaskGroup { group in
            group.addTask(name: "head of an offer") { await follow(transfer, after: number) }
            group.addTask(name: "limit of an offer") {
                try? await Task.sleep(for: limit)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }

    private func follow(
        _ transfer: Transfer, after number: Int64?
    ) async -> Result<NativeResult.Offer, ServiceError>? {
        do {
            var subscription = EventSubscription()
            subscription.ids = [transfer.id]
            subscription.after = number
            subscription.progressInterval = 0.1
            for try await event in try await service.events(subscription) {
                guard let now = event.transfer else { continue }
                if let outcome = OfferOutcome.of(now) { return outcome }
            }
            return nil
        } catch {
            return .failure(error as? ServiceError ?? ServiceError(.daemonUnreachable, "The daemon has stopped."))
        }
    }
}

/// Judges an offered transfer by the head of its response.
enum OfferOutcome {
    /// Returns the head's facts, or why the file cannot be had now. `nil` while both are open.
    static func of(_ transfer: Transfer) -> Result<NativeResult.Offer, ServiceError>? {
        switch transfer.state {
        case .succeeded: .success(NativeResult.Offer(transfer))
        // The name is fixed with the head's other facts. The size may be the browser's, and bytes may be counted earlier.
        case .running: transfer.names.chosen == nil ? nil : .success(NativeResult.Offer(transfer))
        case .waiting: isInQueue(transfer.reason) ? nil : .failure(failure(transfer))
        case .failed, .canceled, .suspended, .unknown: .failure(failure(transfer))
        }
    }

    /// Whether a transfer waits for its turn, and for nothing that may never come.
    private static func isInQueue(_ reason: WaitReason?) -> Bool {
        switch reason {
        case nil, .slot, .session, .host, .relaunch: true
        default: false
        }
    }

    private static func failure(_ transfer: Transfer) -> ServiceError {
        transfer.error ?? ServiceError(.canceled, "Ferry has stopped the download.")
    }
}
