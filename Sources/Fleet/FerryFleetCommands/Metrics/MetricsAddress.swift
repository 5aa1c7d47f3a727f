import ArgumentParser
import FerryCore
import FerryFoundation

/// Where the figures of a worker are served.
struct MetricsAddress: Hashable, ExpressibleByArgument {
    var host: String
    var port: Int

    /// Parses `HOST:PORT`, or a port of loopback.
    init?(argument text: String) {
        let colon = text.lastIndex(of: ":")
        let number = colon.map { text[text.index(after: $0)...] } ?? text[...]
        guard let port = Int(number), (0...65_535).contains(port), number.utf8.allSatisfy(\.isASCIIDigit) else {
            return nil
        }
        var host = colon.map { String(text[..<$0]) } ?? "127.0.0.1"
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard !host.isEmpty, !host.hasControls else { return nil }
        (self.host, self.port) = (host, port)
    }
}
