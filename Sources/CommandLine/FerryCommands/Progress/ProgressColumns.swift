/// The columns of a progress line, of which a narrow terminal shows fewer: percentage, time left, bar, speed, bytes.
struct ProgressColumns {
    private(set) var name: Int
    /// Characters of the bar between its brackets, or 0.
    private(set) var bar = 0
    private(set) var hasLeft = false
    private(set) var hasSpeed = false
    private(set) var hasBytes = false
    /// Columns of everything after the name.
    private(set) var facts = 4

    private static let widestBar = 30
    private static let narrowestBar = 5
    private static let shortestName = 12

    /// Maximum width of a name that leaves room for a bar, percentage, speed and time left.
    static func widestName(in width: Int) -> Int { max(shortestName, min(width - 39, max(width / 3, 20))) }

    /// - Parameter wanted: Width of the name, if there is room for it.
    init(name wanted: Int, in width: Int) {
        name = max(1, min(wanted, Self.shortestName, width - 6))
        var room = width - name - 6
        func take(_ columns: Int) -> Bool {
            guard room >= columns else { return false }
            room -= columns
            return true
        }
        hasLeft = take(10)
        if hasLeft, take(Self.narrowestBar + 4) { bar = Self.narrowestBar }
        hasSpeed = bar > 0 && take(14)
        let missing = max(0, wanted - name)
        hasBytes = hasSpeed && room - min(missing, room) >= 25 && take(25)
        let more = min(missing, max(0, room))
        name += more
        room -= more
        if bar > 0 { bar += min(room, Self.widestBar - bar) }
        facts = 4 + (hasLeft ? 10 : 0) + (hasSpeed ? 14 : 0) + (hasBytes ? 25 : 0) + (bar > 0 ? bar + 4 : 0)
    }

    /// Columns of speed and time left together.
    var pace: Int { (hasSpeed ? 12 : 0) + (hasSpeed && hasLeft ? 2 : 0) + (hasLeft ? 8 : 0) }
}
