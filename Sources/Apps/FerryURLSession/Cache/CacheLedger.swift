import Foundation

/// The name of a cached response: its resource, and the variant selected by the request's fields.
struct CacheName: Hashable, Sendable {
    var resource: String
    var variant: String
}

/// The index of a cache of limited size. Evicts the least recently used responses.
struct CacheLedger<Content> {
    struct Entry {
        var content: Content
        /// Size in bytes.
        var size: Int
        var stored: Date
        /// The use counter's value at the last use. The lowest is the least recently used.
        fileprivate var used: Int
    }

    /// Share of the capacity that remains after an eviction. Eviction frees more than needed, since it looks at every
    /// entry.
    private static var shareKept: Double { 7 / 8 }

    /// Size of all entries in bytes.
    private(set) var size = 0
    private var resources: [String: [String: Entry]] = [:]
    private var uses = 0

    var all: [(name: CacheName, entry: Entry)] {
        resources.flatMap { resource, variants in
            variants.map { (CacheName(resource: resource, variant: $0), $1) }
        }
    }

    /// Returns the responses to a request, newest first.
    func candidates(for resource: String) -> [(name: CacheName, entry: Entry)] {
        (resources[resource] ?? [:]).map { (CacheName(resource: resource, variant: $0), $1) }
            .sorted { $0.entry.stored > $1.entry.stored }
    }

    /// Adds an entry, replacing one of the same name.
    ///
    /// - Parameter capacity: Maximum size of all entries in bytes.
    /// - Returns: The evicted entries, without the replaced one; nil if the new entry alone exceeds the capacity.
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

    /// Marks an entry as most recently used.
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

    /// Evicts the least recently used entries if the entries exceed `capacity` bytes.
    ///
    /// - Returns: The evicted entries.
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
