// An instruction in a line of the user.

/// An instruction in a line of the user.
enum Instruction: Equatable {
    /// One download, by its number in the list from 1, or all.
    enum Choice: Equatable {
        case one(Int)
        case all
    }

    case add(String)
    case pause(Choice)
    case resume(Choice)
    case remove(Choice)
    case limit(Int)
    case list
    case help
    case quit

    /// The possible instructions, in one line.
    static let text = "add URL · pause, resume, remove N|all · limit N · list · help · quit"

    /// Returns `nil` for an unknown instruction.
    init?(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        switch (words.first, words.dropFirst().first, words.count) {
        case ("add", let url?, 2): self = .add(url)
        case ("limit", let text?, 2):
            guard let limit = Int(text), limit > 0 else { return nil }
            self = .limit(limit)
        case ("list", nil, 1): self = .list
        case ("help", nil, 1): self = .help
        case ("quit", nil, 1): self = .quit
        case (let verb?, let text?, 2):
            guard let choice = Choice(text) else { return nil }
            switch verb {
            case "pause": self = .pause(choice)
            case "resume": self = .resume(choice)
            case "remove": self = .remove(choice)
            default: return nil
            }
        default: return nil
        }
    }
}

extension Instruction.Choice {
    fileprivate init?(_ text: String) {
        if text == "all" {
            self = .all
        } else if let number = Int(text), number > 0 {
            self = .one(number)
        } else {
            return nil
        }
    }
}
