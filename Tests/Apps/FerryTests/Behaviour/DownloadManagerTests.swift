import FerryTesting
import Foundation
import Testing

@testable import Ferry

@Suite(.timeLimit(.minutes(2))) struct `The download manager` {
    private static let body = FerryFixture.body
    private static let held = OriginScript(
        body, .on(.path("/held*"), .hold("go", at: .body(100_000))), .on(.path("/bad*"), .status(404)))

    private func manager(_ fixture: FerryFixture, limit: Int = 3) -> DownloadManager {
        let manager = fixture.make { DownloadManager(identifier: fixture.identifier, cache: fixture.cache()) }
        manager.maxDownloadCount = limit
        return manager
    }

    private func model(_ url: String, name: String? = nil) -> DownloadModel {
        let model = DownloadModel()
        model.model.url = url
        model.model.name = name
        return model
    }

    private func reaches(_ model: DownloadModel, _ state: DownloadState) async throws {
        do {
            try await eventually { model.states == state && model.model.state == state }
        } catch is TestingError {
            throw TestingError("\(model.model.url ?? "-") is \(model.states), \(model.model.state); not \(state)")
        }
    }

    @Test func `a model keeps a stream of its app`() {
        let model = DownloadModel()
        #expect(model.stream == nil)
        let stream = OutputStream(toMemory: ())
        model.stream = stream
        #expect(model.stream === stream)
    }

    @Test func `the shared manager has three at a time`() async throws {
        try await withFerry { fixture in
            // The only use of the shared manager in these tests. It connects to the daemon of the first such test.
            let manager = fixture.make { DownloadManager.default }
            #expect(manager === DownloadManager.default && manager.maxDownloadCount == 3)
            #expect(manager.getDownloadModels().isEmpty)
        }
    }

    @Test func `a model follows its download`() async throws {
        try await withFerry(Self.held) { fixture in
            let manager = manager(fixture)
            let url = fixture.origin.url("/held")
            let model = model(url, name: "A film")
            #expect(model.states == .default && model.model.totalLength == 0)
            let told = Notes<String>()
            let token = NotificationCenter.default.addObserver(
                forName: DownloadProgressNotification, object: nil, queue: nil
            ) { notification in
                guard let subject = notification.object as? DownloadDescModel, subject.url == url else { return }
                told.add(subject.state.rawValue)
            }
            defer { NotificationCenter.default.removeObserver(token) }
            manager.download(model: model)
            try await eventually("bytes come") { model.model.receivedSize == 100_000 }
            #expect(model.model.totalLength == 300_000 && model.states == .start)
            #expect(abs(model.model.progress - 1.0 / 3) < 0.01)
            fixture.origin.release("go")
            try await reaches(model, .completed)
            #expect(model.model.receivedSize == 300_000 && model.model.progress == 1)
            try await told.wait(for: "completed")
            #expect(told.all.contains("start") && told.all.last == "completed")
        }
    }

    @Test func `notifications come on the main queue`() async throws {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
        try await withFerry { fixture in
            let url = fixture.origin.url()
            let places = Notes<Bool>()
            let token = NotificationCenter.default.addObserver(
                forName: DownloadProgressNotification, object: nil, queue: nil
            ) { notification in
                guard (notification.object as? DownloadDescModel)?.url == url else { return }
                places.add(DispatchQueue.getSpecific(key: key) ?? false)
            }
            defer { NotificationCenter.default.removeObserver(token) }
            let model = model(url)
            manager(fixture).download(model: model)
            try await reaches(model, .completed)
            try await places.wait(count: 1)
            #expect(!places.all.contains(false))
        }
    }

    /// A regression: a notification posted on the main queue waited for the main queue.
    @Test func `an observer on the main queue hears of downloads and of an address that is none`() async throws {
        try await withFerry { fixture in
            let url = fixture.origin.url()
            let told = Notes<String>()
            let token = NotificationCenter.default.addObserver(
                forName: DownloadProgressNotification, object: nil, queue: .main
            ) { notification in
                guard let subject = notification.object as? DownloadDescModel else { return }
                told.add("\(subject.url ?? "") \(subject.state.rawValue)")
            }
            defer { NotificationCenter.default.removeObserver(token) }
            let (good, bad) = (model(url), model("nonsense \(fixture.identifier)"))
            manager(fixture).download(model: good)
            manager(fixture).download(model: bad)
            try await told.wait(for: "\(url) completed")
            try await told.wait(for: "nonsense \(fixture.identifier) failed")
        }
    }

    @Test(arguments: ["", "nonsense", "ftp://a/b", nil] as [String?])
    func `a model without an http URL fails`(url: String?) async throws {
        try await withFerry { fixture in
            let manager = manager(fixture)
            let model = DownloadModel()
            model.model.url = url
            manager.download(model: model)
            try await reaches(model, .failed)
            let stored = try await fixture.stored()
            #expect(stored == 0)
        }
    }

    @Test func `a paused download keeps its bytes and resumes with the same call`() async throws {
        let script = OriginScript(Self.body, .on(.request(1), .hold("never", at: .body(100_000))))
        try await withFerry(script) { fixture in
            let manager = manager(fixture)
            let url = fixture.origin.url()
            let model = model(url)
            manager.download(model: model)
            try await eventually("bytes come") { model.model.receivedSize == 100_000 }
            #expect(manager.isExistence(url: url) && !manager.isCompletion(url: url) && manager.getFile(url: url) == "")
            manager.cancelTask(url: url)
            try await reaches(model, .suspended)
            #expect(model.model.receivedSize == 100_000 && manager.getCacheSize() == 100_000)
            manager.download(model: model)
            try await reaches(model, .completed)
            #expect(fixture.origin.requests.last?.value("Range") == "bytes=100000-")
            #expect(manager.isExistence(url: url) && manager.isCompletion(url: url))
            #expect(try FileDigest.sha256(manager.getFile(url: url)) == Self.body.sha256Hex)
            #expect(manager.getCacheSize() == 300_000)
        }
    }

    @Test func `a failed download is tried again`() async throws {
        try await withFerry(OriginScript(Self.body, .on(.request(1), .status(404)))) { fixture in
            let manager = manager(fixture)
            let model = model(fixture.origin.url())
            manager.download(model: model)
            try await reaches(model, .failed)
            manager.download(model: model)
            try await reaches(model, .completed)
        }
    }

    /// docs/behaviour/session-manager.md#M2
    @Test(arguments: ["gone", "older", "newer", "linked", "longer"])
    func `a file that is not as it was downloaded is no completion`(change: String) async throws {
        try await withFerry { fixture in
            let manager = manager(fixture)
            let url = fixture.origin.url()
            #expect(!manager.isExistence(url: url) && !manager.isCompletion(url: url) && manager.getCacheSize() == 0)
            let model = model(url)
            manager.download(model: model)
            try await reaches(model, .completed)
            let path = manager.getFile(url: url)
            #expect(manager.isCompletion(url: url) && manager.getCacheSize() == 300_000)
            switch change {
            case "gone": try FileManager.default.removeItem(atPath: path)
            case "longer":
                let file = try FileHandle(forWritingTo: URL(filePath: path))
                try file.seekToEnd()
                try file.write(contentsOf: Data("more".utf8))
                try file.close()
            case "linked":
                try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path + ".moved")
            default:
                let date = change == "older" ? Date(timeIntervalSince1970: 1_000_000) : Date(timeIntervalSinceNow: 100)
                try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
            }
            #expect(!manager.isCompletion(url: url) && !manager.isExistence(url: url) && manager.getCacheSize() == 0)
        }
    }

    @Test func `all are paused, and deleting takes tasks and files`() async throws {
        try await withFerry(Self.held) { fixture in
            let manager = manager(fixture)
            let models = (fixture.urls(2, "held") + [fixture.origin.url("/good")]).map { model($0) }
            for model in models { manager.download(model: model) }
            try await reaches(models[2], .completed)
            for model in models.prefix(2) {
                try await eventually("bytes come") { model.model.receivedSize == 100_000 }
            }
            manager.cancelAllTask()
            try await reaches(models[0], .suspended)
            try await reaches(models[1], .suspended)
            #expect(models[2].states == .completed)
            let file = manager.getFile(url: fixture.origin.url("/good"))
            manager.deleteFile(url: fixture.origin.url("/good"))
            try await eventually("the file is gone") { !FileManager.default.fileExists(atPath: file) }
            manager.deleteAllFile()
            try await eventually("all is gone") { try await fixture.stored() == 0 }
            // The daemon removes the files before it reports that.
            try await eventually("no model is left") { manager.getDownloadModels().isEmpty }
            #expect(manager.getCacheSize() == 0)
        }
    }

    @Test func `models come in order of creation, one for each URL, also after a relaunch`() async throws {
        try await withFerry(Self.held) { fixture in
            let first = manager(fixture)
            let urls = [fixture.origin.url("/good"), fixture.origin.url("/bad"), fixture.origin.url("/held")]
            let models = urls.map { model($0, name: "name of \($0.suffix(3))") }
            for model in models { first.download(model: model) }
            first.download(model: models[0])
            try await reaches(models[0], .completed)
            try await reaches(models[1], .failed)
            try await eventually("bytes come") { models[2].model.receivedSize == 100_000 }
            func check(_ manager: DownloadManager) {
                #expect(manager.getDownloadModels().map(\.model.url) == urls)
                #expect(manager.getDownloadModels().map(\.model.name) == models.map(\.model.name))
                #expect(manager.getDownloadFinishModels().map(\.model.url) == [urls[0]])
                #expect(manager.getDownloadingModel().map(\.model.url) == [urls[1], urls[2]])
                #expect(manager.getDownloadModels().map(\.states) == [.completed, .failed, .start])
                #expect(manager.getDownloadModels().first?.model.totalLength == 300_000)
            }
            check(first)
            await fixture.leave()
            check(manager(fixture))
        }
    }

    @Test func `updates suspend and start all that is unfinished`() async throws {
        try await withFerry(Self.held) { fixture in
            let manager = manager(fixture, limit: 1)
            let good = model(fixture.origin.url("/good"))
            let bad = model(fixture.origin.url("/bad"))
            let held = fixture.urls(2, "held").map { model($0) }
            manager.download(model: good)
            try await reaches(good, .completed)
            manager.download(model: bad)
            try await reaches(bad, .failed)
            for model in held { manager.download(model: model) }
            try await reaches(held[0], .start)
            try await reaches(held[1], .waiting)
            manager.updateDownloadingStateWithSuspended()
            for model in held { try await reaches(model, .suspended) }
            #expect(good.states == .completed)
            manager.updateDownloading()
            try await reaches(held[0], .start)
            try await reaches(held[1], .waiting)
            #expect(good.states == .completed)
            fixture.origin.release("go")
            for model in held { try await reaches(model, .completed) }
        }
    }

    @Test func `the maximum is the limit of tasks`() async throws {
        try await withFerry(Self.held) { fixture in
            let manager = manager(fixture, limit: 2)
            #expect(manager.maxDownloadCount == 2)
            let models = fixture.urls(4, "held").map { model($0) }
            for model in models { manager.download(model: model) }
            try await reaches(models[0], .start)
            try await reaches(models[1], .start)
            try await reaches(models[2], .waiting)
            manager.maxDownloadCount = 3
            try await reaches(models[2], .start)
            await fixture.origin.waitForRequests(3)
            #expect(models[3].states == .waiting && fixture.origin.facts.activeResponses == 3)
            fixture.origin.release("go")
            for model in models { try await reaches(model, .completed) }
        }
    }
}
