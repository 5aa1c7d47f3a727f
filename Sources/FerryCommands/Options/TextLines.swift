/// The lines of a text, with the empty ones, so that they can be counted; Windows ends them with two characters.
struct TextLines: Sequence {
    private let lines: [Substring]

    init(_ text: String) {
        // For Swift the two are one character.
        lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    }

    func makeIterator() -> IndexingIterator<[Substring]> { lines.makeIterator() }
}
