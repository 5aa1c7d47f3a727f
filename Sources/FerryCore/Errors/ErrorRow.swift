/// What one error code means: its class, its numbers on each public face, and what it leaves on disk.
package struct ErrorRow: Sendable {
    /// One short phrase, for documentation.
    package let meaning: String
    package let errorClass: ErrorClass
    package let subject: ErrorSubject
    package let exit: ErrorExit
    /// Status of a control-API response that reports the error.
    package let httpStatus: Int
    /// aria2's exit status and RPC code; nil where aria2 has no counterpart.
    package let aria2: Int?
    /// Foundation's `URLError.Code` raw value; nil where there is none.
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

    /// Exit status of `ferry` for a transfer that ended so.
    package var exitStatus: Int32 { exit.rawValue }
}

/// What an error is about: what else may be affected, and what can be tried instead.
package enum ErrorSubject: CaseIterable, Sendable {
    /// The machine's network.
    case network
    /// The name of a host, as the present network knows it.
    case name
    /// The proxy, which each source is asked through.
    case proxy
    /// The present attempt, whatever it asks.
    case attempt
    /// A connection, or a server for the moment.
    case connection
    /// What one URL leads to.
    case source
    /// Free space.
    case space
    /// The folder that the file goes to.
    case destination
    /// This transfer, its file or its request.
    case transfer

    /// Whether a mirror may have what this URL does not give.
    package var letsMirrorTry: Bool {
        switch self {
        case .name, .connection, .source: true
        case .network, .proxy, .attempt, .space, .destination, .transfer: false
        }
    }

    /// Whether the same request may do better on another connection, or later.
    package var isOfConnection: Bool {
        switch self {
        case .network, .name, .proxy, .attempt, .connection: true
        case .source, .space, .destination, .transfer: false
        }
    }

    /// What a transfer waits for that is tried again after the error.
    package var waitReason: WaitReason {
        switch self {
        case .network: .network
        case .space: .disk
        case .destination: .destination
        case .name, .proxy, .attempt, .connection, .source, .transfer: .retry
        }
    }

    /// Whether the cause may be gone on another network, so that an app's own rule tries again as long as it tries at all.
    package var changesWithNetwork: Bool {
        switch self {
        case .network, .name, .proxy: true
        case .attempt, .connection, .source, .space, .destination, .transfer: false
        }
    }
}

/// The exit statuses of `ferry`, in the order of their numbers; each is for a family of errors.
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

    /// For the end of a command's help.
    package var meaning: String {
        switch self {
        case .own: "a fault of Ferry's own"
        case .network: "the network or the server could not be reached"
        case .tls: "TLS failed, or the certificate is wrong"
        case .server: "the server answered with an error"
        case .access: "credentials are missing, or the URL has expired"
        case .answer: "the server's answers make no sense, or the resource changed"
        case .content: "the size or a checksum differs"
        case .disk: "the disk is full or fails"
        case .destination: "the destination cannot be written, or its name is taken"
        case .refused: "a redirect or a file that is too large was refused"
        case .deadline: "the deadline passed"
        case .canceled: "the transfer was canceled or removed"
        case .daemon: "the daemon cannot be reached or started"
        case .unknownTransfer: "no transfer has this id"
        case .usage: "the command line or a request makes no sense"
        }
    }

    /// Whether a transfer that was accepted can end so.
    package var isOfTransfer: Bool {
        switch self {
        case .own, .network, .tls, .server, .access, .answer, .content, .disk, .destination, .refused, .deadline,
            .canceled, .daemon:
            true
        case .unknownTransfer, .usage: false
        }
    }
}

/// What Ferry does about a failure by itself.
package enum ErrorClass: String, Codable, Sendable {
    /// Waits until the cause is gone; not counted as a failure.
    case wait
    /// Tries again, with growing delays, until `giveUpAfter`.
    case patient
    /// Tries again a few times, since the cause may be permanent.
    case doubtful
    /// Ends the transfer.
    case final
}

/// What the next try may hope for, as long as nothing has come from a server.
package enum ErrorProspect: Sendable {
    /// The cause may pass by itself.
    case open
    /// Nothing suggests that it passes.
    case poor
    /// As `poor` where a connection was refused, else as `open`.
    case poorIfRefused
}

/// What a transfer that ended with an error leaves on disk.
package enum KeptBytes: String, Sendable {
    /// Nothing.
    case none
    /// The partial file and its durable ranges: a later try goes on from them.
    case partial
    /// A complete, verified partial file: a later try with another destination places it without fetching.
    case whole
}
