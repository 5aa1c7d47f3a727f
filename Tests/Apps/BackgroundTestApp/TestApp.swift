import BackgroundURLSession
import TestAppKit

/// Runs its steps in order and logs the session's events.
@MainActor final class TestApp: ScriptedApp {
    private let identifier: String
    private var steps: [Step]
    let story = Story()
    private var handlers: [() -> Void] = []
    private lazy var observer = SessionObserver(
        story: story, endsAtCompletion: steps.contains { $0.name == "exit-in-completion" }
    ) { [weak self] in
        DispatchQueue.main.async { self?.eventsFinished() }
    }
    private lazy var session: URLSession = {
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        configuration.isDiscretionary = steps.contains { $0.name == "discretionary" }
        configuration.sessionSendsLaunchEvents = !steps.contains { $0.name == "no-launch-events" }
        return URLSession(configuration: configuration, delegate: observer, delegateQueue: nil)
    }()

    init(session: String, steps: [Step]) {
        identifier = session
        self.steps = steps
    }

    // MARK: The app delegate

    func application(
        _ application: BackgroundApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        story.add("handle-events", identifier)
        if !steps.contains(where: { $0.name == "no-handler" }) { handlers.append(completionHandler) }
        _ = session
    }

    private func eventsFinished() {
        let called = handlers
        handlers = []
        for handler in called {
            story.add("handler-called", Thread.isMainThread ? "main" : "other")
            handler()
        }
    }

    // MARK: Steps

    func begin() {
        Task { @MainActor in
            for step in steps { await perform(step) }
        }
    }

    private func perform(_ step: Step) async {
        let words = step.words
        switch step.name {
        case "session": _ = session
        case "register": register(words)
        case "create": note(session.downloadTask(with: url(words)))
        case "download":
            let task = session.downloadTask(with: url(words))
            task.taskDescription = "download of \(words.first ?? "")"
            note(task)
            task.resume()
            story.add("resumed-call", task.taskIdentifier)
        case "data":
            let task = session.dataTask(with: url(words))
            note(task)
            task.resume()
        case "upload":
            var request = URLRequest(url: url(words))
            request.httpMethod = "PUT"
            let task = session.uploadTask(with: request, fromFile: URL(fileURLWithPath: words[1]))
            note(task)
            task.resume()
        case "bytes":
            await until {
                guard let task = await self.task(words) else { return true }
                return task.state == .completed || task.countOfBytesReceived >= Int64(words[1]) ?? 0
            }
        case "resume": await task(words)?.resume()
        case "suspend": await task(words)?.suspend()
        case "cancel": await task(words)?.cancel()
        case "cancel-data":
            let data = await (task(words) as? URLSessionDownloadTask)?.cancelByProducingResumeData()
            if let data { _ = FileManager.default.createFile(atPath: words[1], contents: data) }
            story.add("resume-data", words[0], data == nil ? "none" : "some")
        case "continue":
            let task = session.downloadTask(withResumeData: FileManager.default.contents(atPath: words[0]) ?? Data())
            note(task)
            task.resume()
        case "tasks": await writeTasks()
        case "completions": await until { self.observer.completions.count >= Int(words[0]) ?? 0 }
        case "completed": await until { self.observer.completions.contains { "\($0)" == words[0] } }
        case "events-finished": await until { self.observer.finishes > 0 }
        case "store": CacheSteps(folder: words[0]).store(Int(words[1]) ?? 0, story)
        case "look": CacheSteps(folder: words[0]).look(Int(words[1]) ?? 0, story)
        case "active": BackgroundApplication.shared.becomeActive()
        case "exit": exit(0)
        default: break
        }
    }

    private func url(_ words: [String]) -> URL { words.first.flatMap(URL.init) ?? URL(fileURLWithPath: "/") }

    private func note(_ task: URLSessionTask) { story.add("created", task.taskIdentifier) }

    private func task(_ words: [String]) async -> URLSessionTask? {
        await session.allTasks.first { "\($0.taskIdentifier)" == words.first }
    }

    /// Waits for a condition, checked after each delegate call.
    private func until(_ condition: () async -> Bool) async {
        if await condition() { return }
        for await _ in observer.calls {
            if await condition() { return }
        }
    }

    private func writeTasks() async {
        let tasks = await session.allTasks
        for task in tasks.sorted(by: { $0.taskIdentifier < $1.taskIdentifier }) {
            story.add(
                "task", task.taskIdentifier, "\(task.state)", task.countOfBytesReceived,
                task.originalRequest?.url?.absoluteString ?? "-", task.taskDescription ?? "-")
        }
        story.add("tasks", tasks.count)
    }

    private func register(_ words: [String]) {
        let later = (words.first ?? "").split(separator: ",").map(String.init)
        do {
            try registerLaunch([identifier] + later, keeping: ["EVENTS", "OUTPUT"])
        } catch {
            story.add("not-registered", error)
        }
    }
}
