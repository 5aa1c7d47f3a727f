import FerryCore
import FerryFoundation

/// Finds transfers by words: ids, unique prefixes of ids, `last`, and the task ids of apps.
struct TransferWords {
    let words: [String]

    static let newest = "last"
    private static let digits = 16

    /// Returns the distinct ids, in the order of the words.
    ///
    /// - Throws: ``ServiceError`` with code `unknown_transfer` for a word that is not an id or a unique prefix.
    func ids(in service: any TransferService) async throws(ServiceError) -> [TransferID] {
        var seen = Set<TransferID>()
        var ids: [TransferID] = []
        for word in words {
            let id = try await Self.id(word, in: service)
            if seen.insert(id).inserted { ids.append(id) }
        }
        return ids
    }

    static func id(_ word: String, in service: any TransferService) async throws(ServiceError) -> TransferID {
        if let id = TransferID(word) { return id }
        if word == newest { return try await newestID(in: service) }
        if let id = try await idOfApp(word, in: service) { return id }
        guard !word.isEmpty, word.utf8.count < digits, word.utf8.allSatisfy(\.isHexadecimalDigit),
            let first = TransferID(word + String(repeating: "0", count: digits - word.utf8.count)),
            let last = TransferID(word + String(repeating: "f", count: digits - word.utf8.count))
        else {
            throw ServiceError(
                .unknownTransfer,
                "No transfer has the id “\(word.escapingControls)”: an id has 16 hexadecimal digits, of which a unique prefix "
                    + "is enough. `ferry list` shows them.")
        }
        var query = TransferQuery()
        query.limit = 2
        // Ids increase: the transfers with the prefix follow directly after the id before it.
        query.after = first.rawValue > 0 ? TransferID(rawValue: first.rawValue - 1) : nil
        let found = try await service.transfers(query).transfers.map(\.id).filter { $0 >= first && $0 <= last }
        guard let id = found.first else {
            throw ServiceError(
                .unknownTransfer, "No transfer has an id with the prefix “\(word)”. `ferry list` shows the ids.")
        }
        guard found.count == 1 else {
            throw ServiceError(
                .unknownTransfer, "Several transfers have ids with the prefix “\(word)”, such as \(id) and \(found[1])."
            )
        }
        return id
    }

    /// The transfer of an app's task by the task's id (`DownloadTask.id`), a UUID, or nil.
    private static func idOfApp(
        _ word: String, in service: any TransferService
    ) async throws(ServiceError) -> TransferID? {
        guard word.utf8.count == 36, word.utf8.count(where: { $0 == UInt8(ascii: "-") }) == 4 else { return nil }
        struct Named: Decodable { var id: String }
        let word = word.uppercased()
        var query = TransferQuery()
        query.newestFirst = true
        query.limit = 1000
        repeat {
            let page = try await service.transfers(query)
            for transfer in page.transfers {
                guard let data = transfer.note?.data, data.contains("\"id\""),
                    let named = try? JSONDecoder().decode(Named.self, from: Data(data.utf8)),
                    named.id.uppercased() == word
                else { continue }
                return transfer.id
            }
            query.after = page.next
        } while query.after != nil
        return nil
    }

    private static func newestID(in service: any TransferService) async throws(ServiceError) -> TransferID {
        var query = TransferQuery()
        query.newestFirst = true
        query.limit = 1
        guard let newest = try await service.transfers(query).transfers.first else {
            throw ServiceError(.unknownTransfer, "No transfer exists.")
        }
        return newest.id
    }
}
