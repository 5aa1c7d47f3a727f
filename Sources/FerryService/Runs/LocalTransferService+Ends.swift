import FerryCore
import Foundation

/// Finished transfers with outcomes to be stored. Owned by the service.
struct EndingTransfers {
    typealias Answer = Result<Int64?, ServiceError>

    struct One {
        let end: StoredEnd
        let kind: TransferEvent.Kind
        let at: Date
        let continuation: CheckedContinuation<Answer, Never>
    }

    var waiting: [One] = []
    var isStoring = false
}

extension LocalTransferService {
    /// Stores an outcome and its event, in one transaction with other pending outcomes.
    ///
    /// - Returns: The result of `JournalTransaction.finish(_:kind:at:)`.
    func storeEnd(
        _ end: StoredEnd, kind: TransferEvent.Kind, at: Date
    ) async throws(ServiceError) -> Int64? {
        let answer: EndingTransfers.Answer = await withCheckedContinuation { continuation in
            ending.waiting.append(EndingTransfers.One(end: end, kind: kind, at: at, continuation: continuation))
            guard !ending.isStoring else { return }
            ending.isStoring = true
            Task(name: "ends of transfers") { await self.storeEnds() }
        }
        return try answer.get()
    }

    private func storeEnds() async {
        while !ending.waiting.isEmpty {
            let group = ending.waiting
            ending.waiting = []
            let entries = group.map { ($0.end, $0.kind, $0.at) }
            do throws(ServiceError) {
                let numbers = try await journal.commit(ofRunning: true) { transaction throws(ServiceError) in
                    var numbers: [Int64?] = []
                    for (end, kind, at) in entries { numbers.append(try transaction.finish(end, kind: kind, at: at)) }
                    return numbers
                }
                for (one, number) in zip(group, numbers) { one.continuation.resume(returning: .success(number)) }
            } catch {
                // No outcome was stored. Store each alone, so that one failure does not affect the others.
                for one in group {
                    one.continuation.resume(returning: group.count > 1 ? await storeAlone(one) : .failure(error))
                }
            }
        }
        ending.isStoring = false
    }

    private func storeAlone(_ one: EndingTransfers.One) async -> EndingTransfers.Answer {
        let (end, kind, at) = (one.end, one.kind, one.at)
        do throws(ServiceError) {
            return .success(
                try await journal.commit(ofRunning: true) { transaction throws(ServiceError) in
                    try transaction.finish(end, kind: kind, at: at)
                })
        } catch {
            return .failure(error)
        }
    }
}
