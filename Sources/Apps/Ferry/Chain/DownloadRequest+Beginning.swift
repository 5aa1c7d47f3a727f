import FerryCore
import FerryURLSession
import Foundation
import FoundationNetworking
import Synchronization

/// Starting and restarting downloads.
extension DownloadRequest {
    /// Creates and stores the download.
    ///
    /// - Parameters:
    ///   - waits: Whether to return only once the daemon has stored the download, or cannot.
    ///   - partial: The partial file of an earlier attempt.
    func begin(waits: Bool, continuing partial: PartialDownload? = nil) {
        let (source, hooks) = state.withLock { state in
            state.ending.begin()
            return (state.source, state.hooks)
        }
        guard let shared, let source else { return }
        do {
            let (request, named) = try made(source, hooks, shared)
            // The bytes of resume data used by an earlier attempt are gone.
            try submit(request, continuing: partial ?? named, hooks, shared, waits: waits)
            if hooks.startsRequestsImmediately { post(Notification.Name.Task.DidResume) }
        } catch {
            shared.log { .error("No download was made.", error: error) }
            state.withLock { $0.ending.failure = error }
            ended(after: nil)
        }
    }

    /// Creates the download again, from the partial file of the previous attempt.
    func restart(continuing partial: PartialDownload? = nil) {
        let old = downloadTask
        retire(old)
        begin(waits: false, continuing: partial)
    }

    /// Returns the request to send, and the partial file to continue.
    private func made(
        _ source: Source, _ hooks: ChainHooks, _ shared: ManagedSession
    ) throws -> (URLRequest, PartialDownload?) {
        switch source {
        case .request(let request): return (try hooks.adapted(request), nil)
        case .resumeData(let data):
            guard let partial = PartialDownload(resumeData: data, spool: shared.place.spool) else {
                throw URLError.unusableResumeData(.unreadable)
            }
            return (try hooks.adapted(partial.request), partial)
        case .nothing(let error): throw error
        }
    }

    private func submit(
        _ request: URLRequest, continuing partial: PartialDownload?, _ hooks: ChainHooks, _ shared: ManagedSession,
        waits: Bool
    ) throws {
        guard let given = request.url else { throw AFError.invalidURL(url: "") }
        let url = try given.checked()
        let mapping = shared.mapping
        if let refusal = mapping.refusal(request) { throw refusal }
        let startsImmediately = hooks.startsRequestsImmediately
        let task = task(of: request, url, shared, startsImmediately)
        let (credential, progress) = state.withLock { state in
            state.task = task
            state.made = request
            state.shown = nil
            state.reported = ReportedBytes(offset: partial?.source.offset)
            state.ending.continued = partial
            return (state.retries.answers > 0 ? state.retries.credential : nil, state.progress)
        }
        task.state.withLock { $0.request = self }
        if let progress { notify(progress.queue, progress.closure, of: task) }
        shared.state.withLock { state in
            shared.insert(task, in: &state)
            shared.update(&state)
        }
        var final = mapping.chainDownload(request)
        hooks.trustPolicy(forHost: url.host)?.apply(to: &final)
        final.timing.paused = !startsImmediately
        final.file.continues = partial?.source
        if credential != nil { final.headers.removeAll { $0.name.lowercased() == "authorization" } }
        let address = credential.flatMap { url.naming($0) } ?? url
        let plan = RequestPlan(template: PlanTemplate(final), url: address.absoluteString, name: nil)
        partial?.claim()
        let submission = Submission([(task, plan)])
        if waits {
            shared.storeAndWait(submission)
            partial?.settle()
        } else {
            shared.store(submission) { _ in partial?.settle() }
        }
    }

    private func task(
        of request: URLRequest, _ url: URL, _ shared: ManagedSession, _ startsImmediately: Bool
    ) -> DownloadTask {
        var note = TaskNote(url: url.absoluteString)
        note.kind = .chain
        note.isNamedByURL = false
        var initial = TaskState(note: note, url: url, folder: "", fileName: FileNaming.defaultName(for: url))
        initial.asked.method = request.httpMethod.flatMap(HTTPMethod.init) ?? .get
        initial.asked.headers = request.sentFields
        // The daemon sends no event for a transfer that is submitted suspended.
        if !startsImmediately { (initial.stored, initial.waitingReason) = (.suspended, nil) }
        return DownloadTask(initial, url: url, session: shared)
    }

    /// Makes the daemon forget a download whose result was delivered, or which another one replaces.
    func retire(_ task: DownloadTask) {
        task.state.withLock { task in
            task.request = nil
            task.calls.forget()
        }
        guard let shared, shared.has(task) else { return }
        shared.perform(.remove(completely: true), on: [task]) { _ in }
    }
}

extension URL {
    /// Returns the URL with a credential's user name and password, or nil if the credential has no user.
    fileprivate func naming(_ credential: URLCredential) -> URL? {
        guard let user = credential.user, var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else {
            return nil
        }
        parts.user = user
        parts.password = credential.password ?? ""
        return parts.url
    }
}
