// Ferry: FerryStore
// Very many URLs, in the form in which SQLite takes them.

package import FerryCore

/// Very many URLs with their places, gathered by origin as JSON that SQLite reads by itself.
///
/// Takes little more memory than the text of the URLs.
package struct URLTable: Sendable {
    /// URLs of one origin: a JSON object of URLs by their places.
    struct Group: Sendable {
        let origin: String
        var count = 0
        /// Place of the last of them.
        var last = 0
        var json: [UInt8] = [UInt8(ascii: "{")]
    }

    /// A URL whose user and password are stored beside it.
    struct Special: Sendable {
        let place: Int
        let reading: HTTPURLReader.Reading
    }

    private(set) var groups: [Group] = []
    private(set) var specials: [Special] = []
    package private(set) var count = 0
    private var open: [Group] = []
    private var current = 0
    private var openBytes = 0

    package init() {}

    package mutating func append(_ reading: HTTPURLReader.Reading) {
        defer { count += 1 }
        guard reading.credentials == nil else { return specials.append(Special(place: count, reading: reading)) }
        if !open.indices.contains(current) || open[current].origin != reading.origin {
            current = open.firstIndex { $0.origin == reading.origin } ?? open.count
            if current == open.count { open.append(Group(origin: reading.origin)) }
        }
        open[current].append(reading.bytes, at: count)
        openBytes += reading.bytes.count + 12
        if openBytes >= Self.groupSize || open.count >= Self.mostOpen { finish() }
    }

    /// Ends what is being gathered; called after the last URL.
    package mutating func finish() {
        for group in open {
            var group = group
            group.json.append(UInt8(ascii: "}"))
            groups.append(group)
        }
        open = []
        current = 0
        openBytes = 0
    }

    /// The origins, each once, in no order.
    package var origins: Set<String> {
        Set(groups.map(\.origin)).union(specials.map(\.reading.origin))
    }

    /// Bytes that SQLite is given at once.
    private static let groupSize = 256 << 10
    /// Origins that are gathered at the same time.
    private static let mostOpen = 64
}

extension URLTable.Group {
    fileprivate mutating func append(_ url: [UInt8], at place: Int) {
        if count > 0 { json.append(UInt8(ascii: ",")) }
        json.append(UInt8(ascii: "\""))
        json.append(contentsOf: String(place).utf8)
        json.append(contentsOf: [UInt8(ascii: "\""), UInt8(ascii: ":"), UInt8(ascii: "\"")])
        // Canonical URLs hold nothing that JSON escapes.
        json.append(contentsOf: url)
        json.append(UInt8(ascii: "\""))
        count += 1
        last = place
    }
}
