import FerryCore

/// The JSON of requests that differ only in URL, folder, name and the data of their notes. Encoded once.
struct RequestText: Sendable {
    private enum Value: CaseIterable { case url, folder, data }

    /// The text before each value and after the last, without the object's closing brace.
    private let pieces: [String]
    private let values: [Value]
    private let folder: String
    private let name: String?
    private let data: String

    init(_ request: TransferRequest) throws(ServiceError) {
        folder = request.file.folder
        name = request.file.name
        data = request.note?.data ?? ""
        // Placeholders for the values. Random, so that a request's text cannot contain them on purpose.
        let marks = Value.allCases.map { (value: $0, text: "\(UInt64.random(in: 0 ... .max))-\($0)") }
        var marked = request
        marked.url = marks[0].text
        marked.file.folder = marks[1].text
        marked.file.name = nil
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

    /// Returns the JSON of one request. `nil` keeps the first request's value.
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

    /// Returns the text before and after the URL, with all other values of the first request.
    func aroundURL() -> (head: String, tail: String) {
        let mark = "\(UInt64.random(in: 0 ... .max))"
        let text = text(url: mark)
        guard let range = text.firstRange(of: "\"\(mark)\"") else { return (text, "") }
        return (String(text[..<range.lowerBound]), String(text[range.upperBound...]))
    }
}
