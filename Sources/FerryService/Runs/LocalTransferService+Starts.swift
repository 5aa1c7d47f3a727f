// Ferry: FerryService
// Reading those that have got a slot.

import FerryCore
import FerryStore

/// Transfers that have got a slot and wait for their records. Owned by the service.
struct StartingTransfers {
    typealias Answer = Result<TransferRecord?, TransferError>

    var waiting: [(id: TransferID, continuation: CheckedContinuation<Answer, Never>)] = []
    var isReading = false
    var alike = AlikeRecords()
}

extension LocalTransferService {
    /// The record of a transfer that has got a slot, read together with those of others of the moment.
    func startingRecord(_ id: TransferID) async throws(TransferError) -> TransferRecord? {
        let answer: StartingTransfers.Answer = await withCheckedContinuation { continuation in
            starting.waiting.append((id, continuation))
            guard !starting.isReading else { return }
            starting.isReading = true
            Task(name: "records of starting transfers") { await self.readStarting() }
        }
        return try answer.get()
    }

    private func readStarting() async {
        while !starting.waiting.isEmpty {
            let group = starting.waiting
            starting.waiting = []
            let ids = group.map(\.id)
            do throws(TransferError) {
                let known = starting.alike
                let (records, alike) = try await journal.read { reader throws(TransferError) in
                    var alike = known
                    return (try reader.records(ids, &alike), alike)
                }
                starting.alike = alike
                for one in group { one.continuation.resume(returning: .success(records[one.id])) }
            } catch {
                for one in group { one.continuation.resume(returning: .failure(error)) }
            }
        }
        starting.isReading = false
    }
}
