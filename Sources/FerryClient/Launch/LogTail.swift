import Foundation

/// The end of a log file.
enum LogTail {
    /// The last lines; nil if the file cannot be read.
    static func lines(of path: String, count: Int) -> [String]? {
        guard let file = LogFile.read(path) else { return nil }
        defer { try? file.close() }
        guard let end = try? file.seekToEnd() else { return nil }
        try? file.seek(toOffset: end > 8192 ? end - 8192 : 0)
        guard let data = try? file.readToEnd() else { return [] }
        return String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).suffix(count).map(String.init)
    }
}
