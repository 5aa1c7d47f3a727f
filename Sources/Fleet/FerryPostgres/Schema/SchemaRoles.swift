/// The roles of a fleet and the functions that each may call. No role but the owner reads a table.
///
/// The functions run as the owner, with a search path of their own. Whose jobs a caller may see and change follows from
/// its login (`seen_tenant`, `own_tenant`), never from an argument.
enum Role: String, CaseIterable {
    case owner = "ferry_owner"
    /// Runs jobs.
    case worker = "ferry_worker"
    /// Adds jobs, and sees and changes those that it has added.
    case submitter = "ferry_submitter"
    /// May see all jobs and the fleet.
    case reader = "ferry_reader"
    /// May see and change everything.
    case `operator` = "ferry_operator"

    /// Names of the functions that the role may call.
    var functions: [String] {
        let looks = ["list_jobs", "describe", "ends", "last_end", "kept_for"]
        let basics = ["fleet_status", "list_stores", "schema_version"]
        switch self {
        case .owner: return []
        case .worker:
            return basics + [
                "join_fleet", "beat", "rescue", "claim", "held", "reclaim", "finish", "give_back",
                "landed",
                "begin_jobs", "intend", "progress", "leave", "upkeep", "upkeep_days", "hold",
            ]
        case .submitter: return basics + looks + ["submit", "act"]
        case .reader: return basics + looks
        case .operator:
            return basics + looks + [
                "submit", "act", "drain", "set_origin", "hold", "release", "set_store", "keep_for",
            ]
        }
    }
}

extension Schema {
    /// Creates the roles and the empty schema. Run by a superuser or a role with CREATEROLE, in a transaction.
    ///
    /// From PostgreSQL 16 on, whoever creates a role may grant it and is no member that could act as it.
    static let roles = """
        DO $$
        DECLARE name text;
        BEGIN
          FOREACH name IN ARRAY ARRAY['\(Role.allCases.map(\.rawValue).joined(separator: "', '"))'] LOOP
            IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = name) THEN EXECUTE format('CREATE ROLE %I NOLOGIN', name); END IF;
            IF current_setting('server_version_num')::int >= 160000 THEN
              IF NOT pg_has_role(current_user, name, 'USAGE') OR NOT pg_has_role(current_user, name, 'SET') THEN
                EXECUTE format('GRANT %I TO CURRENT_USER WITH INHERIT TRUE, SET TRUE', name);
              END IF;
            ELSIF NOT pg_has_role(current_user, name, 'MEMBER') THEN
              EXECUTE format('GRANT %I TO CURRENT_USER', name);
            END IF;
          END LOOP;
        END $$;
        CREATE SCHEMA IF NOT EXISTS ferry AUTHORIZATION ferry_owner;
        GRANT USAGE ON SCHEMA ferry TO ferry_worker, ferry_submitter, ferry_reader, ferry_operator;
        """

    /// Functions that workers call all the time. Between two vacuums their tables contain many dead rows. An index scan
    /// marks the entries of dead rows, so that later index scans skip them. Sequential and bitmap scans read all of them.
    private static let hot = ["claim", "reclaim", "finish", "give_back", "landed"]

    static var grants: String {
        let table = Role.allCases.flatMap { role in role.functions.map { "('\($0)', '\(role.rawValue)')" } }
        return """
            DO $$
            DECLARE f record; r record;
            BEGIN
              FOR f IN SELECT p.oid::regprocedure AS name, p.proname::text AS short,
                  coalesce(array_to_string(p.proconfig, ' '), '') !~ 'lock_timeout' AS waits FROM pg_proc p
                  WHERE p.pronamespace = 'ferry'::regnamespace LOOP
                EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f.name);
                FOR r IN SELECT role FROM (VALUES \(table.joined(separator: ", "))) AS t(function, role) WHERE function = f.short LOOP
                  EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER SET search_path = ferry, pg_temp', f.name);
                  EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', f.name, r.role);
                  -- A call that waits for a lock gives up before heartbeats are missed.
                  IF f.waits THEN EXECUTE format('ALTER FUNCTION %s SET lock_timeout = ''2s''', f.name); END IF;
                END LOOP;
                IF f.short = ANY ('{\(hot.joined(separator: ","))}') THEN
                  EXECUTE format('ALTER FUNCTION %s SET enable_seqscan = off', f.name);
                  EXECUTE format('ALTER FUNCTION %s SET enable_bitmapscan = off', f.name);
                END IF;
              END LOOP;
            END $$;
            """
    }
}
