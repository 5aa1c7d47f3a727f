import FerryCore

/// The part of a list that a client asks for.
struct Pagination: Equatable {
    let range: Range<Int>
    /// Whether the last one of the part comes first.
    let isReversed: Bool

    /// - Parameters:
    ///   - offset: place of the first one; a negative one counts from the end, and the part then ends there.
    ///   - number: how many at most.
    init(count: Int, offset: Int, number: Int) {
        isReversed = offset < 0
        guard count > 0, number > 0 else {
            range = 0..<0
            return
        }
        if offset >= 0 {
            let start = min(offset, count)
            range = start..<min(count, start.addingSaturated(number))
        } else {
            let end = count.addingSaturated(offset) + 1
            range = end > 0 ? max(0, end - min(number, end))..<end : 0..<0
        }
    }

    func part<Element>(of list: [Element]) -> [Element] {
        isReversed ? list[range].reversed() : Array(list[range])
    }
}
