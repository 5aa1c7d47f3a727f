/// Elements in ascending order, each once.
///
/// They lie in pieces of bounded size, so that one is inserted or removed in the time that a piece takes, however many there are.
struct SortedList<Element: Comparable & Sendable>: Sendable {
    /// None of them is empty.
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

    /// - Returns: whether it was not there.
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

    /// - Returns: whether it was there.
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

    /// Calls a closure with the elements, the first first, until it returns false.
    ///
    /// - Parameter last: only elements after this one; nil stands for all elements.
    func forEach(after last: Element? = nil, _ body: (Element) -> Bool) {
        guard let last else {
            for piece in pieces { for element in piece where !body(element) { return } }
            return
        }
        guard let first = piece(of: last) else { return }
        for element in pieces[first] where element > last && !body(element) { return }
        for piece in pieces[(first + 1)...] { for element in piece where !body(element) { return } }
    }

    /// Calls a closure with the elements, the last first, until it returns false.
    ///
    /// - Parameter next: only elements before this one; nil stands for all elements.
    func forEachReversed(before next: Element? = nil, _ body: (Element) -> Bool) {
        let end = next.flatMap(piece(of:)) ?? pieces.count - 1
        guard end >= 0 else { return }
        for piece in pieces[...end].reversed() {
            for element in piece.reversed() where next.map({ element < $0 }) ?? true && !body(element) { return }
        }
    }

    // MARK: -

    /// The piece in which an element is or would be; nil if it comes after all.
    private func piece(of element: Element) -> Int? {
        guard let last, element <= last else { return nil }
        return Self.firstIndex(in: pieces.indices) { index in
            pieces[index].last.map { element <= $0 } ?? false
        }
    }

    /// Where an element is or would be.
    private static func place(of element: Element, in piece: [Element]) -> Int {
        firstIndex(in: piece.indices) { element <= piece[$0] }
    }

    /// The first index for which a condition holds that holds for all after it; the end if there is none.
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
