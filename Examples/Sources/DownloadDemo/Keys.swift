// The keys of the list and their meaning.

/// A key, as a terminal sends it.
enum Key: Equatable {
    case up, down, enter, escape, backspace
    case character(Character)
}

/// Reads keys from the bytes of a terminal.
struct KeyReader {
    /// The bytes of an incomplete key.
    private var pending: [UInt8] = []

    /// Adds bytes that arrived together, and returns the complete keys.
    mutating func read(_ bytes: [UInt8]) -> [Key] {
        pending += bytes
        var keys: [Key] = []
        while let (key, count) = Self.first(of: pending) {
            pending.removeFirst(count)
            if let key { keys.append(key) }
        }
        // An escape without following bytes is the Escape key itself.
        if pending == [0x1B] {
            pending = []
            keys.append(.escape)
        }
        return keys
    }

    /// Returns the first key and its length in bytes, or `nil` while it is incomplete. The key is `nil` if it has no
    /// meaning here.
    private static func first(of bytes: [UInt8]) -> (Key?, Int)? {
        guard let first = bytes.first else { return nil }
        switch first {
        case 0x1B:
            guard bytes.count > 1 else { return nil }
            guard bytes[1] == UInt8(ascii: "[") || bytes[1] == UInt8(ascii: "O") else { return (.escape, 1) }
            guard let end = bytes.dropFirst(2).firstIndex(where: { 0x40...0x7E ~= $0 }) else { return nil }
            let keys: [UInt8: Key] = [UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down]
            return (keys[bytes[end]], end + 1)
        case 0x0A, 0x0D: return (.enter, 1)
        case 0x08, 0x7F: return (.backspace, 1)
        case ..<0x20: return (nil, 1)
        default:
            let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
            guard bytes.count >= length else { return nil }
            let text = String(decoding: bytes.prefix(length), as: UTF8.self)
            return (text.first.map { .character($0) }, length)
        }
    }
}

/// The state changed by keys: the selected download, and the address being typed.
struct Controls: Equatable {
    /// The effect of a key.
    enum Wish: Equatable {
        case follow(Instruction)
        /// Kills this process, like a crash.
        case kill
    }

    static let help = "a add · ↑↓ choose · p pause · r resume · x remove · P R all · + - at a time · K kill -9 · q quit"

    /// The number of the selected download, from 1.
    private(set) var chosen = 1
    /// The address being typed, or `nil` if none is.
    private(set) var typed: String?

    /// Handles a key.
    mutating func press(_ key: Key, rows: Int, limit: Int) -> Wish? {
        if typed != nil { return type(key) }
        switch key {
        case .up: chosen -= 1
        case .down: chosen += 1
        case .character(let character): return wish(character, rows, limit)
        case .enter, .escape, .backspace: break
        }
        chosen = min(max(chosen, 1), max(rows, 1))
        return nil
    }

    private mutating func wish(_ character: Character, _ rows: Int, _ limit: Int) -> Wish? {
        let one: Instruction.Choice? = rows > 0 ? .one(min(chosen, rows)) : nil
        switch character {
        case "a": typed = ""
        case "p": return one.map { .follow(.pause($0)) }
        case "r": return one.map { .follow(.resume($0)) }
        case "x": return one.map { .follow(.remove($0)) }
        case "P": return .follow(.pause(.all))
        case "R": return .follow(.resume(.all))
        case "+": return .follow(.limit(limit + 1))
        case "-" where limit > 1: return .follow(.limit(limit - 1))
        case "K": return .kill
        case "q": return .follow(.quit)
        default: break
        }
        return nil
    }

    private mutating func type(_ key: Key) -> Wish? {
        switch key {
        case .character(let character): typed?.append(character)
        case .backspace: _ = typed?.popLast()
        case .escape: typed = nil
        case .enter:
            let address = typed?.trimmingPrefix(while: \.isWhitespace) ?? ""
            typed = nil
            return address.isEmpty ? nil : .follow(.add(String(address)))
        case .up, .down: break
        }
        return nil
    }
}
