package import FerryCore

/// A large number of URLs with their positions, grouped by origin as JSON that SQLite parses.
///
/// Takes little more memory than the text of the URLs.
package struct URLTable: Sendable {
    /// The URLs of one origin: a JSON object of URLs by position.
    package struct Group: Sendable {
        package let origin: String
        package fileprivate(set) var json: [UInt8] = [UInt8(ascii: "{")]
    }

    /// A URL whose user name and password are stored beside it.
    package struct Special: Sendable {
        package let place: Int
        package let reading: HTTPURLReader.Reading
    }

    package private(set) var groups: [Group] = []
    package private(set) var specials: [Special] = []
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

    /// Closes the open groups. Called after the last URL.
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

    /// Calls a closure with position, URL, origin and credentials of each URL, grouped by origin.
    package func forEach(
        _ body: (Int, String, String, Credentials?) throws(ServiceError) -> Void
    ) throws(ServiceError) {
        for group in groups {
            // Quotation marks surround positions and URLs and appear nowhere else.
            let parts = group.json.split(separator: UInt8(ascii: "\""))
            for index in stride(from: 1, to: parts.count - 2, by: 4) {
                guard let place = Int(String(decoding: parts[index], as: UTF8.self)) else { continue }
                try body(place, String(decoding: parts[index + 2], as: UTF8.self), group.origin, nil)
            }
        }
        for special in specials {
            let reading = special.reading
            try body(special.place, String(decoding: reading.bytes, as: UTF8.self), reading.origin, reading.credentials)
        }
    }

    /// The distinct origins, in no order.
    package var origins: Set<String> {
        Set(groups.map(\.origin)).union(specials.map(\.reading.origin))
    }

    /// Size in bytes of the JSON passed to SQLite at once.
    private static let groupSize = 256 << 10
    /// Maximum number of open groups.
    private static let mostOpen = 64
}

extension URLTable.Group {
    fileprivate mutating func append(_ url: [UInt8], at place: Int) {
        if json.count > 1 { json.append(UInt8(ascii: ",")) }
        json.append(UInt8(ascii: "\""))
        json.append(contentsOf: String(place).utf8)
        json.append(contentsOf: [UInt8(ascii: "\""), UInt8(ascii: ":"), UInt8(ascii: "\"")])
        // Canonical URLs contain nothing that JSON escapes.
        json.append(contentsOf: url)
        json.append(UInt8(ascii: "\""))
    }
}
