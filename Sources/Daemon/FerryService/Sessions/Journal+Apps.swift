import FerryCore
import FerryQueue

extension Journal {
    /// Stores the registration of a session, if there is one.
    func saveRegistration(
        of id: SessionID, in apps: AppRegistry, isolation: isolated (any Actor)? = #isolation
    ) async throws(ServiceError) {
        guard let registration = apps.registration(of: id) else { return }
        try await commit { transaction throws(ServiceError) in
            try transaction.saveRegistration(registration, of: id)
        }
    }

    /// Stores the record of an app.
    func saveApplication(
        _ name: String, in apps: AppRegistry, isolation: isolated (any Actor)? = #isolation
    ) async throws(ServiceError) {
        let record = apps.record(of: name)
        try await commit { transaction throws(ServiceError) in try transaction.saveApplication(name, record) }
    }
}
