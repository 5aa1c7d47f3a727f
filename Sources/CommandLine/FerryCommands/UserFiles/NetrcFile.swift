import ArgumentParser
import FerryCore
import FerryFoundation

/// A netrc file that a command reads.
struct NetrcFile {
    private let netrc: Netrc
    private let context: CommandContext
    /// Whether other users may read `~/.netrc`. Its passwords are then not used.
    private let isOpenToOthers: Bool
    /// Whether an option names the file.
    private let isChosen: Bool

    /// Reads the file of an option.
    ///
    /// - Throws: `ValidationError` if it cannot be read, or if other users may read it.
    init(option typed: String, in context: CommandContext) throws {
        let path = typed == "-" ? typed : try context.typedPath.folder(typed)
        guard typed == "-" || !context.console.othersMayRead(path) else {
            throw ValidationError(
                "Other users may read “\(path.escapingControls)”, which contains passwords: run chmod 600 on it.")
        }
        netrc = try Netrc(context.console.read(path), from: typed)
        isOpenToOthers = false
        isChosen = true
        self.context = context
        if let remark = netrc.remark { context.remark(remark) }
    }

    /// Reads `~/.netrc`, which no option has requested: a missing one is usual, an unreadable one is a remark.
    init?(ofUserIn context: CommandContext) {
        guard let path = context.home.map({ $0 + "/.netrc" }) else { return nil }
        do {
            netrc = try Netrc(context.console.read(path), from: "~/.netrc")
        } catch {
            if path.withPath({ unsafe access($0, F_OK) }) == 0 {
                context.remark("~/.netrc is ignored: \((error as? ValidationError)?.message ?? "\(error)")")
            }
            return nil
        }
        isOpenToOthers = context.console.othersMayRead(path)
        isChosen = false
        self.context = context
        if !isOpenToOthers, let remark = netrc.remark { context.remark(remark) }
    }

    /// Maximum number of URLs whose transfers all get the entries of other hosts. Each transfer stores them.
    private static let mostWithOthers = 10_000

    /// The credentials to send with transfers of these URLs.
    ///
    /// - Parameters:
    ///   - urls: A URL of each server.
    ///   - count: Number of transfers.
    /// - Throws: `ValidationError` with the line of an entry for one of the URLs that cannot be read.
    func logins(for urls: [HTTPURL], count: Int = 1) throws -> [GivenLogin] {
        guard isOpenToOthers else {
            let all = try netrc.logins(for: urls)
            if isChosen || count <= Self.mostWithOthers { return limited(all) }
            let hosts = Set(urls.map(\.host))
            let own = all.filter { $0.host.map(hosts.contains) ?? false }
            if own.count < all.count {
                context.remark(
                    "~/.netrc is used for the hosts of the list only, because it has more than \(Self.mostWithOthers) URLs; --netrc-file ~/.netrc uses it for hosts of redirects too."
                )
            }
            return limited(own)
        }
        if urls.contains(where: netrc.names) {
            context.remark("~/.netrc is ignored, because other users may read it; run chmod 600 ~/.netrc.")
        }
        return []
    }

    /// As many logins as a request may have, besides the one for all hosts.
    private func limited(_ logins: [GivenLogin]) -> [GivenLogin] {
        let most = LoginOptions.mostLogins - 1
        if logins.count > most { context.remark("Only the first \(most) entries of the netrc file are used.") }
        return Array(logins.prefix(most))
    }
}
