// The app's output.

import BackgroundURLSession

/// The app's output. A process launched by the daemon writes to a file that its user can read.
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
