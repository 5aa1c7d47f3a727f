import FerryAPI
import FerryCore
import NIOCore

extension GatewaySettings {
    /// Returns these settings with a change applied.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request`, naming the invalid setting.
    func applying(_ change: GatewayChange) throws(ServiceError) -> GatewaySettings {
        var result = self
        result.isOn = change.isOn ?? isOn
        result.port = change.port ?? port
        result.addresses = change.addresses ?? addresses
        result.showsAll = change.showsAll ?? showsAll
        if let path = change.certificate { result.certificate = path.isEmpty ? nil : path }
        if let path = change.key { result.key = path.isEmpty ? nil : path }
        result.names = Self.edited(names, change.addedNames, change.removedNames)
        result.origins = Self.edited(
            origins, change.addedOrigins.map { $0.map(Self.withoutSlash) },
            change.removedOrigins.map { $0.map(Self.withoutSlash) })
        result.folders = Self.edited(
            folders, change.addedFolders.map { $0.map(Self.withoutSlash) },
            change.removedFolders.map { $0.map(Self.withoutSlash) })
        try result.validate()
        return result
    }

    /// - Throws: ``ServiceError`` with code `invalid_request`, naming the invalid setting.
    func validate() throws(ServiceError) {
        guard (1...65535).contains(port) else { throw Self.refusal("The port is 1 to 65535, not \(port).") }
        guard !addresses.isEmpty, addresses.count <= 16 else {
            throw Self.refusal("The gateway has 1 to 16 addresses, not \(addresses.count).")
        }
        for address in addresses where (try? SocketAddress(ipAddress: address, port: port)) == nil {
            throw Self.refusal("“\(address.escapingControls)” is not an IP address; write it as 127.0.0.1 or ::1.")
        }
        for name in names where name.isEmpty || name.utf8.count > 253 || !name.utf8.allSatisfy(Self.isOfName) {
            throw Self.refusal("“\(name.escapingControls)” is not a host name; write it without scheme and port.")
        }
        for origin in origins where !Self.isOrigin(origin) {
            throw Self.refusal(
                "“\(origin.escapingControls)” is not an origin; write scheme and host, as https://ariang.example, or * for all."
            )
        }
        guard !folders.isEmpty else { throw Self.refusal("The gateway needs a folder for files.") }
        for folder in folders where !AllowedFolders.isPlain(folder) {
            throw Self.refusal("“\(folder.escapingControls)” is not an absolute path without “..”.")
        }
        guard (certificate == nil) == (key == nil) else {
            throw Self.refusal("A certificate needs its key, and a key its certificate.")
        }
        for path in [certificate, key] where path?.hasPrefix("/") == false {
            throw Self.refusal("“\(path?.escapingControls ?? "")” is not an absolute path.")
        }
        for list in [names, origins, folders] where list.count > 256 || list.contains(where: { $0.utf8.count > 4096 }) {
            throw Self.refusal("The gateway has 256 names, origins and folders at most, each of 4096 bytes.")
        }
    }

    private static func edited(_ list: [String], _ added: [String]?, _ removed: [String]?) -> [String] {
        let removed = Set(removed ?? [])
        var result = list.filter { !removed.contains($0) }
        for item in added ?? [] where !result.contains(item) { result.append(item) }
        return result
    }

    private static func withoutSlash(_ text: String) -> String {
        var text = text
        while text.count > 1, text.hasSuffix("/") { text.removeLast() }
        return text
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte >= 0x80 || "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_[]:".utf8.contains(byte)
    }

    private static func isOrigin(_ text: String) -> Bool {
        if text == "*" || text == "null" { return true }
        // Scheme, `://`, host and an optional port, and nothing else (RFC 6454 §7.1).
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 3 && parts[0].count > 1 && parts[0].hasSuffix(":") && parts[1].isEmpty
            && !parts[2].isEmpty && !parts[2].contains(where: { "?#@ ".contains($0) }) && !text.hasControls
    }

    private static func refusal(_ sentence: String) -> ServiceError { ServiceError(.invalidRequest, sentence) }
}
