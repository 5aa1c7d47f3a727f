import FerryCore
package import FerryFleet

/// The bytes of a file: those of one version of a job's source, or of somebody else.
package struct FileContent: Hashable, Sendable {
    package var token: JobToken?
    package var version: Int

    package init(token: JobToken?, version: Int) {
        self.token = token
        self.version = version
    }

    package var sha256: String { "\(token?.description ?? "foreign") v\(version)" }
}

/// A shared folder in memory. Follows the same steps as `FolderStore`.
package struct MemoryStore: Sendable {
    /// Inodes of final names and of names of copies.
    package private(set) var finals: [String: UInt64] = [:]
    package private(set) var parts: [String: UInt64] = [:]
    package private(set) var contents: [UInt64: FileContent] = [:]
    package private(set) var foreign: Set<String> = []
    package var mistake: MemoryQueue.Mistake?
    /// Machines by the names of the copies that they wrote.
    private var writers: [String: String] = [:]
    package private(set) var violation: String?
    private var lastInode: UInt64 = 0
    private var sizes: [UInt64: Int64] = [:]

    package init() {}

    package mutating func addForeign(_ path: String) {
        lastInode += 1
        finals[path] = lastInode
        contents[lastInode] = FileContent(token: nil, version: 0)
        foreign.insert(path)
    }

    /// Whether a file of somebody else was overwritten that its job may not replace.
    package var brokenForeign: Bool {
        foreign.contains { path in
            // Jobs with the policy `replace` have numbers of the form 4n + 2.
            let number = Int(path.split(separator: "-").last ?? "") ?? 0
            return number % 4 != 2 && finals[path].flatMap { contents[$0] }?.token != nil
        }
    }

    package mutating func look(_ look: Look) -> Result<JobResult?, DeliveryFailure> {
        if mistake != .factsOfTheLoser { for intent in look.known { parts[intent.copy] = nil } }
        if let placed = look.known.first(where: { finals[$0.path] == $0.inode }) {
            return .success(mistake == .factsOfTheLoser ? look.known.last?.result : placed.result)
        }
        guard look.policy == .skip || look.policy == .fail, let found = finals[look.path] else { return .success(nil) }
        if let own = marked(look.path, look.key.token, size: sizes[found] ?? 0) { return .success(own) }
        return look.policy == .skip
            ? .success(JobResult(path: look.path, size: 0, sha256: nil, isUnchanged: true))
            : .failure(DeliveryFailure(ServiceError(.destinationExists, "exists"), isTemporary: false))
    }

    package mutating func prepare(_ delivery: Delivery, by machine: String, content: FileContent) -> PreparedFile {
        if let other = writers.updateValue(machine, forKey: delivery.copyName), other != machine {
            violation = "\(other) and \(machine) write the same copy"
        }
        lastInode += 1
        parts[delivery.copyName] = lastInode
        contents[lastInode] = content
        sizes[lastInode] = delivery.file.size
        let path = delivery.policy == .unique ? freePath(for: delivery) : delivery.folder + "/" + delivery.name
        let intent = Intent(
            path: path, copy: delivery.copyName, inode: lastInode, size: delivery.file.size, sha256: content.sha256)
        return PreparedFile(intent: intent, replaces: delivery.policy == .replace ? finals[path] : nil)
    }

    package mutating func place(_ file: PreparedFile, of delivery: Delivery, known: [Intent]) -> Result<
        Placement, DeliveryFailure
    > {
        if let placed = known.first(where: { finals[$0.path] == $0.inode }) {
            let facts = mistake == .factsOfTheLoser ? file.intent : placed
            var result = placed.result
            result.sha256 = facts.sha256
            return .success(.delivered(result))
        }
        let path = file.intent.path
        if finals[path] == nil, let part = parts[delivery.copyName] { finals[path] = part }
        guard let found = finals[path] else {
            return .failure(DeliveryFailure(ServiceError(.destinationUnwritable, "no copy"), isTemporary: true))
        }
        if found == file.intent.inode { return .success(.delivered(file.intent.result)) }
        if let own = marked(path, delivery.key.token, size: delivery.file.size) { return .success(.delivered(own)) }
        switch delivery.policy {
        case .skip:
            return .success(.delivered(JobResult(path: path, size: 0, sha256: nil, isUnchanged: true)))
        case .replace:
            guard found == file.replaces else {
                return .success(.renamed(PreparedFile(intent: file.intent, replaces: found)))
            }
            guard let part = parts.removeValue(forKey: delivery.copyName) else {
                return .failure(DeliveryFailure(ServiceError(.destinationUnwritable, "no copy"), isTemporary: true))
            }
            finals[path] = part
            return .success(.delivered(file.intent.result))
        case .unique:
            var intent = file.intent
            intent.path = freePath(for: delivery)
            return .success(.renamed(PreparedFile(intent: intent)))
        case .fail, .update:
            return .failure(DeliveryFailure(ServiceError(.destinationExists, "exists"), isTemporary: false))
        }
    }

    /// A file that bears the job's token, although no intent of it is known: a fail-over forgot the intent.
    private func marked(_ path: String, _ token: JobToken, size: Int64) -> JobResult? {
        guard let content = finals[path].flatMap({ contents[$0] }), content.token == token else { return nil }
        return JobResult(path: path, size: size, sha256: content.sha256)
    }

    /// The first path that is free, or that the job's own file has.
    private func freePath(for delivery: Delivery) -> String {
        let paths = (0...9999).lazy.map {
            delivery.folder + "/" + ($0 == 0 ? delivery.name : FileName.numbered(delivery.name, $0))
        }
        return paths.first { finals[$0] == nil || marked($0, delivery.key.token, size: 0) != nil } ?? ""
    }

    package mutating func discard(_ delivery: Delivery, and earlier: [Intent]) {
        parts[delivery.copyName] = nil
        for intent in earlier { parts[intent.copy] = nil }
    }
}
