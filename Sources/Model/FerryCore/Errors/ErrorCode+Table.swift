/// The error table: one row for each code.
extension ErrorCode {
    /// The row of this code. The switch is exhaustive, so a code without a row does not compile.
    package var row: ErrorRow {
        switch self {
        // Network
        case .offline:
            ErrorRow("no usable network", .wait, about: .network, exit: .network, http: 503, aria2: 6, url: -1009)
        case .dnsFailed:
            ErrorRow(
                "the resolver did not respond", .patient, about: .connection, exit: .network, http: 502, aria2: 19,
                url: -1006)
        case .hostNotFound:
            ErrorRow(
                "no such host", .doubtful, about: .name, exit: .network, http: 502, aria2: 19, url: -1003,
                prospect: .poor)
        case .connectFailed:
            ErrorRow(
                "the connection was refused or the host is unreachable", .patient, about: .connection, exit: .network,
                http: 502, aria2: 6, url: -1004, prospect: .poorIfRefused)
        case .connectionLost:
            ErrorRow(
                "reset, early end or short body", .patient, about: .connection, exit: .network, http: 502, aria2: 6,
                url: -1005)
        case .timedOut:
            ErrorRow(
                "connect, head or idle timeout", .patient, about: .connection, exit: .network, http: 504, aria2: 2,
                url: -1001)
        case .tooSlow:
            ErrorRow(
                "below the minimum speed", .patient, about: .connection, exit: .network, http: 504, aria2: 5, url: -1001
            )
        case .proxyFailed:
            ErrorRow(
                "the proxy refused or sent an invalid response", .doubtful, about: .proxy, exit: .network, http: 502,
                aria2: 6,
                url: -1004, prospect: .poorIfRefused)
        case .proxyAuthRequired:
            ErrorRow(
                "the proxy requires credentials", .final, about: .transfer, exit: .access, http: 502, aria2: 24,
                url: -1013
            )
        case .tlsFailed:
            ErrorRow(
                "the TLS handshake failed, not by certificate", .doubtful, about: .connection, exit: .tls, http: 502,
                aria2: 1, url: -1200, prospect: .poor)
        case .tlsCertificate:
            ErrorRow(
                "the certificate's chain, name, date or purpose is wrong", .final, about: .source, exit: .tls,
                http: 502, aria2: 1, url: -1202)
        // Server responses
        case .serverBusy:
            ErrorRow(
                "the server asked to come back later", .patient, about: .connection, exit: .server, http: 502,
                aria2: 29, url: -1011)
        case .notFound:
            ErrorRow("404 or 410", .final, about: .source, exit: .server, http: 502, aria2: 3, url: -1011)
        case .httpStatus:
            ErrorRow(
                "another HTTP error status", .final, about: .source, exit: .server, http: 502, aria2: 22,
                url: -1011)
        case .authRequired:
            ErrorRow(
                "401 without valid credentials", .final, about: .source, exit: .access, http: 502, aria2: 24,
                url: -1013)
        case .urlExpired:
            ErrorRow(
                "the URL has expired; a new one resumes", .doubtful, about: .source, exit: .access,
                http: 502, aria2: 22, url: -1011)
        case .badResponse:
            ErrorRow(
                "malformed framing or head, or a limit exceeded", .doubtful, about: .source, exit: .answer, http: 502,
                aria2: 22,
                url: -1017)
        case .rangeMismatch:
            ErrorRow(
                "unusable responses to the caller's own Range", .doubtful, about: .source, exit: .answer, http: 502,
                aria2: 8, url: -1011)
        case .resourceChanged:
            ErrorRow(
                "the resource changed too often or suspiciously", .final, about: .source, exit: .answer, http: 502,
                aria2: 8, url: -1011)
        case .budgetExceeded:
            ErrorRow(
                "too many wasted bytes, or too many restarts", .final, about: .transfer,
                exit: .answer, http: 502, aria2: 8, url: -1005)
        case .tooManyRedirects:
            ErrorRow(
                "more than 20 redirects, or a loop", .final, about: .source, exit: .refused, http: 502, aria2: 23,
                url: -1007)
        case .redirectRefused:
            ErrorRow(
                "a redirect that is not followed", .final, about: .source, exit: .refused, http: 502, aria2: 22,
                url: -1010)
        // Integrity
        case .tooLarge:
            ErrorRow(
                "over the maximum size", .final, about: .transfer, exit: .refused, http: 413, aria2: 22, url: -1103,
                kept: .none)
        case .lengthMismatch:
            ErrorRow(
                "not the expected size", .final, about: .transfer, exit: .content, http: 502, aria2: 22, url: -1011,
                kept: .none)
        case .digestMismatch:
            ErrorRow(
                "a digest differs", .final, about: .transfer, exit: .content, http: 502, aria2: 32, url: -1017,
                kept: .none)
        // Uploads
        case .fileChanged:
            ErrorRow(
                "the file changed while it was uploaded", .final, about: .transfer, exit: .content, http: 409,
                aria2: 17, url: -1021, kept: .none)
        case .uploadConflict:
            ErrorRow(
                "the server claims bytes of an upload that were not sent", .final, about: .transfer, exit: .answer,
                http: 502, aria2: 8, url: -1017, kept: .none)
        // Disk
        case .diskFull:
            ErrorRow("no space or quota", .wait, about: .space, exit: .disk, http: 507, aria2: 9, url: -3003)
        case .diskIO:
            ErrorRow(
                "read, write or sync failed", .doubtful, about: .transfer, exit: .disk, http: 500, aria2: 17, url: -3003
            )
        case .fileTooLarge:
            ErrorRow(
                "the file system or a limit allows no file of this size", .final, about: .transfer, exit: .disk,
                http: 507, aria2: 17, url: -3003)
        case .partialLost:
            ErrorRow(
                "the partial file is missing or foreign; restarts automatically", .doubtful, about: .transfer,
                exit: .disk,
                http: 500, aria2: 15, url: -3001, kept: .none)
        case .destinationUnwritable:
            ErrorRow(
                "the folder is missing, moved, read-only or not permitted", .final, about: .destination,
                exit: .destination, http: 422, aria2: 16, url: -3000)
        case .destinationExists:
            ErrorRow(
                "the name is taken and the conflict policy is fail", .final, about: .transfer, exit: .destination,
                http: 409, aria2: 13, url: -3000, kept: .none)
        case .placementFailed:
            ErrorRow(
                "rename or attributes failed", .doubtful, about: .transfer, exit: .destination, http: 500, aria2: 14,
                url: -3005, kept: .whole)
        // Decisions
        case .deadlineExceeded:
            ErrorRow("the deadline passed", .final, about: .transfer, exit: .deadline, http: 504, aria2: 2, url: -1001)
        case .canceled:
            ErrorRow(
                "canceled by the user or a client", .final, about: .attempt, exit: .canceled, http: 409, aria2: 31,
                url: -999, kept: .none)
        // Requests and Ferry itself
        case .invalidURL:
            ErrorRow(
                "not a URL that can be fetched", .final, about: .transfer, exit: .usage, http: 400, aria2: 28,
                url: -1000, kept: .none)
        case .unsupportedScheme:
            ErrorRow(
                "neither http nor https", .final, about: .transfer, exit: .usage, http: 400, aria2: 28, url: -1002,
                kept: .none)
        case .invalidRequest:
            ErrorRow(
                "refused at submission", .final, about: .transfer, exit: .usage, http: 400, aria2: 28, url: -1000,
                kept: .none)
        case .requestNotReplaceable:
            ErrorRow(
                "the transfer has ended, or its method is not GET", .final, about: .transfer, exit: .usage, http: 409,
                aria2: 28, url: nil, kept: .partial)
        case .sessionInUse:
            ErrorRow(
                "another live process is attached to the session", .final, about: .transfer, exit: .own, http: 409,
                aria2: nil, url: -996, kept: .none)
        case .unknownTransfer:
            ErrorRow(
                "no transfer has this id", .final, about: .transfer, exit: .unknownTransfer, http: 404, aria2: 1,
                url: nil, kept: .none)
        case .daemonUnreachable:
            ErrorRow(
                "the daemon cannot be reached or started", .final, about: .transfer, exit: .daemon, http: 503,
                aria2: nil, url: -997, kept: .none)
        case .journalFailed:
            ErrorRow(
                "the journal cannot be written or read", .final, about: .transfer, exit: .own, http: 500, aria2: 1,
                url: -1)
        case .queueUnreachable:
            ErrorRow(
                "the fleet's database cannot be reached", .final, about: .transfer, exit: .daemon, http: 503,
                aria2: nil, url: nil, kept: .none)
        case .queueUnsuitable:
            ErrorRow(
                "the fleet's database lacks Ferry's schema, a version or a permission", .final, about: .transfer,
                exit: .daemon, http: 503, aria2: nil, url: nil, kept: .none)
        case .workerInUse:
            ErrorRow(
                "another machine of the fleet has this worker's name", .final, about: .transfer, exit: .own,
                http: 409, aria2: nil, url: nil, kept: .none)
        case .workerLost:
            ErrorRow(
                "several workers of the fleet were lost with this job", .final, about: .transfer, exit: .own,
                http: 500, aria2: nil, url: nil, kept: .none)
        case .internal:
            ErrorRow("Ferry's own fault", .final, about: .transfer, exit: .own, http: 500, aria2: 1, url: -1)
        case .unrecognized:
            ErrorRow("a code of a newer version", .final, about: .transfer, exit: .own, http: 500, aria2: 1, url: -1)
        }
    }
}
