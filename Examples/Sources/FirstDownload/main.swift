// Downloads one URL into the current folder, under the server's name, and prints the file's path. Stopped midway and
// started again, it resumes the download.
// Usage: FirstDownload URL

import Ferry
import Foundation

guard CommandLine.arguments.count == 2 else {
    print("Usage: FirstDownload URL\nDownloads a file into the current folder. Started again, it resumes.")
    exit(2)
}
let folder = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
let manager = SessionManager("first", configuration: SessionConfiguration())
manager.logger.option = .none
do {
    var spec = try DownloadSpec(CommandLine.arguments[1])
    spec.id = DownloadTask.ID(rawValue: "\(spec.url) in \(folder.path)")
    spec.destination = .directory(folder)
    let task = try await manager.enqueue(spec)
    for await case .progress(let progress) in task.events {
        print(progress.receivedBytes, "of", progress.expectedBytes.map { "\($0)" } ?? "unknown", "bytes")
    }
    print("succeeded", try await task.value.path)
} catch {
    print(error.localizedDescription)
    exit(1)
}
