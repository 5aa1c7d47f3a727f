import FerryCore

/// Something that has happened to apps and their sessions, for the queue to decide what follows.
enum AppInput: Sendable {
    /// What an earlier process has stored.
    case recovered(
        [String: ApplicationRecord], [(id: SessionID, registration: SessionRegistration, hasNews: Bool)])
    /// Apps that live through a restart have so many seconds to come back.
    case settling(after: Double)
    /// That time is over.
    case settled

    /// A transfer of a session has ended, or asks its app for something.
    case news(of: SessionID)
    /// The journal was asked what the transfers of a session do.
    case considered(SessionID, AppRegistry.Work, firstDelay: Double)
    /// A process of an app was started for a session.
    case launched(Int32, of: String, for: SessionID)
    /// No process could be started for a session.
    case launchFailed(SessionID)
    /// A process that was started here has ended.
    case processEnded(Int32)

    /// The connection of a run loop is gone.
    case disconnected(Int)
    /// A process is no more at work in the background.
    case becameActive(Int32, of: String)
    /// The user has started an app; a session of it is to be saved in any case.
    case foreground(String, saving: SessionID?)
    /// An app has another launch command.
    case command(LaunchCommand?, of: String)
    /// The connection of the process that had a session open is gone.
    case closed(SessionID, Int)
    /// A process that its user has started takes a session from one that was launched for events.
    case takenOver(SessionID, from: AppRegistry.Holder)
    /// The user has quit a session.
    case quit(SessionID)
}

extension QueueState {
    mutating func take(_ input: AppInput, at moment: Moment) -> [Effect] {
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
            // A process that lives through the end of the daemon comes back to the next one.
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

    /// Decides whether an app is told of a session's events, or started for them.
    private mutating func decide(
        _ id: SessionID, _ work: AppRegistry.Work, firstDelay: Double, at moment: Moment
    ) -> [Effect] {
        guard phase != .ending else { return [] }
        switch apps.decide(id, work) {
        case .none: return []
        case .tell: return apps.tell(id).map { [.notifyApp($0.token, session: $0.identifier)] } ?? []
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

/// How an app is to be started.
struct AppLaunch: Sendable {
    let application: String
    /// The identifier of the session within the app.
    let session: String
    let command: LaunchCommand
}
