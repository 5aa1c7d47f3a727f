/// The schema `ferry` as numbered steps, and the roles that may use it.
enum Schema {
    /// The version that this release writes.
    static let version = 1
    /// The oldest release that works with it, by its own version.
    static let compatible = 1
    /// The oldest supported server: 14.
    static let oldestServer = 140_000

    /// Creates the roles and the empty schema. Run by a superuser or a role with CREATEROLE, in a transaction.
    static let roles = #"""
        DO $$
        DECLARE name text;
        BEGIN
          FOREACH name IN ARRAY ARRAY['ferry_owner', 'ferry_worker', 'ferry_submitter'] LOOP
            IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = name) THEN EXECUTE format('CREATE ROLE %I NOLOGIN', name); END IF;
            IF NOT pg_has_role(current_user, name, 'MEMBER') THEN EXECUTE format('GRANT %I TO CURRENT_USER', name); END IF;
          END LOOP;
        END $$;
        CREATE SCHEMA IF NOT EXISTS ferry AUTHORIZATION ferry_owner;
        GRANT USAGE ON SCHEMA ferry TO ferry_worker, ferry_submitter;
        """#

    /// The step that makes version `number` out of the version before. Run as `ferry_owner`, in a transaction.
    static func step(_ number: Int) -> String? {
        switch number {
        case 1:
            [Schema1.tables, Schema1.workers, Schema1.jobs, Schema1.ends, Schema1.clients, grants].joined(
                separator: "\n")
                + "INSERT INTO meta (version, compatible) VALUES (1, 1);"
        default: nil
        }
    }

    /// Functions of workers. Nobody else but the owner may call them.
    private static let ofWorkers = [
        "join_fleet", "beat", "rescue", "claim", "next_claim", "held", "reclaim", "finish", "give_back", "landed",
        "intend",
        "progress", "leave", "upkeep",
    ]
    /// Functions of submitters, which workers may call too.
    private static let ofSubmitters = [
        "submit", "list_jobs", "describe", "act", "ends", "last_end", "fleet_status", "drain", "set_origin", "hold",
        "set_store",
        "list_stores", "schema_version",
    ]

    /// Functions that workers call all the time. Between two vacuums their tables contain many dead rows. An index scan
    /// marks the entries of dead rows, so that later index scans skip them. Sequential and bitmap scans read all of them.
    private static let hot = ["claim", "reclaim", "finish", "give_back", "landed"]

    /// Roles execute functions and read no table. The functions run as the owner, with a search path of their own.
    private static let grants = """
        DO $$
        DECLARE f record;
        BEGIN
          FOR f IN SELECT p.oid::regprocedure AS name, p.proname::text AS short FROM pg_proc p
              WHERE p.pronamespace = 'ferry'::regnamespace LOOP
            EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f.name);
            IF f.short = ANY ('{\((ofWorkers + ofSubmitters).joined(separator: ","))}') THEN
              EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER SET search_path = ferry, pg_temp', f.name);
              EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO ferry_worker', f.name);
            END IF;
            IF f.short = ANY ('{\(hot.joined(separator: ","))}') THEN
              EXECUTE format('ALTER FUNCTION %s SET enable_seqscan = off', f.name);
              EXECUTE format('ALTER FUNCTION %s SET enable_bitmapscan = off', f.name);
            END IF;
            IF f.short = ANY ('{\(ofSubmitters.joined(separator: ","))}') THEN
              EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO ferry_submitter', f.name);
            END IF;
          END LOOP;
        END $$;

        """
}
