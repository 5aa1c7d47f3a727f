/// The second version of the schema: tenants are logins, ends are numbered in the order in which they become visible.
enum Step2 {
    static let text = #"""
        DROP TABLE pulse;
        -- Every table has a key, so that a publication of all tables does not stop the queue.
        ALTER TABLE meta ADD COLUMN one boolean NOT NULL DEFAULT true PRIMARY KEY CHECK (one);
        ALTER TABLE tenants DROP COLUMN weight, DROP COLUMN at_once;
        -- Jobs that were added before tenants were logins. A login is not called so.
        UPDATE tenants SET name = '(before version 2)' WHERE name = 'default';
        ALTER TABLE lines DROP COLUMN claims;
        CREATE INDEX origins_held ON origins (hold_until) WHERE hold_until > '-infinity';
        CREATE INDEX origins_full ON origins (origin) WHERE is_full;

        -- attempts: failed attempts that workers reported with returned jobs. failing_at: since when there are any.
        -- tenant: that of the line, so that status counts a million jobs in a moment.
        ALTER TABLE jobs ADD COLUMN attempts int NOT NULL DEFAULT 0, ADD COLUMN failing_at timestamptz,
          ADD COLUMN started_at timestamptz, ADD COLUMN tenant int NOT NULL DEFAULT 1;
        UPDATE jobs j SET tenant = li.tenant FROM lines li WHERE li.line = j.line AND li.tenant <> 1;
        ALTER TABLE requests ADD COLUMN batch text, ADD COLUMN begin_at timestamptz;
        CREATE INDEX requests_batch ON requests (batch, id) WHERE batch IS NOT NULL;
        UPDATE requests r SET begin_at = j.ready_at FROM jobs j WHERE j.id = r.id AND j.reason = 'begin_date';

        -- patience: seconds of a drain that was asked for and has not ended. running: its slots in use. condition: why it
        -- claims nothing.
        ALTER TABLE workers ADD COLUMN machine text NOT NULL DEFAULT '', ADD COLUMN running int NOT NULL DEFAULT 0,
          ADD COLUMN condition text;
        UPDATE workers SET state = 'up' WHERE state = 'draining';
        -- is_begun: a job with which workers were lost is being fetched.
        ALTER TABLE leases ADD COLUMN is_begun boolean NOT NULL DEFAULT false;
        CREATE INDEX leases_wish ON leases (worker) WHERE wish <> 0;

        -- One row for each transaction that ended jobs. number: the order in which they became visible, given afterwards
        -- to one after the other, so that whoever has read a number has read all smaller ones.
        CREATE TABLE finishes (
          finish bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, number bigint, at timestamptz NOT NULL DEFAULT clock_timestamp());
        CREATE SEQUENCE finish_numbers;
        CREATE INDEX finishes_number ON finishes (number) WHERE number IS NOT NULL;
        CREATE INDEX finishes_new ON finishes (finish) WHERE number IS NULL;

        ALTER TABLE ended ADD COLUMN batch text, ADD COLUMN begin_at timestamptz, ADD COLUMN needs text, ADD COLUMN code text,
          ADD COLUMN finish bigint;
        UPDATE ended e SET needs = li.needs, code = CASE e.outcome WHEN 2 THEN substring(e.details FROM '"code":"([^"]*)"') END
          FROM lines li WHERE li.line = e.line AND e.outcome <> 1;
        -- A null character breaks every function that reads the text.
        UPDATE ended SET details = regexp_replace(details, '(?<!\\)(\\u0000)+', '', 'g'),
            history = regexp_replace(history, '(?<!\\)(\\u0000)+', '', 'g')
          WHERE details LIKE '%\\u0000%' OR history LIKE '%\\u0000%';
        UPDATE tries SET error = regexp_replace(error, '(?<!\\)(\\u0000)+', '', 'g') WHERE error LIKE '%\\u0000%';
        INSERT INTO finishes (finish, at) OVERRIDING SYSTEM VALUE
          SELECT row_number() OVER (ORDER BY g.xact), g.at FROM (SELECT xact, max(ended_at) AS at FROM ended GROUP BY xact) g;
        UPDATE ended e SET finish = f.finish FROM (SELECT xact, row_number() OVER (ORDER BY xact) AS finish
          FROM (SELECT DISTINCT xact FROM ended) x) f WHERE f.xact = e.xact;
        SELECT setval(pg_get_serial_sequence('finishes', 'finish'), greatest(1, (SELECT max(finish) FROM finishes)),
          EXISTS (SELECT 1 FROM finishes));
        ALTER TABLE ended DROP COLUMN xact, DROP COLUMN line, ALTER COLUMN finish SET NOT NULL, ADD PRIMARY KEY (id, ended_at);
        DROP INDEX ended_id, ended_at;
        CREATE INDEX ended_finish ON ended (finish, id);
        CREATE INDEX ended_batch ON ended (batch, id) WHERE batch IS NOT NULL;
        CREATE INDEX ended_failed ON ended (id) WHERE outcome = 2;
        -- Ends of a day without a partition. Only upkeep adds partitions, since that needs a lock that readers hold up.
        CREATE TABLE ended_rest PARTITION OF ended DEFAULT;
        """#
}
