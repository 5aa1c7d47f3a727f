import FerryCore
import FerryEngine
import FerryQueue

/// The parts of a service, each built from the parts it uses.
struct ServiceParts: Sendable {
    let queries: Queries
    let events: LiveEvents
    let obstacles: Obstacles
    let settings: SettingsChanges
    let upkeep: Upkeep
    let ends: TransferEnds
    let deadlines: Deadlines
    let runner: AttemptRunner
    let cleanUps: CleanUps
    let actions: Actions
    let changes: Changes
    let spool: Spool
    let handOvers: HandOvers
    let admission: Admission
    let apps: AppParts

    init(
        _ queue: LiveQueue, journal: any Journal, hub: EventHub, life: ServiceLife, conditions: any ConditionSource,
        _ configuration: ServiceConfiguration
    ) {
        let placed = PlacedFiles(engine: queue.engine, journal: journal)
        let records = StartingRecords(queue, journal: journal)
        let memories = SessionMemories(queue, journal: journal, configuration)
        let launches = AppLaunches(queue, journal: journal, life: life, configuration)
        queries = Queries(queue, journal: journal, life: life)
        events = LiveEvents(queue, journal: journal, hub: hub, life: life)
        obstacles = Obstacles(queue, life: life)
        settings = SettingsChanges(
            queue, journal: journal, queries: queries, events: events, conditions: conditions)
        upkeep = Upkeep(queue, journal: journal, life: life, configuration)
        ends = TransferEnds(
            queue, journal: journal, hub: hub, records: records, memories: memories, upkeep: upkeep, configuration)
        deadlines = Deadlines(queue, journal: journal, life: life, configuration)
        runner = AttemptRunner(
            queue, journal: journal, records: records, ends: ends, advisors: memories, events: events, configuration)
        let removals = Removals(
            queue, journal: journal, hub: hub, ends: ends, records: records, memories: memories, configuration)
        cleanUps = CleanUps(queue, journal: journal, life: life, removals: removals, placed: placed, configuration)
        actions = Actions(
            queue, journal: journal, hub: hub, ends: ends, removals: removals, events: events, placed: placed,
            launches: launches, configuration)
        changes = Changes(
            queue, journal: journal, actions: actions, answers: memories, events: events, placed: placed)
        spool = Spool(queue, journal: journal, actions: actions, configuration)
        handOvers = HandOvers(queue, journal: journal, actions: actions, ends: ends)
        admission = Admission(
            queue, journal: journal, hub: hub, life: life, events: events, actions: actions, spool: spool,
            launches: launches, configuration)
        let connections = AppConnections(queue, journal: journal, launches: launches)
        apps = AppParts(
            launches: launches, connections: connections,
            attachments: Attachments(
                queue, journal: journal, hub: hub, life: life, events: events, memories: memories,
                connections: connections, launches: launches, processes: configuration.machine.processes),
            quits: Quits(queue, journal: journal, actions: actions, ends: ends), memories: memories)
    }
}

/// The parts of a service that concern apps and their sessions.
struct AppParts: Sendable {
    let launches: AppLaunches
    let connections: AppConnections
    let attachments: Attachments
    let quits: Quits
    let memories: SessionMemories
}
