import FerryCore
import FerryRules

/// Settings, sessions and apps.
extension MemoryTransaction {
    func settings() throws(ServiceError) -> ServiceSettings? { registry.settings }

    func sessionSettings(_ id: SessionID) throws(ServiceError) -> SessionSettings? { registry[id]?.settings }

    func storedSessions() throws(ServiceError) -> [(id: SessionID, settings: SessionSettings)] {
        registry.ids.map { ($0, registry[$0]?.settings ?? SessionSettings()) }
    }

    func sessions() throws(ServiceError) -> [(
        id: SessionID, settings: SessionSettings, counts: [JournalPhase: Int]
    )] {
        let counts = rows.counts
        let ids = Set(registry.ids).union(counts.keys).sorted { $0.name < $1.name }
        return ids.map { ($0, registry[$0]?.settings ?? SessionSettings(), counts[$0] ?? [:]) }
    }

    func lastTask(of id: SessionID) throws(ServiceError) -> Int { registry[id]?.lastTask ?? 0 }

    func order(of id: SessionID) throws(ServiceError) -> [TransferID] { registry[id]?.order ?? [] }

    func cookies(of id: SessionID) throws(ServiceError) -> TransferCookies {
        registry[id]?.cookies ?? TransferCookies()
    }

    func applications() throws(ServiceError) -> [String: ApplicationRecord] { registry.applications }

    func registrations() throws(ServiceError) -> [SessionID: SessionRegistration] { registry.registrations }

    // MARK: Changes

    func saveSettings(_ settings: ServiceSettings) throws(ServiceError) { registry.save(settings) }

    func saveSession(_ id: SessionID, _ settings: SessionSettings) throws(ServiceError) {
        registry.save(id) { $0.settings = settings }
    }

    func noteTask(_ number: Int, of id: SessionID) throws(ServiceError) {
        registry.save(id) { $0.lastTask = max($0.lastTask, number) }
    }

    func saveOrder(_ ids: TransferIDRuns, of id: SessionID) throws(ServiceError) -> [TransferID] {
        let order = ids.selected(from: try transfers(of: id, among: nil))
        registry.save(id) { $0.order = order }
        return order
    }

    func saveCookies(_ cookies: TransferCookies, of id: SessionID) throws(ServiceError) {
        registry.save(id) { $0.cookies = cookies }
    }

    func saveApplication(_ name: String, _ record: ApplicationRecord) throws(ServiceError) {
        registry.save(name, record)
    }

    func saveRegistration(_ registration: SessionRegistration, of id: SessionID) throws(ServiceError) {
        registry.save(registration, of: id)
    }
}
