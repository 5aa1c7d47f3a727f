import FerryAPI
import FerryCore
import Foundation
import Synchronization

/// A gateway that does as scripted, without a listener.
final class FakeGateway: GatewayControl {
    struct State {
        var status = GatewayStatus(settings: GatewaySettings(folders: ["/home/u/Downloads"]))
        var changes: [GatewayChange] = []
        var secret = "first"
        var clients: [GatewayClient] = []
        /// Problems to report once it is on, instead of an address.
        var problems: [String] = []
    }

    let state = Mutex(State())

    func status() async throws(ServiceError) -> GatewayStatus { state.withLock(\.status) }

    func change(_ change: GatewayChange) async throws(ServiceError) -> GatewayStatus {
        state.withLock { state in
            state.changes.append(change)
            state.status.settings.isOn = change.isOn ?? state.status.settings.isOn
            state.status.settings.port = change.port ?? state.status.settings.port
            state.status.settings.addresses = change.addresses ?? state.status.settings.addresses
            state.status.settings.folders += change.addedFolders ?? []
            state.status.settings.origins += change.addedOrigins ?? []
            state.status.settings.showsAll = change.showsAll ?? state.status.settings.showsAll
            let settings = state.status.settings
            state.status.problems = settings.isOn ? state.problems : []
            state.status.listening =
                settings.isOn && state.problems.isEmpty
                ? settings.addresses.map { "http://\($0.contains(":") ? "[\($0)]" : $0):\(settings.port)" } : []
            if !state.problems.isEmpty { state.status.problems = settings.addresses.map { _ in state.problems[0] } }
            return state.status
        }
    }

    func secret(isNew: Bool) async throws(ServiceError) -> String {
        state.withLock { state in
            if isNew { state.secret = "second" }
            return state.secret
        }
    }

    func pair() async throws(ServiceError) -> OneTimeCode { OneTimeCode(code: "23456789", seconds: 60) }
    func pageCode() async throws(ServiceError) -> OneTimeCode { OneTimeCode(code: "ABCDEFGH", seconds: 60) }
    func clients() async throws(ServiceError) -> [GatewayClient] { state.withLock(\.clients) }

    func removeClient(_ id: String) async throws(ServiceError) {
        let found = state.withLock { state in
            defer { state.clients.removeAll { $0.id == id } }
            return state.clients.contains { $0.id == id }
        }
        if !found { throw ServiceError(.invalidRequest, "No paired client has the id “\(id)”.") }
    }
}
