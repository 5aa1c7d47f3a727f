/// One row of the error table: class, numbers on each public interface, and bytes kept on disk.
package struct ErrorRow: Sendable {
    /// One short phrase, for documentation.
    package let meaning: String
    package let errorClass: ErrorClass
    package let subject: ErrorSubject
    package let exit: ErrorExit
    /// HTTP status of a control API response with this error.
    package let httpStatus: Int
    /// aria2's exit status and RPC code, or nil if aria2 has no equivalent.
    package let aria2: Int?
    /// Raw value of Foundation's `URLError.Code`, or nil if there is no equivalent.
    package let urlError: Int?
    package let kept: KeptBytes
    package let prospect: ErrorProspect

    init(
        _ meaning: String, _ errorClass: ErrorClass, about subject: ErrorSubject, exit: ErrorExit, http: Int,
        aria2: Int?, url: Int?,
        kept: KeptBytes = .partial, prospect: ErrorProspect = .open
    ) {
        self.meaning = meaning
        self.errorClass = errorClass
        self.subject = subject
        self.exit = exit
        self.httpStatus = http
        self.aria2 = aria2
        self.urlError = url
        self.kept = kept
        self.prospect = prospect
    }

    /// Exit status of `ferry` for a transfer with this error.
    package var exitStatus: Int32 { exit.rawValue }
}

/// The subject of an error: it determines what else is affected and which alternatives to try.
package enum ErrorSubject: CaseIterable, Sendable {
    /// The machine's network.
    case network
    /// Host name resolution on the current network.
    case name
    /// The proxy, through which every source is requested.
    case proxy
    /// The current attempt, whatever it requests.
    case attempt
    /// A connection, or a server's temporary condition.
    case connection
    /// The resource of one URL.
    case source
    /// Free disk space.
    case space
    /// The destination folder.
    case destination
    /// This transfer, its file or its request.
    case transfer

    /// Whether a mirror may succeed where this URL failed.
    package var allowsMirrors: Bool {
        switch self {
        case .name, .connection, .source: true
        case .network, .proxy, .attempt, .space, .destination, .transfer: false
        }
    }

    /// Whether the same request may succeed on another connection, or later.
    package var isOfConnection: Bool {
        switch self {
        case .network, .name, .proxy, .attempt, .connection: true
        case .source, .space, .destination, .transfer: false
        }
    }

    /// The wait reason of a transfer that retries after this error.
    package var waitReason: WaitReason {
        switch self {
        case .network: .network
        case .space: .disk
        case .destination: .destination
        case .name, .proxy, .attempt, .connection, .source, .transfer: .retry
        }
    }

    /// Whether the cause may be gone on another network. Under an app's own retry rule a doubtful failure then counts
    /// as patient.
    package var changesWithNetwork: Bool {
        switch self {
        case .network, .name, .proxy: true
        case .attempt, .connection, .source, .space, .destination, .transfer: false
        }
    }
}

/// The exit statuses of `ferry`, in numerical order. Each stands for a family of errors.
package enum ErrorExit: Int32, CaseIterable, Sendable {
    case own = 1
    case network = 3
    case tls = 4
    case server = 5
    case access = 6
    case answer = 7
    case content = 8
    case disk = 9
    case destination = 10
    case refused = 11
    case deadline = 12
    case canceled = 13
    case daemon = 14
    case unknownTransfer = 15
    case usage = 64

    /// Shown at the end of a command's help.
    package var meaning: String {
        switch self {
        case .own: "an internal error"
        case .network: "the network or the server could not be reached"
        case .tls: "TLS failed, or the certificate is wrong"
        case .server: "the server responded with an error"
        case .access: "credentials are missing, or the URL has expired"
        case .answer: "the server's responses are invalid, or the resource changed"
        case .content: "the size or a checksum differs"
        case .disk: "the disk is full or fails"
        case .destination: "the destination cannot be written, or its name is taken"
        case .refused: "a redirect or a file that is too large was refused"
        case .deadline: "the deadline passed"
        case .canceled: "the transfer was canceled or removed"
        case .daemon: "the daemon cannot be reached or started"
        case .unknownTransfer: "no transfer has this id"
        case .usage: "the command line or a request is invalid"
        }
    }

    /// Whether an accepted transfer can finish with this status.
    package var isOfTransfer: Bool {
        switch self {
        case .own, .network, .tls, .server, .access, .answer, .content, .disk, .destination, .refused, .deadline,
            .canceled, .daemon:
            true
        case .unknownTransfer, .usage: false
        }
    }
}

/// Ferry's automatic reaction to a failure.
package enum ErrorClass: String, Codable, Sendable {
    /// Waits until the cause is gone. Not counted as a failure.
    case wait
    /// Retries with backoff until `giveUpAfter`.
    case patient
    /// Retries a few times, since the cause may be permanent.
    case doubtful
    /// Ends the transfer.
    case final
}

/// The prospect of the next attempt while no server has responded yet.
package enum ErrorProspect: Sendable {
    /// The cause may be temporary.
    case open
    /// The cause is probably permanent.
    case poor
    /// As `poor` if a connection was refused, otherwise as `open`.
    case poorIfRefused
}

/// The bytes that a failed transfer leaves on disk.
package enum KeptBytes: String, Sendable {
    /// Nothing.
    case none
    /// The partial file and its durable ranges. A later attempt resumes from them.
    case partial
    /// A complete, verified partial file. A later attempt with another destination places it without fetching.
    case whole
}

extension ServiceError {
    /// aria2's exit status for an HTTP status that failed a download, or nil if none did.
    ///
    /// As aria2 1.36 behaves: 3 for 404, 29 for 502 to 504, 22 for every other error.
    package var aria2Status: Int? {
        guard [.serverBusy, .notFound, .httpStatus].contains(code), let status = details.httpStatus else { return nil }
        return switch status {
        case 404: 3
        case 502...504: 29
        default: 22
        }
    }
}
