import FerryCore

/// The JSON of requests that are alike but for URL, folder, name and the data of their notes; written once.
struct RequestText: Sendable {
    private enum Value: CaseIterable { case url, folder, data }

    /// What stands before each of the values, and after the last, without the end of the object.
    private let pieces: [String]
    private let values: [Value]
    private let folder: String
    private let name: String?
    private let data: String

    init(_ request: TransferRequest) throws(ServiceError) {
        folder = request.folder
        name = request.name
        data = request.note?.data ?? ""
        // Stand where the values will; random, so that the text of a request cannot contain them on purpose.
        let marks = Value.allCases.map { (value: $0, text: "\(UInt64.random(in: 0 ... .max))-\($0)") }
        var marked = request
        marked.url = marks[0].text
        marked.folder = marks[1].text
        marked.name = nil
        marked.note?.data = marks[2].text
        let text = try JournalJSON.text(marked)
        var found = marks.flatMap { mark in
            text.ranges(of: "\"\(mark.text)\"").map { (value: mark.value, range: $0) }
        }
        found.sort { $0.range.lowerBound < $1.range.lowerBound }
        guard found.count == (request.note == nil ? 2 : 3), text.hasSuffix("}") else {
            throw ServiceError(.internal, "A request cannot be written to the journal.")
        }
        var pieces: [String] = []
        var rest = text.startIndex
        for (_, range) in found {
            pieces.append(String(text[rest..<range.lowerBound]))
            rest = range.upperBound
        }
        pieces.append(String(text[rest...].dropLast()))
        self.pieces = pieces
        values = found.map(\.value)
    }

    /// The JSON of one of the requests; nil keeps the value of the first request.
    func text(url: String, folder: String? = nil, name: String? = nil, data: String? = nil) -> String {
        var text = ""
        text.reserveCapacity(2048)
        for (piece, value) in zip(pieces, values) {
            text += piece
            switch value {
            case .url: text.appendQuoted(url)
            case .folder: text.appendQuoted(folder ?? self.folder)
            case .data: text.appendQuoted(data ?? self.data)
            }
        }
        text += pieces[values.count]
        if let name = name ?? self.name {
            text += #","name":"#
            text.appendQuoted(name)
        }
        text += "}"
        return text
    }

    /// What stands before and after the URL, where all else is as in the first request.
    func aroundURL() -> (head: String, tail: String) {
        let mark = "\(UInt64.random(in: 0 ... .max))"
        let text = text(url: mark)
        guard let range = text.firstRange(of: "\"\(mark)\"") else { return (text, "") }
        return (String(text[..<range.lowerBound]), String(text[range.upperBound...]))
    }
}
