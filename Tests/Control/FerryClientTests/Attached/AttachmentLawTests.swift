@testable import FerryClient
import FerryCore
import FerryTesting
import SeedKit
import Testing

@Suite struct `Laws of an attached session` {
    /// Processes and daemons die at random moments, between any two steps.
    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `every event is delivered once in a process, and acknowledged after that`(seed: UInt64) {
        let world = World(seed: seed)
        for _ in 0..<2000 { world.step() }
        world.rest()
        let lost = (1...world.lastNumber).filter { !world.everTold.contains($0) }
        #expect(lost.isEmpty, "seed \(seed): never told: \(lost)")
        #expect(world.shown == world.states, "seed \(seed)")
        #expect(world.kept.isEmpty, "seed \(seed): never acknowledged: \(world.kept)")
        #expect(world.faults.isEmpty, "seed \(seed)")
    }
}

/// A daemon with one session, and the successive processes that open it.
private final class World {
    private var random: SplitMix
    private var now = ContinuousClock.now

    // State of the daemon.
    private(set) var lastNumber: Int64 = 0
    /// The number of each transfer's last event, which represents the transfer's state.
    private(set) var states: [Int: Int64] = [:]
    /// Unacknowledged events, with their transfers.
    private(set) var kept: [(number: Int64, transfer: Int)] = []
    private var stream: [(number: Int64, transfer: Int)]?

    // State of the process.
    private var machine = World.machine
    private(set) var shown: [Int: Int64] = [:]
    private var told: Set<Int64> = []
    /// Events whose callbacks have not returned.
    private var telling: [Int64] = []
    private var attempts = 0
    private var isAttachDue = false
    private var isListDue = false
    /// The event number read before the list.
    private var listNumber: Int64?
    private var isAcknowledgementDue = false
    private var acknowledging: Int64?

    private(set) var everTold: Set<Int64> = []
    private(set) var faults: Set<String> = []

    private static var machine: AttachmentMachine { AttachmentMachine(patience: .seconds(5), acknowledges: true) }

    init(seed: UInt64) {
        random = SplitMix(seed: seed)
        perform(machine.wanted(at: now))
    }

    func step() {
        now += .milliseconds(Int.random(in: 0..<100, using: &random))
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<30: happen()
        case 30..<45: attach()
        case 45..<60: list()
        case 60..<80: notify()
        case 80..<85: telling.removeAll(where: finish)
        case 85..<93: acknowledge(isLost: Bool.random(using: &random))
        case 93..<96: loseDaemon()
        case 96: beginProcess()
        case 97: refuse()
        default: perform(machine.wanted(at: now))
        }
    }

    /// Delivers everything outstanding.
    func rest() {
        loseDaemon()
        for _ in 0..<4 {
            perform(machine.wanted(at: now))
            attach(succeeds: true)
            list()
            list()
            while stream?.isEmpty == false { notify() }
            telling.removeAll(where: finish)
            now += .seconds(1)
            acknowledge(isLost: false)
            acknowledge(isLost: false)
        }
    }

    private func expect(_ condition: Bool, _ law: String) {
        if !condition { faults.insert(law) }
    }

    // MARK: What happens

    private func happen() {
        lastNumber += 1
        let transfer = Int.random(in: 0..<4, using: &random)
        states[transfer] = lastNumber
        kept.append((lastNumber, transfer))
        stream?.append((lastNumber, transfer))
    }

    private func attach(succeeds: Bool? = nil) {
        guard isAttachDue else { return }
        isAttachDue = false
        guard succeeds ?? Bool.random(using: &random) else { return lose() }
        expect(stream == nil, "one attachment")
        stream = kept
        perform(machine.attached(replaying: kept.last?.number ?? 0))
    }

    private func refuse() {
        guard isAttachDue else { return }
        isAttachDue = false
        attempts -= 1
        perform(machine.refused(ServiceError(.sessionInUse, "Another process has it.")))
    }

    /// Reads the event number, then the list, which may be newer.
    private func list() {
        guard isListDue else { return }
        guard let number = listNumber else {
            listNumber = lastNumber
            return
        }
        (isListDue, listNumber) = (false, nil)
        shown = states
        perform(machine.listed(through: number, at: now))
    }

    private func notify() {
        guard machine.state == .following, stream?.isEmpty == false, let event = stream?.removeFirst() else { return }
        if let place = machine.numbers.place(of: event.number) {
            expect(told.insert(event.number).inserted, "nothing is told twice")
            telling.append(event.number)
            if place.isListed {
                expect(shown[event.transfer, default: 0] >= event.number, "the list shows what it is said to show")
            } else {
                shown[event.transfer] = event.number
            }
        } else {
            expect(told.contains(event.number), "what is left out was told")
        }
        perform(machine.took(event.number, at: now))
    }

    private func finish(_ number: Int64) -> Bool {
        everTold.insert(number)
        return true
    }

    private func acknowledge(isLost: Bool) {
        if let number = acknowledging {
            // An acknowledgement is sent after the callbacks have returned.
            guard telling.isEmpty, stream != nil else { return }
            acknowledging = nil
            let isEarly = kept.contains { $0.number <= number && !everTold.contains($0.number) }
            expect(!isEarly, "what is acknowledged was told")
            // The daemon may have processed it although its response was lost.
            if !isLost || Bool.random(using: &random) { kept.removeAll { $0.number <= number } }
            perform(machine.acknowledged(through: isLost ? nil : number, at: now))
        } else if isAcknowledgementDue {
            isAcknowledgementDue = false
            acknowledging = machine.numbers.streamed
        }
    }

    private func loseDaemon() {
        guard stream != nil else { return }
        stream = nil
        (isListDue, listNumber) = (false, nil)
        if acknowledging != nil {
            acknowledging = nil
            perform(machine.acknowledged(through: nil, at: now))
        }
        lose()
    }

    private func lose() {
        attempts -= 1
        perform(machine.lost(ServiceError(.daemonUnreachable, "There is no daemon."), at: now))
    }

    private func beginProcess() {
        machine = World.machine
        (shown, told, telling, stream) = ([:], [], [], nil)
        (attempts, isAttachDue, isListDue, listNumber) = (0, false, false, nil)
        (isAcknowledgementDue, acknowledging) = (false, nil)
        perform(machine.wanted(at: now))
    }

    private func perform(_ effects: [AttachmentMachine.Effect]) {
        for effect in effects {
            switch effect {
            case .attach:
                attempts += 1
                expect(attempts == 1, "one attachment")
                isAttachDue = true
            case .list: isListDue = true
            case .acknowledge:
                expect(!isAcknowledgementDue && acknowledging == nil, "one acknowledgement at a time")
                isAcknowledgementDue = true
            case .forgetNumbers: expect(false, "the journal is there")
            case .notifyLost, .notifyUnreachable, .notifyRefused, .release: break
            }
        }
    }
}
