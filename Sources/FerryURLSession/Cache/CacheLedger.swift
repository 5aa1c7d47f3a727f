import Foundation

/// Names a response of a cache: what was asked for, and which of several answers that depend on the request's fields.
struct CacheName: Hashable, Sendable {
    var resource: String
    var variant: String
}

/// The list of the responses in a cache of limited size. The least recently used ones are removed to make room for new ones.
struct CacheLedger<Content> {
    struct Entry {
        var content: Content
        /// Bytes that it takes.
        var size: Int
        var stored: Date
        /// Counts uses of the whole cache: the lower, the longer it was not used.
        fileprivate var used: Int
    }

    /// Room is made for some time, since every entry is looked at for it.
    private static var shareKept: Double { 7 / 8 }

    /// Bytes that all entries take.
    private(set) var size = 0
    private var resources: [String: [String: Entry]] = [:]
    private var uses = 0

    var all: [(name: CacheName, entry: Entry)] {
        resources.flatMap { resource, variants in
            variants.map { (CacheName(resource: resource, variant: $0), $1) }
        }
    }

    /// The responses to one request, the newest first.
    func candidates(for resource: String) -> [(name: CacheName, entry: Entry)] {
        (resources[resource] ?? [:]).map { (CacheName(resource: resource, variant: $0), $1) }
            .sorted { $0.entry.stored > $1.entry.stored }
    }

    /// Adds an entry, in the place of one of the same name.
    ///
    /// - Parameter capacity: bytes that all entries may take.
    /// - Returns: the entries that made way, without that of the same name; nil if the new one is too large itself.
    mutating func insert(
        _ content: Content, as name: CacheName, size: Int, stored: Date, capacity: Int
    ) -> [(name: CacheName, entry: Entry)]? {
        guard size <= capacity else { return nil }
        remove(name)
        let removed = shrink(to: capacity - size)
        uses += 1
        resources[name.resource, default: [:]][name.variant] = Entry(
            content: content, size: size, stored: stored, used: uses)
        self.size += size
        return removed
    }

    /// Notes that an entry was used now.
    mutating func use(_ name: CacheName) {
        uses += 1
        resources[name.resource]?[name.variant]?.used = uses
    }

    @discardableResult
    mutating func remove(_ name: CacheName) -> Entry? {
        guard let entry = resources[name.resource]?.removeValue(forKey: name.variant) else { return nil }
        if resources[name.resource]?.isEmpty == true { resources[name.resource] = nil }
        size -= entry.size
        return entry
    }

    /// Removes what was not used for the longest time, if the entries take more than some bytes.
    ///
    /// - Returns: what was removed.
    mutating func shrink(to capacity: Int) -> [(name: CacheName, entry: Entry)] {
        guard size > capacity else { return [] }
        var removed: [(name: CacheName, entry: Entry)] = []
        let room = Int(Double(max(0, capacity)) * Self.shareKept)
        for (name, entry) in all.sorted(by: { $0.entry.used < $1.entry.used }) {
            if size <= room { break }
            remove(name)
            removed.append((name, entry))
        }
        return removed
    }
}

extension CacheLedger: Sendable where Content: Sendable {}
extension CacheLedger.Entry: Sendable where Content: Sendable {}
