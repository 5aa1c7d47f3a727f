import FerryCore
import Foundation

/// A finished transfer with its outcome to be stored.
struct EndingTransfer: Sendable {
    let end: StoredEnd
    let kind: TransferEvent.Kind
    let at: Date
}

extension LocalTransferService {
    /// Stores an outcome and its event, in one transaction with other pending outcomes.
    ///
    /// - Returns: The result of `JournalTransaction.finish(_:kind:at:)`.
    func storeEnd(_ ending: EndingTransfer) async throws(ServiceError) -> Int64? {
        let answer = await withCheckedContinuation { continuation in
            guard self.ending.add(ending, continuation) else { return }
            Task(name: "ends of transfers") { await self.storeEnds() }
        }
        return try answer.get()
    }

    private func storeEnds() async {
        while let group = ending.next() {
            do throws(ServiceError) {
                let numbers = try await store(group.map(\.input))
                for (call, number) in zip(group, numbers) { call.continuation.resume(returning: .success(number)) }
            } catch {
                // No outcome was stored. Store each alone, so that one failure does not affect the others.
                for call in group {
                    call.continuation.resume(
                        returning: group.count > 1 ? await storeAlone(call.input) : .failure(error))
                }
            }
        }
    }

    private func storeAlone(_ ending: EndingTransfer) async -> Result<Int64?, ServiceError> {
        do throws(ServiceError) { return .success(try await store([ending])[0]) } catch { return .failure(error) }
    }

    /// Returns one result for each outcome.
    private func store(_ endings: [EndingTransfer]) async throws(ServiceError) -> [Int64?] {
        try await journal.commit(ofRunning: true) { transaction throws(ServiceError) in
            var numbers: [Int64?] = []
            for one in endings { numbers.append(try transaction.finish(one.end, kind: one.kind, at: one.at)) }
            return numbers
        }
    }
}
