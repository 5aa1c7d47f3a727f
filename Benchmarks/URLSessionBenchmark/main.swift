// The benchmark of URLSession for scripts/bench: one download in the app, and many tasks in the daemon.
//
// Usage: URLSessionBenchmark download URL FILE | tasks COUNT URL

import BackgroundURLSession

let words = Array(CommandLine.arguments.dropFirst())
switch (words.first, words.count) {
case ("download", 3): try await download(words[1], to: words[2])
case ("tasks", 3): try makeTasks(Int(words[1]) ?? 0, words[2])
default:
    print("usage: URLSessionBenchmark download URL FILE | tasks COUNT URL")
    exit(64)
}

/// Downloads with a default session and moves the file to its place.
func download(_ address: String, to path: String) async throws {
    guard let url = URL(string: address) else { throw URLError(.badURL) }
    let (file, _) = try await URLSession(configuration: .default).download(from: url)
    try FileManager.default.moveItem(at: file, to: URL(fileURLWithPath: path))
}

/// Makes and resumes background tasks one by one and prints what one costs, as JSON.
func makeTasks(_ count: Int, _ address: String) throws {
    guard let url = URL(string: address) else { throw URLError(.badURL) }
    final class Silent: NSObject, URLSessionDownloadDelegate {
        func urlSession(_: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo: URL) {}
    }
    let configuration = URLSessionConfiguration.background(withIdentifier: "benchmark")
    let session = URLSession(configuration: configuration, delegate: Silent(), delegateQueue: nil)
    var tasks = [session.downloadTask(with: url)]
    tasks.reserveCapacity(count + 1)
    let memory = residentBytes()
    let clock = ContinuousClock()
    let creating = clock.measure { for _ in 0..<count { tasks.append(session.downloadTask(with: url)) } }
    let idle = residentBytes() - memory
    let resuming = clock.measure { for task in tasks { task.resume() } }
    print(
        """
        {"tasks": \(count), "create": \(creating / .seconds(1)), "resume": \(resuming / .seconds(1)), \
        "bytes_per_idle_task": \(idle / max(count, 1))}
        """)
    session.invalidateAndCancel()
}

/// Resident memory that no file backs.
func residentBytes() -> Int {
    let lines = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = lines.split(separator: "\n").first { $0.hasPrefix("RssAnon") } ?? ""
    return (line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0) * 1024
}
