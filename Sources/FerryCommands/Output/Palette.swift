// Ferry: FerryCommands
// Colours of a terminal.

/// Colours text, or leaves it as it is.
struct Palette {
    enum Color: Int {
        case red = 31, green = 32, yellow = 33, cyan = 36, dim = 2
    }

    var isOn: Bool

    func paint(_ text: String, _ color: Color) -> String {
        isOn ? "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m" : text
    }
}
