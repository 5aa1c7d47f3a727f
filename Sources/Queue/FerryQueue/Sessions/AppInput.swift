package import FerryCore

/// An event of apps and their sessions, for the queue.
package enum AppInput: Sendable {
    /// State stored by an earlier process was loaded.
    case recovered(
        [String: ApplicationRecord], [(id: SessionID, registration: SessionRegistration, hasNews: Bool)])
    /// Apps that survived a daemon restart have this many seconds to reconnect.
    case settling(after: Double)
    /// The time to reconnect is over.
    case settled

    /// A transfer of a session has finished, or needs its app to answer.
    case news(of: SessionID)
    /// The state of a session's transfers was read from the journal.
    case considered(SessionID, AppRegistry.Work, firstDelay: Double)
    /// A process of an app was launched for a session.
    case launched(Int32, of: String, for: SessionID)
    /// Launching a process for a session failed.
    case launchFailed(SessionID)
    /// A process launched here has exited.
    case processEnded(Int32)

    /// A run loop's connection was closed.
    case disconnected(Int)
    /// A process left the background.
    case becameActive(Int32, of: String)
    /// The user has started an app. Its session, if given, is saved in any case.
    case foreground(String, saving: SessionID?)
    /// An app's launch command has changed.
    case command(LaunchCommand?, of: String)
    /// The connection of a session's holder was closed.
    case closed(SessionID, Int)
    /// A process started by the user takes a session from one launched for events.
    case takenOver(SessionID, from: AppRegistry.Holder)
    /// The user has force-quit a session.
    case quit(SessionID)
}

extension QueueState {
    package mutating func take(_ input: AppInput, at moment: Moment) -> [Effect] {
        switch input {
        case .recovered(let applications, let registrations): apps.recover(applications, registrations)
        case .settling(let seconds):
            guard apps.settle(asking: waitingTransfers.asking.keys) else { return [] }
            waitingTransfers.set(Alarm(due: moment.clock + .wait(seconds: seconds), cause: .settling))
        case .settled: return apps.endSettling().map { .consider($0) }
        case .news(let id): return apps.noteNews(of: id) ? [.consider(id)] : []
        case .considered(let id, let work, let delay): return decide(id, work, firstDelay: delay, at: moment)
        case .launched(let process, let application, let id): apps.launched(process, of: application, for: id)
        case .launchFailed(let id): return launchFailed(id, at: moment)
        case .processEnded(let process):
            guard let (application, failed) = apps.ended(process), phase != .ending else { return [] }
            return failed.flatMap { launchFailed($0, at: moment) } + consider(application)
        case .disconnected(let token):
            guard let application = apps.disconnect(token), phase != .ending else { return [] }
            return consider(application)
        case .becameActive(let process, let application): apps.becameActive(process, of: application)
        case .foreground(let application, let session):
            let foreground = apps.beginForeground(application, saving: session)
            return foreground.isEmpty ? [] : [.saveForeground(foreground)]
        case .command(let command, let application): apps.setCommand(command, of: application)
        case .closed(let id, let token):
            guard apps.close(id, token) else { return [] }
            // A process that survives the daemon's shutdown reconnects to the next daemon.
            if phase != .ending { apps.forgetHolder(of: id) }
            return [.detached(id)]
        case .takenOver(let id, let holder):
            guard apps.close(id, holder.token), let listener = holder.listener else { return [] }
            return [.endSignals(listener)]
        case .quit(let id): apps.quit(id, at: moment.wall)
        }
        return []
    }

    private func consider(_ application: String) -> [Effect] {
        apps.sessions(of: application).map { .consider($0) }
    }

    /// Decides whether to notify an app of a session's events, or to launch it.
    private mutating func decide(
        _ id: SessionID, _ work: AppRegistry.Work, firstDelay: Double, at moment: Moment
    ) -> [Effect] {
        guard phase != .ending else { return [] }
        switch apps.decide(id, work) {
        case .none: return []
        case .notify: return apps.notify(id).map { [.notifyApp($0.token, session: $0.identifier)] } ?? []
        case .launch:
            guard let application = apps.registration(of: id)?.application,
                let launch = apps.beginLaunch(for: id, first: firstDelay, at: moment.wall)
            else { return [] }
            return [
                .launch(id, AppLaunch(application: application, session: launch.identifier, command: launch.command))
            ]
        }
    }

    private mutating func launchFailed(_ id: SessionID, at moment: Moment) -> [Effect] {
        switch apps.launchFailed(for: id, at: moment.wall) {
        case nil: return []
        case .repeats(let rest):
            waitingTransfers.set(Alarm(due: moment.clock + .wait(seconds: rest), cause: .launch(id)))
            return []
        case .gaveUp: return [.launchGivenUp(id)]
        }
    }
}

/// The launch command and session of an app launch.
package struct AppLaunch: Sendable {
    package let application: String
    /// The session's identifier within the app.
    package let session: String
    package let command: LaunchCommand
}
