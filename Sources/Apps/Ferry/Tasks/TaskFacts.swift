import FerryCore
import Foundation

/// The file of a task.
struct TaskFile {
    private(set) var folder: String
    var name: String
    /// The name given by the app. A conflict may have changed it.
    private(set) var givenName: String
    /// The whole path, once the daemon has reported it.
    private(set) var placed: String?
    /// Whether the file existed before the task.
    private(set) var wasThere = false

    init(folder: String, name: String) {
        self.folder = folder
        self.name = name
        givenName = name
    }

    /// Processes another destination of a file that has not been placed.
    mutating func move(to folder: String, name: String?) {
        self = TaskFile(folder: folder, name: name ?? self.name)
    }

    var path: String { placed ?? folder + "/" + name }

    mutating func take(_ transfer: Transfer, _ kind: TaskNote.Kind) {
        switch kind {
        case .placed: takePath(of: transfer)
        case .chain: if transfer.state == .succeeded { placed = transfer.destination }
        }
        wasThere = transfer.unchanged
    }

    /// Processes a new name. The daemon reports the whole path once known.
    mutating func takeName(of transfer: Transfer) {
        if let name = transfer.names.chosen {
            givenName = name.lastPathPart
            if transfer.destination == nil { self.name = givenName }
        }
        takePath(of: transfer)
    }

    private mutating func takePath(of transfer: Transfer) {
        guard let path = transfer.destination else { return }
        placed = path
        name = path.lastPathPart
    }
}

/// The parameters set by the app.
struct TaskParameters {
    var url: String
    var method = HTTPMethod.get
    var headers: HTTPHeaders = [:]
    var tags: Set<String> = []
    var priority = 0
}

/// The server's response.
struct TaskAnswer {
    /// The URL of the last request.
    var url: URL
    /// Status and header fields of the latest response.
    private(set) var response: ResponseFacts?
    /// The requests of a chain download.
    var exchanges: [ExchangeFacts] = []

    init(url: URL) { self.url = url }

    mutating func take(_ transfer: Transfer) {
        if let text = transfer.finalURL, let final = URL(string: text) { url = final }
        if let facts = transfer.response { response = facts }
    }
}
