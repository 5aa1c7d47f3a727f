import FerryCore
import Foundation

/// Where the file of a task is, or will be.
struct TaskFile {
    let folder: String
    var name: String
    /// The whole path, once the daemon has said it.
    private(set) var placed: String?
    /// Whether the file was there before the task.
    private(set) var wasThere = false

    init(folder: String, name: String) {
        self.folder = folder
        self.name = name
    }

    var path: String { placed ?? folder + "/" + name }

    mutating func take(_ transfer: Transfer, _ kind: TaskNote.Kind) {
        switch kind {
        case .placed: takePath(of: transfer)
        case .chain: if transfer.state == .succeeded { placed = transfer.destination }
        }
        wasThere = transfer.unchanged
    }

    /// Takes in a new name; the daemon tells the whole path as soon as it knows it.
    mutating func takeName(of transfer: Transfer) {
        if transfer.destination == nil, let name = transfer.name { self.name = name.lastPathPart }
        takePath(of: transfer)
    }

    private mutating func takePath(of transfer: Transfer) {
        guard let path = transfer.destination else { return }
        placed = path
        name = path.lastPathPart
    }
}

/// What the app has asked for.
struct TaskParameters {
    var method = HTTPMethod.get
    var headers: HTTPHeaders = [:]
    var tags: Set<String> = []
    var priority = 0
}

/// What the server has answered.
struct TaskAnswer {
    /// The URL that was asked last.
    var url: URL
    /// Status and fields of the latest response.
    private(set) var response: ResponseFacts?
    /// The requests that were made for a download of the chain.
    var exchanges: [ExchangeFacts] = []

    init(url: URL) { self.url = url }

    mutating func take(_ transfer: Transfer) {
        if let text = transfer.finalURL, let final = URL(string: text) { url = final }
        if let facts = transfer.response { response = facts }
    }
}
