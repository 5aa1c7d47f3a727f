/// The first version of the schema: its tables.
///
/// A released step never changes. Later versions are steps of their own.
enum Step1 {
    static let text = #"""
        CREATE TABLE meta (version int NOT NULL, compatible int NOT NULL, keep interval NOT NULL DEFAULT '30 days');
        -- The last notification of the workers. One row.
        CREATE TABLE pulse (at timestamptz NOT NULL);
        INSERT INTO pulse VALUES ('-infinity');

        CREATE TABLE tenants (
          tenant int PRIMARY KEY GENERATED ALWAYS AS IDENTITY, name text NOT NULL UNIQUE,
          weight int NOT NULL DEFAULT 1 CHECK (weight > 0), at_once int CHECK (at_once > 0));
        INSERT INTO tenants (name) VALUES ('default');

        CREATE TABLE origins (
          origin int PRIMARY KEY GENERATED ALWAYS AS IDENTITY, name text NOT NULL UNIQUE,
          at_once int CHECK (at_once > 0), is_full boolean NOT NULL DEFAULT false,
          hold_until timestamptz NOT NULL DEFAULT '-infinity') WITH (fillfactor = 50);

        -- A line has the waiting jobs of a tenant, an origin and a label. It is open while it may have waiting jobs.
        CREATE SEQUENCE turns;
        CREATE TABLE lines (
          line int PRIMARY KEY GENERATED ALWAYS AS IDENTITY, tenant int NOT NULL, origin int NOT NULL,
          needs text NOT NULL DEFAULT '', is_open boolean NOT NULL DEFAULT true, turn bigint NOT NULL DEFAULT 0,
          claims int NOT NULL DEFAULT 0, UNIQUE (tenant, origin, needs)) WITH (fillfactor = 50);
        CREATE INDEX lines_open ON lines (tenant, turn) WHERE is_open;

        CREATE TABLE stores (name text PRIMARY KEY, folder text NOT NULL UNIQUE, mark text NOT NULL);

        -- Unfinished jobs only. state: 0 waiting, 1 running, 2 delayed until ready_at, 3 paused.
        CREATE SEQUENCE job_ids;
        CREATE TABLE jobs (
          id bigint PRIMARY KEY, token uuid NOT NULL DEFAULT gen_random_uuid(), line int NOT NULL,
          state smallint NOT NULL DEFAULT 0, priority smallint NOT NULL DEFAULT 0, fence int NOT NULL DEFAULT 0,
          tries int NOT NULL DEFAULT 0, rescues smallint NOT NULL DEFAULT 0, ready_at timestamptz, reason text)
          WITH (fillfactor = 80);
        CREATE INDEX jobs_waiting ON jobs (line, priority DESC, id) WHERE state = 0;
        CREATE INDEX jobs_delayed ON jobs (ready_at) WHERE state = 2;

        -- Written once, so that claims update small rows. place is the MD5 of a destination that no other job may have.
        CREATE TABLE requests (
          id bigint PRIMARY KEY, tenant int NOT NULL, key text, place uuid, path text NOT NULL, url text NOT NULL,
          request text NOT NULL, submitted_at timestamptz NOT NULL);
        CREATE UNIQUE INDEX requests_key ON requests (tenant, key) WHERE key IS NOT NULL;
        CREATE UNIQUE INDEX requests_place ON requests (place) WHERE place IS NOT NULL;

        -- patience: seconds that a draining worker lets jobs end.
        CREATE TABLE workers (
          worker int PRIMARY KEY GENERATED ALWAYS AS IDENTITY, name text NOT NULL UNIQUE, identity text NOT NULL,
          version text NOT NULL, epoch int NOT NULL, state text NOT NULL, lease interval NOT NULL, slots int NOT NULL,
          labels text[] NOT NULL, login text NOT NULL, alive_until timestamptz NOT NULL, beating_since timestamptz NOT NULL,
          beat_at timestamptz NOT NULL, contender text, contender_since timestamptz, rescued int NOT NULL DEFAULT 0,
          rescued_at timestamptz, patience float8) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 1000,
          autovacuum_vacuum_scale_factor = 0);

        -- Running jobs only. origin is null once all bytes have arrived. wish: 0 none, 1 cancel, 2 pause, 3 remove.
        CREATE TABLE leases (
          job bigint PRIMARY KEY, token uuid NOT NULL, fence int NOT NULL, worker int NOT NULL, epoch int NOT NULL,
          tenant int NOT NULL, line int NOT NULL, origin int, wish smallint NOT NULL DEFAULT 0, received bigint,
          expected bigint);
        CREATE INDEX leases_origin ON leases (origin);
        CREATE INDEX leases_worker ON leases (worker);
        CREATE INDEX leases_tenant ON leases (tenant);
        ALTER TABLE leases SET (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);
        ALTER TABLE lines SET (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

        -- Files about to be placed. A fence has several if its worker was killed and started again in between.
        CREATE TABLE intents (
          job bigint NOT NULL, fence int NOT NULL, inode numeric(20) NOT NULL, path text NOT NULL, copy text NOT NULL,
          size bigint NOT NULL, sha256 text NOT NULL, number bigint GENERATED ALWAYS AS IDENTITY, PRIMARY KEY (job, fence, inode, path));

        -- Claims that did not end their job.
        CREATE TABLE tries (
          job bigint NOT NULL, fence int NOT NULL, worker text NOT NULL, reason text NOT NULL, error text,
          at timestamptz NOT NULL, PRIMARY KEY (job, fence));

        -- Ended jobs, a partition for each day (UTC). outcome: 1 succeeded, 2 failed, 3 canceled.
        CREATE TABLE ended (
          id bigint NOT NULL, token uuid NOT NULL, tenant int NOT NULL, line int NOT NULL, key text, path text NOT NULL,
          url text NOT NULL, priority smallint NOT NULL, fence int NOT NULL, tries int NOT NULL, rescues smallint NOT NULL,
          outcome smallint NOT NULL, details text, worker text, history text, request text, place uuid,
          submitted_at timestamptz NOT NULL, ended_at timestamptz NOT NULL, xact xid8 NOT NULL)
          PARTITION BY RANGE (ended_at);
        CREATE INDEX ended_id ON ended (id);
        CREATE INDEX ended_xact ON ended (xact, id);
        CREATE INDEX ended_at ON ended (ended_at);
        CREATE INDEX ended_key ON ended (tenant, key) WHERE key IS NOT NULL;
        """#
}
