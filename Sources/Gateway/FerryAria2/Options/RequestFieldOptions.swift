import FerryCore
import FerryFoundation

/// The options that become header fields of a request.
extension OptionValues {
    /// Returns the header fields. A field of `header` takes precedence over the same field from another option.
    ///
    /// - Parameter url: The value of `referer` for `*`.
    func headers(for url: String) throws(RPCFault) -> [HeaderField] {
        var fields: [HeaderField] = []
        for line in (values["header"] ?? "").utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            fields.append(try Self.field(String(Substring(line))))
        }
        func add(_ name: String, _ value: String?) {
            guard let value, !fields.contains(where: { $0.isNamed(name) }) else { return }
            fields.append(HeaderField(name: name, value: value))
        }
        add("User-Agent", text("user-agent"))
        add("Referer", text("referer").map { $0 == "*" ? url : $0 })
        if try flag("http-no-cache") == true {
            add("Cache-Control", "no-cache")
            add("Pragma", "no-cache")
        }
        if let user = text("http-user") {
            let credentials = Data("\(user):\(values["http-passwd"] ?? "")".utf8).base64EncodedString()
            add("Authorization", "Basic \(credentials)")
        }
        return fields
    }

    private static func field(_ line: String) throws(RPCFault) -> HeaderField {
        let halves = line.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2 else { throw .option("header") }
        let name = String(Substring(halves[0])).trimmingFieldSpace
        guard !name.isEmpty else { throw .option("header") }
        return HeaderField(name: name, value: String(Substring(halves[1])).trimmingFieldSpace)
    }
}
