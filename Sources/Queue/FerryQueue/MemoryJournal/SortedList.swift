/// A sorted list of distinct elements.
///
/// Elements are stored in pieces of bounded size, so an insertion or removal moves one piece at most.
struct SortedList<Element: Comparable & Sendable>: Sendable {
    /// Never contains an empty piece.
    private var pieces: [[Element]] = []
    private(set) var count = 0

    private static var largestPiece: Int { 512 }

    init() {}

    var isEmpty: Bool { pieces.isEmpty }
    var last: Element? { pieces.last?.last }

    func contains(_ element: Element) -> Bool {
        guard let piece = piece(of: element) else { return false }
        let place = Self.place(of: element, in: pieces[piece])
        return place < pieces[piece].count && pieces[piece][place] == element
    }

    /// - Returns: Whether the element was inserted. False if it was present.
    @discardableResult
    mutating func insert(_ element: Element) -> Bool {
        guard let piece = piece(of: element) else {
            append(element)
            return true
        }
        let place = Self.place(of: element, in: pieces[piece])
        guard pieces[piece][place] != element else { return false }
        pieces[piece].insert(element, at: place)
        count += 1
        if pieces[piece].count > Self.largestPiece { split(piece) }
        return true
    }

    /// - Returns: Whether the element was present.
    @discardableResult
    mutating func remove(_ element: Element) -> Bool {
        guard let piece = piece(of: element) else { return false }
        let place = Self.place(of: element, in: pieces[piece])
        guard pieces[piece][place] == element else { return false }
        pieces[piece].remove(at: place)
        if pieces[piece].isEmpty { pieces.remove(at: piece) }
        count -= 1
        return true
    }

    /// Calls a closure with the elements in ascending order until it returns false.
    ///
    /// - Parameter last: Start after this element. `nil` starts at the first.
    func forEach(after last: Element? = nil, _ body: (Element) -> Bool) {
        guard let last else {
            for piece in pieces { for element in piece where !body(element) { return } }
            return
        }
        guard let first = piece(of: last) else { return }
        for element in pieces[first] where element > last && !body(element) { return }
        for piece in pieces[(first + 1)...] { for element in piece where !body(element) { return } }
    }

    /// Calls a closure with the elements in descending order until it returns false.
    ///
    /// - Parameter next: Start before this element. `nil` starts at the last.
    func forEachReversed(before next: Element? = nil, _ body: (Element) -> Bool) {
        let end = next.flatMap(piece(of:)) ?? pieces.count - 1
        guard end >= 0 else { return }
        for piece in pieces[...end].reversed() {
            for element in piece.reversed() where next.map({ element < $0 }) ?? true && !body(element) { return }
        }
    }

    // MARK: -

    /// Returns the index of the piece that contains the element or would, or `nil` if it sorts after all.
    private func piece(of element: Element) -> Int? {
        guard let last, element <= last else { return nil }
        return Self.firstIndex(in: pieces.indices) { index in
            pieces[index].last.map { element <= $0 } ?? false
        }
    }

    /// Returns the index of an element in a piece, or its insertion index.
    private static func place(of element: Element, in piece: [Element]) -> Int {
        firstIndex(in: piece.indices) { element <= piece[$0] }
    }

    /// Returns the first index that meets a condition, or the end index. The condition must hold for all later indices
    /// too.
    private static func firstIndex(in indices: Range<Int>, where condition: (Int) -> Bool) -> Int {
        var (low, high) = (indices.lowerBound, indices.upperBound)
        while low < high {
            let middle = (low + high) / 2
            if condition(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private mutating func append(_ element: Element) {
        count += 1
        guard let last = pieces.indices.last, pieces[last].count < Self.largestPiece else {
            return pieces.append([element])
        }
        pieces[last].append(element)
    }

    private mutating func split(_ piece: Int) {
        let half = pieces[piece].count / 2
        let rest = Array(pieces[piece][half...])
        pieces[piece].removeLast(rest.count)
        pieces.insert(rest, at: piece + 1)
    }
}
