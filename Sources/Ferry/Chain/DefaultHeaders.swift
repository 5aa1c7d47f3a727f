// Ferry: Ferry
// The fields that a chain's requests begin with.

import Foundation

/// The fields that requests begin with: what languages the user reads, and which program asks.
enum DefaultHeaders {
    static var all: HTTPHeaders {
        ["Accept-Encoding": "identity", "Accept-Language": languages(Locale.preferredLanguages), "User-Agent": agent]
    }

    /// The user's languages with falling weights (RFC 9110 §12.5.4).
    static func languages(_ languages: [String]) -> String {
        let named = languages.prefix(6).enumerated().map { index, language in
            index == 0 ? language : "\(language);q=0.\(10 - index)"
        }
        return named.isEmpty ? "en" : named.joined(separator: ", ")
    }

    private static var agent: String {
        let program = ProcessInfo.processInfo.processName
        let system = ProcessInfo.processInfo.operatingSystemVersionString
        let printable = program.unicodeScalars.filter { $0.isASCII && $0.properties.generalCategory != .control }
        return "\(String(String.UnicodeScalarView(printable))) (\(system.filter(\.isASCII))) Ferry"
    }
}
