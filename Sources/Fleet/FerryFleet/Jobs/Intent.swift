/// A file that is about to be placed: recorded under the job's fence before anybody else can see the file.
///
/// A placed file belongs to the job if its inode is that of one of the job's intents, whoever recorded it. So the facts
/// of a file placed by a worker that died are known to the next one.
package struct Intent: Hashable, Codable, Sendable {
    /// Absolute path of the final name.
    package var path: String
    /// Name of the copy in the same folder. No other copy ever has it.
    package var copy: String
    /// Inode of the complete file, the same on all machines that share the folder.
    package var inode: UInt64
    package var size: Int64
    /// SHA-256 of the file, in hexadecimal.
    package var sha256: String

    package init(path: String, copy: String, inode: UInt64, size: Int64, sha256: String) {
        self.path = path
        self.copy = copy
        self.inode = inode
        self.size = size
        self.sha256 = sha256
    }

    package var result: JobResult { JobResult(path: path, size: size, sha256: sha256) }
}

/// An intent to record.
package struct JobIntent: Hashable, Sendable {
    package var key: LeaseKey
    package var intent: Intent

    package init(key: LeaseKey, intent: Intent) {
        self.key = key
        self.intent = intent
    }
}
