import FerryCore
import FerryFleet
import FerryTesting
import Testing

@testable import FerryPostgres

/// Settings of servers, databases, roles and environments that change how SQL reads or answers.
@Suite(.enabled(if: PostgresServer.programs != nil, "PostgreSQL's server is not installed."), .timeLimit(.minutes(4)))
struct `Settings of somebody else's database` {
    /// The place of a setting.
    enum Place: String, CaseIterable { case server, database, role, environment }

    /// Settings and their values. Those of the second list only a superuser sets.
    private static let settings: [(name: String, value: String)] = [
        ("DateStyle", "SQL, DMY"), ("DateStyle", "German"), ("TimeZone", "Asia/Kolkata"),
        ("TimeZone", "America/St_Johns"),
        ("IntervalStyle", "sql_standard"), ("extra_float_digits", "-15"), ("array_nulls", "off"),
        ("standard_conforming_strings", "off"), ("escape_string_warning", "off"), ("transform_null_equals", "on"),
        ("quote_all_identifiers", "on"), ("bytea_output", "escape"), ("client_encoding", "LATIN1"),
        ("client_encoding", "SQL_ASCII"), ("search_path", "hostile, pg_catalog"),
        ("default_transaction_isolation", "serializable"), ("default_transaction_isolation", "repeatable read"),
        ("default_transaction_read_only", "on"), ("default_transaction_deferrable", "on"), ("exit_on_error", "on"),
        ("client_min_messages", "debug1"), ("row_security", "off"), ("check_function_bodies", "off"),
        ("synchronous_commit", "off"), ("plan_cache_mode", "force_generic_plan"), ("enable_indexscan", "off"),
        ("constraint_exclusion", "on"), ("from_collapse_limit", "1"), ("jit_above_cost", "0"), ("lock_timeout", "1h"),
        ("statement_timeout", "1h"), ("idle_in_transaction_session_timeout", "1h"),
        ("gin_fuzzy_search_limit", "1"), ("backslash_quote", "off"), ("xmloption", "document"),
    ]
    private static let privileged: [(name: String, value: String)] = [
        ("plpgsql.extra_errors", "all"), ("plpgsql.variable_conflict", "use_variable"),
        ("session_replication_role", "replica"),
    ]

    /// Objects that hide the system's own where `search_path` says so.
    private static let hostile = """
        CREATE SCHEMA hostile;
        CREATE DOMAIN hostile.text AS pg_catalog.int4;
        CREATE FUNCTION hostile.set_config(pg_catalog.text, pg_catalog.text, boolean) RETURNS pg_catalog.text LANGUAGE sql
          AS 'SELECT pg_catalog.text ''hostile''';
        CREATE FUNCTION hostile.hashtext(pg_catalog.text) RETURNS int LANGUAGE sql AS 'SELECT 1/0';
        CREATE FUNCTION hostile.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS 'SELECT NULL::timestamptz';
        CREATE TABLE hostile.pg_roles (rolname name);
        GRANT USAGE ON SCHEMA hostile TO PUBLIC
        """

    @Test(arguments: Place.allCases)
    func `answers are the same whatever they say`(place: Place) async throws {
        // A setting of a whole server needs one of its own.
        let server = try await place == .server ? PostgresServer(port: 5499) : PostgresServer.shared()
        let expected = try await Self.transcript(server, place, nil)
        #expect(expected.count > 30)
        let isSuperuser = place == .database || place == .role
        for setting in Self.settings + (isSuperuser ? Self.privileged : []) {
            #expect(try await Self.transcript(server, place, setting) == expected, "\(setting)")
        }
        if place == .server { await server.remove() }
    }

    /// A list is a list to SET, and elsewhere a text with commas.
    private static func literal(_ setting: (name: String, value: String)) -> String {
        setting.name == "search_path" ? setting.value : "'\(setting.value)'"
    }

    // MARK: The trial

    /// The answers to a fleet's calls in a database of its own.
    private static func transcript(
        _ server: PostgresServer, _ place: Place, _ setting: (name: String, value: String)?
    ) async throws -> [String] {
        let database = try await server.makeDatabase()
        let login = "\(database)_login"
        try await server.query(hostile, in: database)
        try await server.query("CREATE ROLE \(login) LOGIN")
        // Before a setting makes psql's sessions read-only.
        if setting != nil { try await server.query("GRANT ferry_worker, ferry_operator TO \(login)") }
        var options = ""
        if let setting {
            let value = "\(setting.name) = \(literal(setting))"
            switch place {
            case .server:
                try await server.query("ALTER SYSTEM SET \(value)")
                try await reload(server, until: "\(setting.name)", isSet: true)
            case .database: try await server.query("ALTER DATABASE \(database) SET \(value)")
            case .role: try await server.query("ALTER ROLE \(login) SET \(value)")
            case .environment where setting.name == "client_encoding": options = " client_encoding=\(setting.value)"
            case .environment:
                options = " options='-c \(setting.name)=\(setting.value.replacing(" ", with: "\\\\ "))'"
            }
        }
        // As the database's owner, and under the same settings of its environment.
        let address = try DatabaseAddress(server.address(database) + options)
        _ = try SchemaMigration.initialize(address)
        // It makes no roles, since there are all of them.
        _ = try SchemaMigration.migrate(address)
        if setting == nil { try await server.query("GRANT ferry_worker, ferry_operator TO \(login)") }
        let queue = PostgresQueue(try DatabaseAddress(server.address(database, user: login) + options))
        do {
            let lines = try await LifeOfJobs.perform(queue)
            await queue.close()
            if place == .server, let setting {
                try await server.query("ALTER SYSTEM RESET ALL")
                try await reload(server, until: setting.name, isSet: false)
            }
            return lines
        } catch {
            await queue.close()
            throw TestingError("\(setting.map { "\($0)" } ?? "") \(error)")
        }
    }

    private static func reload(_ server: PostgresServer, until name: String, isSet: Bool) async throws {
        try await server.query("SELECT pg_reload_conf()")
        try await eventually("\(name) is \(isSet ? "set" : "reset")") {
            let query = "SELECT coalesce(sourcefile LIKE '%auto.conf', false) FROM pg_settings WHERE name = '\(name)'"
            return try await server.query(query) == (isSet ? "t" : "f")
        }
    }
}
