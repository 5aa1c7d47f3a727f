package import FerryCore

/// A look at a job's destination, before anything is fetched for it.
package struct Look: Hashable, Sendable {
    package var key: LeaseKey
    package var folder: String
    package var name: String
    package var policy: ConflictPolicy
    /// Files that earlier holders of the job were about to place.
    package var known: [Intent]

    package init(key: LeaseKey, folder: String, name: String, policy: ConflictPolicy, known: [Intent]) {
        self.key = key
        self.folder = folder
        self.name = name
        self.policy = policy
        self.known = known
    }

    init?(_ lease: Lease) {
        guard let file = lease.request?.file, let name = file.name else { return nil }
        self.init(key: lease.key, folder: file.folder, name: name, policy: file.onConflict, known: lease.intents)
    }

    package var path: String { folder + "/" + name }
}
