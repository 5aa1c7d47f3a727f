import Ferry
import Foundation

/// A command of the app: words, some of them `key=value`.
///
/// | command | effect |
/// |---|---|
/// | `run` | as an argument: uses `BackgroundApplication.run(delegate:)` |
/// | `register COMMAND ; COMMAND …` | registers this program with its identifier and these commands as the launch command |
/// | `manager key=value…` | makes a manager: `limit`, `host`, `rate`, `timeout`, `cellular`, `cache` |
/// | `configure key=value…` | changes the configuration of the manager made last |
/// | `release`, `invalidate` | releases or invalidates all managers |
/// | `download URL [NAME]` | downloads |
/// | `many COUNT URL` | downloads `URL-0`, `URL-1`, … with one call |
/// | `start URL`, `suspend URL`, `cancel URL`, `remove URL`, `delete URL` | calls the method; `delete`: completely |
/// | `total-start`, `total-suspend`, `total-cancel`, `total-remove` | calls the method of this name |
/// | `enqueue URL key=value…` | with `file`, `directory`, `method`, `body`, `tag`, `metadata`, `priority` |
/// | `fetch URL` | downloads with `download(from:)`, without delaying the next command |
/// | `validate URL CODE` | compares with an MD5 |
/// | `replace URL OTHER` | gives the task another URL |
/// | `priority URL NUMBER` | sets the task's priority |
/// | `chain URL FILE` | downloads to a file with the download chain |
/// | `local-chain URL FILE` | the same, with a manager that only this command holds |
/// | `restored` | logs the restored requests that were not taken up yet |
/// | `observe` | registers closures on the manager and on all its tasks |
/// | `events URL` | observes the events of a task |
/// | `notifications` | observes the notifications of tasks |
/// | `completion` | sets the manager's completion handler |
/// | `status` | logs all tasks, and then their number |
/// | `tagged TAG` | logs the progress of a group |
/// | `metadata URL` | logs the metadata stored with a task |
/// | `bytes URL NUMBER` | waits until the task has received this number of bytes |
/// | `reaches URL STATUS` | waits until a task has this status |
/// | `ended` | waits until no task waits or runs |
/// | `kill`, `exit` | ends the process by SIGKILL or by a normal exit |
struct Command: Sendable {
    let name: String
    /// All words after the name.
    let rest: String
    /// The words without `=`.
    let words: [String]
    let options: [String: String]

    init(_ line: String) {
        let all = line.split(separator: " ").map(String.init)
        name = all.first ?? ""
        rest = all.dropFirst().joined(separator: " ")
        words = all.dropFirst().filter { !$0.contains("=") }
        let pairs = all.dropFirst().compactMap { word -> (String, String)? in
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
        options = Dictionary(pairs) { $1 }
    }

    /// Returns the word at an index, or an empty string if there are fewer.
    func word(_ index: Int) -> String { index < words.count ? words[index] : "" }

    /// Applies the options to a configuration.
    func apply(to configuration: inout SessionConfiguration) {
        for (key, value) in options {
            switch key {
            case "limit": configuration.maxConcurrentTasksLimit = Int(value) ?? 1
            case "host": configuration.maxTasksPerHost = Int(value)
            case "rate": configuration.maxBytesPerSecond = Int64(value)
            case "timeout": configuration.timeoutIntervalForRequest = Double(value) ?? 60
            case "cellular": configuration.allowsCellularAccess = value == "true"
            default: break
            }
        }
    }

    /// Returns the download described by the options.
    func spec() throws(FerryError) -> DownloadSpec {
        var spec = try DownloadSpec(word(0))
        for (key, value) in options {
            switch key {
            case "file": spec.destination = .file(URL(fileURLWithPath: value))
            case "directory": spec.destination = .directory(URL(fileURLWithPath: value))
            case "method": spec.method = HTTPMethod(rawValue: value) ?? .get
            case "body": spec.body = Data(value.utf8)
            case "tag": spec.tags = [value]
            case "metadata": spec.metadata = ["note": value]
            case "priority": spec.priority = Int(value) ?? 0
            default: break
            }
        }
        return spec
    }
}
