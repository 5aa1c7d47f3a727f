package import FerryCore
import FerryFoundation

/// Creates folders that only their owner may enter.
package enum PrivateFolder {
    /// Creates the folder and its parent folders with mode 0700, or checks an existing one.
    ///
    /// - Throws: ``ServiceError`` with code `daemon_unreachable` if the path is not a folder, or another user could
    ///   replace the folder or its contents.
    package static func make(_ path: String) throws(ServiceError) {
        let trust = PathTrust(user: geteuid(), in: .own)
        let found = PathWay(to: path)
        if found.errorNumber != 0 {
            // Nothing is created below an untrusted folder.
            if let refusal = trust.refusal(ofWay: found.parts) { throw refusal }
            try makeParts(path)
        }
        let way = PathWay(to: path)
        guard way.errorNumber == 0 else {
            throw failure("The folder \(path.escapingControls) cannot be read", way.errorNumber)
        }
        if let refusal = trust.refusal(of: way.parts, endingIn: .folder) { throw refusal }
        guard let mode = way.parts.last?.mode, unsafe mode & 0o777 == 0o700 || chmod(path, 0o700) == 0 else {
            throw failure("The mode of the folder \(path.escapingControls) cannot be set", errno)
        }
    }

    private static func makeParts(_ path: String) throws(ServiceError) {
        var part = ""
        for name in path.split(separator: "/") {
            part += "/" + name
            guard unsafe mkdir(part, 0o700) != 0, errno != EEXIST else { continue }
            let number = errno
            guard FerryPaths.isFolder(part) else {
                let why = unsafe String(cString: strerror(number))
                throw ServiceError(
                    .daemonUnreachable,
                    "The folder \(part.escapingControls) cannot be created: \(why). Set FERRY_HOME to a folder that this user may write.",
                    details: ErrorDetails(errno: number))
            }
        }
    }

    private static func failure(_ what: String, _ number: Int32) -> ServiceError {
        ServiceError(
            .daemonUnreachable, "\(what): \(unsafe String(cString: strerror(number))).",
            details: ErrorDetails(errno: number))
    }
}
