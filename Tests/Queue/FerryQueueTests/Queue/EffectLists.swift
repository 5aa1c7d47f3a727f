import FerryCore
import FerryRules
import Foundation

@testable import FerryQueue

/// The transfers and sessions that effects concern, by kind.
extension [Effect] {
    var started: [TransferID] { compactMap { if case .start(let id, _) = $0 { id } else { nil } } }
    var stopped: [TransferID] { compactMap { if case .stop(let id, _) = $0 { id } else { nil } } }
    var followed: [TransferRequest] { compactMap { if case .follow(_, let request) = $0 { request } else { nil } } }
    var toldWaiting: [TransferID] { compactMap { if case .notifyWaiting(let record) = $0 { record.id } else { nil } } }
    var toldReasons: [TransferID] {
        compactMap { if case .notifyReasons(let ids) = $0 { ids } else { nil } }.flatMap(\.self)
    }
    var overdue: [TransferID] { compactMap { if case .readOverdue(let ids) = $0 { ids } else { nil } }.flatMap(\.self) }
    var readsPolicies: [SessionID] { compactMap { if case .readPolicies(let id) = $0 { id } else { nil } } }
    var watched: ConditionNeeds { reduce(into: []) { if case .watch(let needs) = $1 { $0.formUnion(needs) } } }
    var considered: [SessionID] { compactMap { if case .consider(let id) = $0 { id } else { nil } } }
    var launched: [SessionID] { compactMap { if case .launch(let id, _) = $0 { id } else { nil } } }
    var detached: [SessionID] { compactMap { if case .detached(let id) = $0 { id } else { nil } } }
    var givenUp: [SessionID] { compactMap { if case .launchGivenUp(let id) = $0 { id } else { nil } } }
    var savesForeground: Bool { contains { if case .saveForeground = $0 { true } else { false } } }
    var isRest: Bool { contains { if case .rest = $0 { true } else { false } } }
    var renewsConnections: Bool { contains { if case .renewConnections = $0 { true } else { false } } }
    var dueLooks: [(start: Date?, end: Date)] {
        compactMap { if case .readDue(let start, let end) = $0 { (start, end) } else { nil } }
    }
    var plansSchedule: Bool { contains { if case .deferSchedule = $0 { true } else { false } } }
    var freed: [TransferID] { compactMap { if case .freed(let ids) = $0 { ids } else { nil } }.flatMap(\.self) }
    var cleansUp: Bool { contains { if case .cleanUp = $0 { true } else { false } } }
}
