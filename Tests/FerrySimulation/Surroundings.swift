import FerryCore
import Foundation

@testable import FerryService

/// The queue's surroundings: settings, networks, folders, and the life of the process.
struct Surroundings {
    /// The settings of a daemon that was never told any.
    let first: ServiceSettings
    var report = ConditionReport()
    /// Whether folders answer.
    var foldersAnswer = true
    /// Whether the process is about to end.
    var isEnding = false
    /// Whether the start has read the journal.
    var isOpen = false
    /// Sessions whose transfers are being acted upon together, and who waits for that.
    private var acting: [SessionID: [SimulatedJournal.Next]] = [:]
    /// Whether settings are being stored, and who waits for that; nil stands for those of all.
    private var setting: [SessionID?: [SimulatedJournal.Next]] = [:]

    init() {
        var settings = ServiceSettings()
        settings.activeTransfers = 2
        settings.connectionsPerHost = 2
        first = settings
        report.known = [.reachability, .kind, .power]
    }

    static let names = ["cli", "app/one", "app:two"]
    static let sessions = names.compactMap { try? SessionID($0) }
    static let hosts = ["a", "b"]

    var isIdle: Bool { acting.isEmpty && setting.isEmpty }

    /// Forgets what a process that was killed was about to do.
    mutating func killed() {
        acting = [:]
        setting = [:]
        isEnding = false
        isOpen = false
    }

    // MARK: Turns

    func isActing(in session: SessionID) -> Bool { acting[session] != nil }
    func isSetting(_ session: SessionID?) -> Bool { setting[session] != nil }

    /// Whether the turn was free, and is taken; otherwise the closure is called later.
    mutating func takeAction(_ session: SessionID, _ next: @escaping SimulatedJournal.Next) -> Bool {
        Self.take(&acting, session, next)
    }

    mutating func leaveAction(_ session: SessionID) -> SimulatedJournal.Next? { Self.leave(&acting, session) }

    mutating func takeSetting(_ session: SessionID?, _ next: @escaping SimulatedJournal.Next) -> Bool {
        Self.take(&setting, session, next)
    }

    mutating func leaveSetting(_ session: SessionID?) -> SimulatedJournal.Next? { Self.leave(&setting, session) }

    private static func take<Key: Hashable>(
        _ turns: inout [Key: [SimulatedJournal.Next]], _ key: Key, _ next: @escaping SimulatedJournal.Next
    ) -> Bool {
        guard turns[key] != nil else {
            turns[key] = []
            return true
        }
        turns[key]?.append(next)
        return false
    }

    private static func leave<Key: Hashable>(
        _ turns: inout [Key: [SimulatedJournal.Next]], _ key: Key
    ) -> SimulatedJournal.Next? {
        guard var line = turns[key], !line.isEmpty else {
            turns[key] = nil
            return nil
        }
        let next = line.removeFirst()
        turns[key] = line
        return next
    }
}
