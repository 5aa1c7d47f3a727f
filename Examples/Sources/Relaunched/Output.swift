// Where the app's lines go.

import BackgroundURLSession

/// Where the app's lines go: a process that the daemon has started writes to a file, where its user reads.
enum Output {
    private static let file: FileHandle = {
        guard let path = Settings().log else { return .standardOutput }
        try? FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        let file = FileHandle(forWritingAtPath: path)
        _ = try? file?.seekToEnd()
        return file ?? .standardOutput
    }()

    static func say(_ line: String) { file.write(Data((line + "\n").utf8)) }
}
