import FerryClient
package import FerryCore
import Foundation

/// Converts a session's proxies to proxy environment variables (docs/behaviour/url-session.md#28).
enum ProxyMapping {
    /// - Parameters:
    ///   - dictionary: The configuration's own proxies, if any.
    ///   - inherited: The proxies of the app's environment.
    static func environment(_ dictionary: [AnyHashable: Any]?, inherited: [String: String]) -> [String: String] {
        guard let dictionary else { return inherited }
        var result: [String: String] = [:]
        result["http_proxy"] = proxy("HTTP", "http", dictionary)
        result["https_proxy"] = proxy("HTTPS", "http", dictionary)
        result["all_proxy"] = proxy("SOCKS", "socks5", dictionary)
        if let exceptions = dictionary["ExceptionsList"] as? [String], !exceptions.isEmpty {
            // `*.local` is written `.local` in the variable.
            result["no_proxy"] = exceptions.map { $0.hasPrefix("*.") ? String($0.dropFirst()) : $0 }.joined(
                separator: ",")
        }
        return result
    }

    private static func proxy(_ prefix: String, _ scheme: String, _ dictionary: [AnyHashable: Any]) -> String? {
        guard number(dictionary[prefix + "Enable"]) ?? 0 != 0, let host = dictionary[prefix + "Proxy"] as? String,
            !host.isEmpty
        else { return nil }
        let shown = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return number(dictionary[prefix + "Port"]).map { "\(scheme)://\(shown):\($0)" } ?? "\(scheme)://\(shown)"
    }

    private static func number(_ value: Any?) -> Int? {
        switch value {
        case let number as Int: number
        case let flag as Bool: flag ? 1 : 0
        case let number as NSNumber: number.intValue
        case let text as String: Int(text)
        default: nil
        }
    }
}

extension CallerEnvironment {
    /// The current environment of this app.
    package static var ofApp: CallerEnvironment {
        CallerEnvironment(
            variables: ProcessInfo.processInfo.environment, umask: .ofProcess,
            currentFolder: FileManager.default.currentDirectoryPath)
    }
}
