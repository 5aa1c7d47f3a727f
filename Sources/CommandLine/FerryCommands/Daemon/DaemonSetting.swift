import ArgumentParser
import FerryCore

/// A setting of the daemon: its display, and its parsing.
struct DaemonSetting {
    /// The JSON key.
    let name: String
    let meaning: String
    let range: String
    let text: (ServiceSettings) -> String
    /// Parses a value into a change. Returns nil if it is invalid.
    let read: (String, inout ServiceSettingsChange) throws -> Void?

    static var all: [DaemonSetting] {
        [
            number(.activeTransfers, "running transfers", \.activeTransfers, \.activeTransfers),
            number(.connectionsPerHost, "connections per host", \.connectionsPerHost, \.connectionsPerHost),
            number(.connectionsTotal, "connections in total", \.connectionsTotal, \.connectionsTotal),
            number(
                .smallFilesPerHost, "small files of one host at a time, if that is faster", \.smallFilesPerHost,
                \.smallFilesPerHost),
            bytes(.rateLimit, "bytes per second in total, 0 for no limit", \.rateLimit, \.rateLimit),
            bytes(
                .uploadRateLimit, "bytes per second of uploads, 0 for no separate limit", \.uploadRateLimit,
                \.uploadRateLimit),
            flag("slow", "whether slow_rate_limit applies", \.isSlow, \.isSlow),
            bytes(.slowRateLimit, "bytes per second in total while slow is true", \.slowRateLimit, \.slowRateLimit),
            bytes(.reserve, "bytes to keep free on each disk", \.reserve, \.reserve),
            flag("constrained", "whether to use networks sparingly (low data mode)", \.constrained, \.constrained),
        ]
    }

    private static func flag(
        _ name: String, _ meaning: String, _ value: KeyPath<ServiceSettings, Bool>,
        _ changed: WritableKeyPath<ServiceSettingsChange, Bool?>
    ) -> DaemonSetting {
        DaemonSetting(
            name: name, meaning: meaning, range: "true or false", text: { "\($0[keyPath: value])" },
            read: { text, change in Bool(text).map { change[keyPath: changed] = $0 } })
    }

    private static func number(
        _ range: SettingRange<Int>, _ meaning: String, _ value: KeyPath<ServiceSettings, Int>,
        _ changed: WritableKeyPath<ServiceSettingsChange, Int?>
    ) -> DaemonSetting {
        DaemonSetting(
            name: range.key, meaning: meaning, range: range.words, text: { "\($0[keyPath: value])" },
            read: { text, change in Int(text).map { change[keyPath: changed] = $0 } })
    }

    private static func bytes(
        _ range: SettingRange<Int64>, _ meaning: String, _ value: KeyPath<ServiceSettings, Int64>,
        _ changed: WritableKeyPath<ServiceSettingsChange, Int64?>
    ) -> DaemonSetting {
        DaemonSetting(
            name: range.key, meaning: meaning, range: range.words, text: { ByteText.exact($0[keyPath: value]) },
            read: { text, change in change[keyPath: changed] = try ByteAmount.parse(text) })
    }
}

extension ServiceSettingsChange {
    /// Parses `name=value` words.
    ///
    /// - Throws: `ValidationError` with the allowed values.
    init(words: [String]) throws {
        self.init()
        for word in words {
            guard let sign = word.firstIndex(of: "=") else {
                throw ValidationError("“\(word.escapingControls)” has no value; write it as active_transfers=8.")
            }
            let (name, value) = (String(word[..<sign]), String(word[word.index(after: sign)...]))
            guard let setting = DaemonSetting.all.first(where: { $0.name == name }) else {
                let names = DaemonSetting.all.map(\.name).joined(separator: ", ")
                throw ValidationError("There is no setting “\(name.escapingControls)”; the settings are \(names).")
            }
            guard try setting.read(value, &self) != nil else {
                throw ValidationError("\(name) is \(setting.range), not “\(value.escapingControls)”.")
            }
        }
    }
}
