import FerryClient
import FerryCore
import FerryFoundation

/// Shows progress on standard error: in place on a terminal, as plain lines elsewhere, or not at all.
actor ProgressDisplay {
    private let context: CommandContext
    private var mode: Mode
    /// Whether only failures are printed.
    nonisolated let isQuiet: Bool
    /// Whether completed files are not reported, because their location is internal.
    private let omitsSaved: Bool
    private var board: ProgressBoard
    private var plain: PlainProgress
    private var block = LiveBlock()
    private var drawnAt = Date.distantPast
    private var ended: Set<TransferID> = []
    private var hasAdvised = false
    private var turn = TurnWait()
    /// Lines to print above the live block.
    private var above: [String] = []

    enum Mode {
        case live, plain, quiet
        /// Nothing is printed.
        case silent
    }

    // Drawing more often costs more than it shows.
    private static let interval: TimeInterval = 0.1

    init(
        _ context: CommandContext, total: Int?, retries: RetryLimits? = nil, isQuiet: Bool = false,
        omitsSaved: Bool = false
    ) {
        self.context = context
        self.isQuiet = isQuiet
        self.omitsSaved = omitsSaved
        mode =
            isQuiet
            ? .quiet : context.console.isTerminal(.talk) && context.environment["TERM"] != "dumb" ? .live : .plain
        board = ProgressBoard(total: total)
        board.line = ProgressLine(palette: context.palette(.talk), retries: retries)
        plain = PlainProgress(retries: retries)
    }

    func show(_ update: FollowUpdate) {
        switch update {
        case .event(let event): if let transfer = event.transfer { show(transfer) }
        case .snapshot(let transfer): show(transfer)
        case .removed(let id):
            board.remove(id)
            remark("removed: \(id)")
        case .interrupted: remark("the daemon ended; starting it again")
        }
    }

    func show(_ transfer: Transfer) {
        if transfer.state.isEnded { ended.insert(transfer.id) }
        adviseOnPause(transfer)
        let hasEnded = board.update(transfer, now: context.now())
        let isUntold = omitsSaved && transfer.state == .succeeded
        switch mode {
        case .live:
            if hasEnded, !isUntold, let end = EndSentence.of(transfer) { above.append(end) }
            draw()
        case .plain where isUntold: break
        case .plain: if let line = plain.line(transfer, now: context.now()) { context.console.say(line) }
        case .silent: break
        case .quiet:
            guard hasEnded, !isUntold, let end = EndSentence.of(transfer) else { break }
            if transfer.state != .succeeded || transfer.takenName != nil { context.console.say(end) }
        }
    }

    /// Whether nothing is known about a transfer, or only that it waits for a slot.
    func isSilent(about id: TransferID) -> Bool { !ended.contains(id) && !board.shows(id) }

    /// Prints a permanent line.
    func remark(_ line: String) {
        switch mode {
        case .live:
            above.append(line)
            draw()
        case .plain: context.console.say(line)
        case .quiet, .silent: break
        }
    }

    /// Prints once how to avoid waiting for disk space, or for a server's long pause.
    private func adviseOnPause(_ transfer: Transfer) {
        guard !hasAdvised, transfer.state == .waiting else { return }
        if transfer.reason == .disk {
            hasAdvised = true
            return remark("it waits for disk space; `ferry get --fail-when-full` would fail")
        }
        guard transfer.reason == .server, let next = transfer.times.nextAttempt,
            next.timeIntervalSince(context.now()) > Self.longPause
        else { return }
        hasAdvised = true
        let host = (try? HTTPURL(parsing: transfer.url))?.host ?? "The server"
        remark("\(host.escapingControls) asks for a pause; `ferry resume \(transfer.id)` retries at once")
    }

    /// Seconds after which that advice is worth giving.
    private static let longPause: TimeInterval = 20

    /// Redraws times while nothing else happens.
    func tick() {
        if let sentence = turn.sentence(of: board.waiting, othersRun: board.isBusy, now: context.now()) {
            remark(sentence)
        }
        if mode == .live { draw() }
    }

    /// Prints nothing from now on.
    func silence() { mode = .silent }

    /// Leaves the terminal to the data: only failures are printed from now on.
    func giveUpTerminal() {
        guard mode == .live else { return }
        finish()
        mode = .quiet
    }

    /// Removes the live block and shows the cursor.
    func finish() {
        if mode == .live { context.console.write(block.finish(above: above), to: .talk) }
        above = []
    }

    private func draw() {
        let now = context.now()
        guard now.timeIntervalSince(drawnAt) >= Self.interval || now < drawnAt else { return }
        drawnAt = now
        let size = context.console.size
        // A full line would wrap on some terminals.
        let lines = board.lines(width: max(1, size.columns - 1), height: size.rows, now: now)
        context.console.write(block.draw(above: above, lines), to: .talk)
        above = []
    }
}

/// Control sequences that redraw a block of lines in place.
struct LiveBlock {
    private var drawn = 0

    /// Prints permanent lines above, and the new block below.
    mutating func draw(above: [String] = [], _ lines: [String]) -> String {
        var text = drawn > 0 ? (drawn > 1 ? "\u{1B}[\(drawn - 1)A" : "") + "\r" : Self.hideCursor
        for line in above { text += line + "\u{1B}[K\n" }
        text += lines.map { $0 + "\u{1B}[K" }.joined(separator: "\n")
        // Clears the rest of a longer previous block.
        text += "\u{1B}[J"
        // The terminal echoes ^C at the cursor. At the start of a line the next drawing overwrites it.
        text += "\r"
        drawn = max(1, lines.count)
        return text
    }

    /// Removes the block and prints permanent lines instead.
    mutating func finish(above: [String] = []) -> String {
        guard drawn > 0 else { return above.map { $0 + "\n" }.joined() }
        let text = (drawn > 1 ? "\u{1B}[\(drawn - 1)A" : "") + "\r\u{1B}[J" + Self.showCursor
        drawn = 0
        return text + above.map { $0 + "\n" }.joined()
    }

    static let hideCursor = "\u{1B}[?25l"
    static let showCursor = "\u{1B}[?25h"
}
