import FerryCore

/// The URLs of one file. The first is tried first; the others are mirrors.
struct DownloadURLs: Hashable, Sendable {
    /// Not empty. A client may add a URL twice.
    private(set) var all: [String]

    var first: String { all[0] }
    /// The distinct other URLs.
    var mirrors: [String] { Array(distinct.dropFirst()) }

    /// The URLs without duplicates, as the transfer uses them.
    private var distinct: [String] {
        var seen: Set<String> = []
        return all.filter { text in seen.insert(Self.parse(text).map(Self.key) ?? text).inserted }
    }

    /// Whether a source of a transfer is the URL at an index.
    func isSource(_ source: Int, at index: Int) -> Bool {
        let distinct = distinct
        guard distinct.indices.contains(source) else { return false }
        return Self.parse(distinct[source]).map(Self.key) == Self.parse(all[index]).map(Self.key)
    }

    /// The URL of a source of a transfer, or `nil` if there is none.
    func url(of source: Int) -> String? { distinct.indices.contains(source) ? distinct[source] : nil }

    /// Maximum number of URLs of a file: its own and 64 mirrors.
    static let most = 65

    init?(_ urls: [String]) {
        guard !urls.isEmpty else { return nil }
        all = urls
    }

    init(_ url: String) { all = [url] }

    /// Parses the URLs given by a client. Ignores duplicates and URLs that Ferry does not support, as aria2 does.
    ///
    /// Only the first URL keeps its user name and password.
    /// - Throws: ``RPCFault`` if no URL is left, with the reason why the first one is not supported.
    init(reading texts: [String]) throws(RPCFault) {
        guard let given = texts.first else { throw .noURI }
        all = []
        var seen: Set<String> = []
        for text in texts where all.count < Self.most {
            guard let url = Self.parse(text), seen.insert(Self.key(url)).inserted else { continue }
            all.append(all.isEmpty ? text : url.withoutUserinfo.string)
        }
        if all.isEmpty {
            do throws(ServiceError) { _ = try HTTPURL(parsing: given) } catch { throw RPCFault(error) }
            throw .noURI
        }
    }

    private static func parse(_ text: String) -> HTTPURL? {
        do throws(ServiceError) { return try HTTPURL(parsing: text) } catch { return nil }
    }

    /// Returns the normalized form by which equal URLs are detected.
    private static func key(_ url: HTTPURL) -> String { url.withoutUserinfo.withoutFragment.string }

    /// These URLs as they are stored and shown, without user names and passwords.
    var withoutUserinfo: DownloadURLs {
        DownloadURLs(all.map { Self.parse($0)?.withoutUserinfo.string ?? $0 }) ?? self
    }

    /// The result of an edit: the numbers of removed and added URLs, and the new list.
    struct Edit: Equatable {
        var removed = 0
        var added = 0
        var urls: [String]
    }

    /// Returns the result of removing URLs and then inserting others at a position, or at the end.
    func edited(removing: [String], adding: [String], at position: Int?) -> Edit {
        var edit = Edit(urls: all)
        for text in removing {
            guard let key = Self.parse(text).map(Self.key),
                let place = edit.urls.firstIndex(where: { Self.parse($0).map(Self.key) == key })
            else { continue }
            edit.urls.remove(at: place)
            edit.removed += 1
        }
        var place = min(max(position ?? edit.urls.count, 0), edit.urls.count)
        for text in adding where edit.urls.count < Self.most {
            guard let url = Self.parse(text) else { continue }
            edit.urls.insert(url.withoutUserinfo.string, at: place)
            place += 1
            edit.added += 1
        }
        return edit
    }
}
