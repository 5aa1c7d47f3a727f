import FerryCore
import Foundation

/// Transfers that have ended and wait for that to be stored. Owned by the service.
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
    /// Stores an end and its event, in one transaction with other ends that wait to be stored.
    ///
    /// - Returns: what `JournalTransaction.finish(_:kind:at:)` returns.
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
                // No end is stored. Each is stored alone, so that one that fails does not fail the others.
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
