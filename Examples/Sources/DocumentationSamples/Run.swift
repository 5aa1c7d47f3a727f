// Runs one sample of the articles unchanged, so that a test can check its effect. Its handlers print. The program runs
// until it is ended.
//
//     swift run DocumentationSamples chain https://example.org/file.iso 9f86d0…

import Ferry
import Foundation

/// The inputs of samples: a URL, the SHA-256 of its file, and the current folder.
struct Settings: Sendable {
    let url: URL
    let code: String
    let folder = URL(fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true)

    func manager(_ identifier: String = "samples") -> SessionManager {
        SessionManager(identifier, configuration: SessionConfiguration())
    }

    func task(_ manager: SessionManager) async throws -> DownloadTask {
        try await manager.enqueue(DownloadSpec(url))
    }
}

@main struct Run {
    typealias Sample = @Sendable (Settings) async throws -> Void

    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 4, let sample = samples[words[1]], let url = URL(string: words[2]) else {
            print(
                "usage: DocumentationSamples SAMPLE URL SHA-256; samples: \(samples.keys.sorted().joined(separator: " "))"
            )
            exit(64)
        }
        try await sample(Settings(url: url, code: words[3]))
        print("returned")
        while true { try await Task.sleep(for: .seconds(60)) }
    }

    static let samples = alamofire.merging(tiercel) { $1 }.merging(server) { $1 }.merging(asynchronous) { $1 }

    static let alamofire: [String: Sample] = [
        "chain": { chain($0.url, into: $0.folder) },
        "localManager": { localManager($0.url) },
        "takeUp": { _ in takeUp(SessionManager(configuration: .background(withIdentifier: "com.example.reports"))) },
        "trust": { settings in
            trust().download(settings.url, to: DownloadRequest.suggestedDownloadDestination())
                .response { print("trusted", $0.response?.statusCode ?? 0, $0.error.map { "\($0)" } ?? "") }
        },
        "goOnLater": { settings in
            let place = settings.folder.appendingPathComponent("later.bin")
            goOnLater(.default, settings.url) { _, _ in (place, []) }
        },
        "tokens": { settings in
            let (manager, tokens) = (SessionManager(configuration: .default), Tokens())
            manager.adapter = tokens
            manager.retrier = tokens
            manager.download(settings.url).response { print("renewed", $0.response?.statusCode ?? 0) }
        },
        "latest": { print("version", try await latest($0.url).version) },
        "place": { settings in
            place(settings.url, into: settings.folder, with: SessionManager(configuration: .default))
        },
    ]

    static let tiercel: [String: Sample] = [
        "firstManager": { firstManager($0.url.absoluteString) },
        "tell": { settings in
            let manager = settings.manager()
            tell(manager)
            manager.download(settings.url)
        },
        "findWaiting": { settings in
            let manager = settings.manager()
            _ = try await settings.task(manager)
            findWaiting(manager)
        },
        "AppDelegate": { _ in
            print(AppDelegate().manager.identifier)
        },
        "cacheOfItsOwn": { settings in print(cacheOfItsOwn(settings.url.absoluteString)?.fileName ?? "no task") },
        "compare": { settings in
            let task = try await settings.task(settings.manager())
            _ = try await task.value
            compare(task)
        },
        "keepModel": { print("a model", keepModel($0.url.absoluteString).model.url ?? "without a URL") },
        "film": { _ in film() },
    ]

    static let server: [String: Sample] = [
        "Mirror": { settings in
            let mirror = Mirror(manager: serverManager())
            let tasks = try await mirror.fetch(["one": settings.url, "two": settings.url], into: settings.folder)
            try await mirror.finish(tasks) { print("indexed", $0.lastPathComponent) }
        },
        "startFailedAgain": { settings in
            let mirror = Mirror(manager: serverManager())
            let tasks = try await mirror.fetch(["one": settings.url], into: settings.folder)
            do { try await mirror.finish(tasks) { _ in } } catch { print("failed") }
            try await mirror.startFailedAgain()
            try await mirror.finish(tasks) { print("indexed", $0.lastPathComponent) }
        },
        "loggingManager": { settings in _ = try await settings.task(loggingManager()).value },
        "ServiceLogger": { settings in
            let logger = ServiceLogger(identifier: "service")
            let manager = SessionManager("service", configuration: SessionConfiguration(), logger: logger)
            _ = try await settings.task(manager).value
        },
    ]

    static let asynchronous: [String: Sample] = [
        "wait": { try await wait($0.manager()) },
        "sayMore": { settings in
            let task = try await sayMore(settings.manager(), folder: settings.folder, code: settings.code)
            await follow(task)
        },
        "result": { settings in await result(of: try await settings.task(settings.manager())) },
        "steer": { settings in
            let manager = settings.manager()
            let task = try await settings.task(manager)
            try await steer(task, of: manager)
            print("steered", try await task.value.lastPathComponent)
        },
        "replace": { settings in
            let task = try await settings.task(settings.manager())
            await result(of: task)
            try await replace(task, by: settings.url, token: "fresh")
            print("replaced", try await task.value.lastPathComponent)
        },
        "group": { settings in
            let manager = settings.manager()
            var spec = try DownloadSpec(settings.url)
            spec.tags = ["images"]
            _ = try await manager.enqueue(spec).value
            group(manager)
        },
        "limitAndWait": { settings in
            var spec = try DownloadSpec(settings.url)
            limitAndWait(&spec, mirror: settings.url.appendingPathComponent("mirror"))
            print("limited", try await settings.manager().enqueue(spec).status.rawValue)
        },
    ]
}
