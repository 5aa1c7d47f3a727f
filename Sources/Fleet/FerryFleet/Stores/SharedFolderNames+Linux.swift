import CFerrySystem
import FerryCore
import FerryFoundation
import Glibc

/// Final names of files, and marks by which a job's own file is known.
extension SharedFolder {
    private static let attribute = "user.ferry.job"

    /// Notes the job on its file, where the file system has attributes. So the file is recognized even if the database has
    /// forgotten the intent, after a fail-over to a replica that lagged behind.
    func mark(_ file: Int32, _ token: JobToken, _ sha256: String) {
        let text = Array("\(token) \(sha256)".utf8)
        _ = unsafe ferry_set_attribute(file, Self.attribute, text, text.count)
    }

    /// The mark of the file at a name.
    private func mark(of name: String) -> (token: JobToken, sha256: String, size: Int64)? {
        let file = uninterrupted {
            unsafe openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        }
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe ferry_get_attribute(file, Self.attribute, &bytes, bytes.count)
        let words = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: " ")
        var facts = stat()
        guard words.count == 2, let token = JobToken(words[0]), unsafe fstat(file, &facts) == 0 else { return nil }
        return (token, String(words[1]), Int64(facts.st_size))
    }

    /// The job's own file at a name, by its mark.
    private func marked(_ name: String, of token: JobToken) -> JobResult? {
        guard let mark = mark(of: name), mark.token == token else { return nil }
        return JobResult(path: path + "/" + name, size: mark.size, sha256: mark.sha256)
    }

    /// The intent whose file is at its name.
    ///
    /// An inode's number is used again after the file is gone, so size and mark are looked at too.
    func placed(among known: [Intent], of token: JobToken) -> Intent? {
        for intent in known where intent.path.utf8.starts(with: (path + "/").utf8) {
            let name = String(decoding: intent.path.utf8.dropFirst(path.utf8.count + 1), as: UTF8.self)
            guard name.pathParts == [name] else { continue }
            var facts = stat()
            guard unsafe fstatat(descriptor, name, &facts, AT_SYMLINK_NOFOLLOW) == 0, facts.st_ino == intent.inode,
                facts.st_size == intent.size, mark(of: name).map({ $0.token == token }) ?? true
            else { continue }
            return intent
        }
        return nil
    }

    /// Returns the job's own file at its name, a foreign file that the policy `skip` keeps, or `nil`.
    func look(_ look: Look) throws(DeliveryFailure) -> JobResult? {
        if let placed = placed(among: look.known, of: look.key.token) {
            // Its holder may have ended between the name and the sync of the folder.
            try sync()
            return placed.result
        }
        guard look.policy == .skip || look.policy == .fail, inode(of: look.name) != nil else { return nil }
        if let own = marked(look.name, of: look.key.token) {
            try sync()
            return own
        }
        guard look.policy == .skip else { throw Self.exists(look.path) }
        return try kept(look.name)
    }

    /// The first name that is free, or that the job's own file has.
    func freeName(for delivery: Delivery) -> String {
        let names = (0...Self.mostNumber).lazy.map {
            $0 == 0 ? delivery.name : FileName.numbered(delivery.name, $0)
        }
        return names.first { inode(of: $0) == nil || marked($0, of: delivery.key.token) != nil } ?? delivery.name
    }

    private static let mostNumber = 9999

    /// The result of keeping a foreign file.
    private func kept(_ name: String) throws(DeliveryFailure) -> JobResult {
        var facts = stat()
        guard unsafe fstatat(descriptor, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 else {
            throw Self.failure(path, "read", errno)
        }
        return JobResult(path: path + "/" + name, size: Int64(facts.st_size), sha256: nil, isUnchanged: true)
    }

    private static func exists(_ path: String) -> DeliveryFailure {
        DeliveryFailure(
            ServiceError(.destinationExists, "“\(path.escapingControls)” exists already. Choose another name."),
            isTemporary: false)
    }

    /// Gives a copy the final name of its intent.
    func place(_ file: PreparedFile, of delivery: Delivery) throws(DeliveryFailure) -> Placement {
        let name = String(decoding: file.intent.path.utf8.dropFirst(path.utf8.count + 1), as: UTF8.self)
        // The copy has the name that its intent says, or is gone: then another holder has removed it.
        let status = uninterrupted { unsafe linkat(descriptor, delivery.copyName, descriptor, name, 0) }
        let code = status == 0 ? 0 : errno
        guard let found = inode(of: name) else {
            throw Self.failure(file.intent.path, "written", code == 0 ? EIO : code)
        }
        if found == file.intent.inode {
            try sync()
            return .delivered(file.intent.result)
        }
        if let own = marked(name, of: delivery.key.token) {
            try sync()
            return .delivered(own)
        }
        switch delivery.policy {
        case .skip: return .delivered(try kept(name))
        case .replace:
            // A file that came since the intent is looked at under the fence again: the holder may be another by now.
            guard found == file.replaces else {
                return .renamed(PreparedFile(intent: file.intent, replaces: found))
            }
            let isRenamed = uninterrupted { unsafe renameat(descriptor, delivery.copyName, descriptor, name) } == 0
            let code = errno
            // A call that a signal interrupted may have renamed it all the same.
            guard isRenamed || inode(of: name) == file.intent.inode else {
                throw Self.failure(file.intent.path, "written", code)
            }
            try sync()
            return .delivered(file.intent.result)
        case .unique:
            let next = freeName(for: delivery)
            guard next != name else { throw Self.exists(file.intent.path) }
            var intent = file.intent
            intent.path = path + "/" + next
            return .renamed(PreparedFile(intent: intent))
        case .fail, .update: throw Self.exists(file.intent.path)
        }
    }
}
