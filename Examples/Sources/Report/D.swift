// D.swift
import Foundation
import Ferry
@main struct Report {
    static func main() async throws {
        let manager = SessionManager("reports", configuration: SessionConfiguration())
        var spec = try DownloadSpec(CommandLine.arguments[1])
        spec.destination = .file(FileManager.default.temporaryDirectory.appendingPathComponent("report.bin"))
        let task = try await manager.enqueue(spec)
        for await event in task.events { if case .progress(let progress) = event { print(progress.receivedBytes, progress.expectedBytes ?? 0) } }
        print(try await task.value.path, try await manager.download(from: CommandLine.arguments[2]).path)
    }
}
