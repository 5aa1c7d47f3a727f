// Samples of the article about async and await.

import Ferry
import Foundation

func wait(_ manager: SessionManager) async throws {
    let file = try await manager.download(from: "https://example.org/image.iso")
    print(file.path)
}

func sayMore(_ manager: SessionManager, folder: URL, code: String) async throws -> DownloadTask {
    var spec = try DownloadSpec("https://example.org/image.iso")
    spec.id = DownloadTask.ID(rawValue: "image")
    spec.destination = .directory(folder)
    spec.checksum = Checksum(.sha256, code)
    spec.priority = 5
    spec.tags = ["images"]
    spec.metadata = ["title": "An image"]
    let task = try await manager.enqueue(spec)
    return task
}

func follow(_ task: DownloadTask) async {
    for await event in task.events {
        switch event {
        case .state(let status, let reason): print(status, reason.map { "\($0)" } ?? "")
        case .response(let status, _): print("HTTP", status)
        case .restarted(let reason): print("from the beginning:", reason)
        case .progress(let progress):
            print(progress.receivedBytes, "of", progress.expectedBytes.map { "\($0)" } ?? "unknown")
        case .succeeded(let file): print(file.path)
        case .failed(let error): print(error.localizedDescription)
        case .canceled, .removed: print("gone")
        }
    }
}

func result(of task: DownloadTask) async {
    do {
        print(try await task.value.path)
    } catch .unacceptableStatusCode(let code) {
        print("The server says \(code).")
    } catch {
        print(error.localizedDescription)
    }
}

func steer(_ task: DownloadTask, of manager: SessionManager) async throws {
    try await task.suspend()
    try await task.setPriority(10)
    try await task.start()
    try await manager.suspendAll()
    try await manager.startAll()
}

func replace(_ task: DownloadTask, by fresh: URL, token: String) async throws {
    try await task.replaceRequest(url: fresh, headers: ["Authorization": "Bearer \(token)"])
    try await task.start()
}

func group(_ manager: SessionManager) {
    let images = manager.tasks(taggedWith: "images")
    let progress = manager.progress(taggedWith: "images")
    print(images.count, progress.receivedBytes, progress.expectedBytes.map { "\($0)" } ?? "unknown")
}

func limitAndWait(_ spec: inout DownloadSpec, mirror: URL) {
    spec.connections = 4
    spec.mirrors = [mirror]
    spec.maxBytesPerSecond = 2_000_000
    spec.conditions.notBefore = Date(timeIntervalSinceNow: 3600)
    spec.conditions.isDiscretionary = true
}

func silence(_ manager: SessionManager) {
    manager.logger.option = .none
}
