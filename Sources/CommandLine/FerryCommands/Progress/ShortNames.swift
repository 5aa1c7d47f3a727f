import FerryCore

/// Shortens names so that different ones stay different.
enum ShortNames {
    /// - Returns: The names in the same order. Names that fit are unchanged.
    static func of(_ names: [String], width: Int) -> [String] {
        let cut = names.map { $0.displayWidth <= width ? $0 : middle($0, width) }
        let counts = Dictionary(zip(cut, names).map { ($0, Set([$1])) }) { $0.union($1) }
        guard counts.contains(where: { $0.value.count > 1 }) else { return cut }
        // The common prefix is the least informative part.
        let common = commonPrefix(of: names)
        return zip(names, cut).map { name, short in
            guard counts[short, default: []].count > 1 else { return short }
            return afterPrefix(name, common, width)
        }
    }

    private static func middle(_ name: String, _ width: Int) -> String {
        var text = name.fitted(to: width)
        while text.last == " " { text.removeLast() }
        return text
    }

    private static func afterPrefix(_ name: String, _ common: Int, _ width: Int) -> String {
        let rest = String(name.dropFirst(common))
        return "…" + (rest.displayWidth <= width - 1 ? rest : middle(rest, width - 1))
    }

    /// Length of the common prefix.
    private static func commonPrefix(of names: [String]) -> Int {
        guard let first = names.first else { return 0 }
        return names.dropFirst().reduce(first.count) { length, name in
            zip(first.prefix(length), name).prefix { $0 == $1 }.count
        }
    }
}
