import FerryCore

/// A place in the order of ends: after one job of a numbered transaction, in one database.
struct EndCursor: Hashable {
    /// Identifies the database. Numbers of another one mean other ends.
    var server: String
    var number: Int64
    var id: Int64

    var text: String { "\(server).\(number).\(id)" }

    init(server: String, number: Int64, id: Int64) {
        self.server = server
        self.number = number
        self.id = id
    }

    /// - Throws: ``ServiceError`` with code `invalid_request`.
    init(_ text: String) throws(ServiceError) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].allSatisfy(\.isHexDigit), let number = Int64(parts[1]), number >= 0,
            let id = Int64(parts[2]), id >= 0
        else {
            throw ServiceError(
                .invalidRequest, "“\(text.escapingControls)” is no cursor. Use one that `ferry fleet watch` printed.")
        }
        self.init(server: String(parts[0]), number: number, id: id)
    }
}
