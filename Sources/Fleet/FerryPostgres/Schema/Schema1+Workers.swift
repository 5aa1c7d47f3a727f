extension Schema1 {
    /// Membership, heartbeats and rescue.
    static let workers = #"""
        -- The database and its timeline. A promoted replica has another timeline.
        CREATE FUNCTION server() RETURNS text LANGUAGE sql AS $$
          SELECT s.system_identifier || '/' || c.timeline_id FROM pg_control_system() s, pg_control_checkpoint() c $$;

        CREATE FUNCTION notify_workers() RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM 1 FROM pulse WHERE at < clock_timestamp() - interval '100 ms' FOR UPDATE SKIP LOCKED;
          IF FOUND THEN
            UPDATE pulse SET at = clock_timestamp();
            PERFORM pg_notify('ferry', '');
          END IF;
        END $$;

        -- Locks before it reads: a claim that is about to close a line, or to declare an origin full, is waited for.
        CREATE FUNCTION open_lines(p_lines int[]) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM 1 FROM lines WHERE line = ANY (p_lines) ORDER BY line FOR NO KEY UPDATE;
          UPDATE lines SET is_open = true WHERE line = ANY (p_lines) AND NOT is_open;
        END $$;

        CREATE FUNCTION free_origins(p_origins int[]) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM 1 FROM origins WHERE origin = ANY (p_origins) AND at_once IS NOT NULL ORDER BY origin FOR NO KEY UPDATE;
          UPDATE origins SET is_full = false WHERE origin = ANY (p_origins) AND is_full;
        END $$;

        -- Adds a partition for the day of an end, if it is missing.
        CREATE FUNCTION ensure_day(p_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE
          first timestamptz := date_trunc('day', p_at, 'UTC');
          name text := 'ended_' || to_char(first AT TIME ZONE 'UTC', 'YYYYMMDD');
        BEGIN
          IF to_regclass('ferry.' || name) IS NOT NULL THEN RETURN; END IF;
          PERFORM pg_advisory_xact_lock(hashtext('ferry.ensure_day'));
          -- Another worker may have created it meanwhile: to_regclass may still answer from a cache.
          EXECUTE format('CREATE TABLE IF NOT EXISTS ferry.%I PARTITION OF ferry.ended FOR VALUES FROM (%L) TO (%L)',
            name, first, first + interval '1 day');
        END $$;

        -- Moves jobs without a lease to the ended ones.
        CREATE FUNCTION retire(p_jobs bigint[], p_outcomes smallint[], p_details text[], p_worker text)
        RETURNS void LANGUAGE plpgsql AS $$
        DECLARE moment timestamptz := clock_timestamp();
        BEGIN
          PERFORM ensure_day(moment);
          WITH e AS MATERIALIZED (SELECT * FROM unnest(p_jobs, p_outcomes, p_details) AS e(id, outcome, details)),
          j AS (DELETE FROM jobs j USING e WHERE j.id = e.id RETURNING j.*),
          r AS (DELETE FROM requests r USING e WHERE r.id = e.id RETURNING r.*),
          i AS (DELETE FROM intents i USING e WHERE i.job = e.id),
          t AS (DELETE FROM tries t USING e WHERE t.job = e.id RETURNING t.*),
          h AS (SELECT t.job, json_agg(json_build_object('fence', t.fence, 'worker', t.worker, 'reason', t.reason,
              'error', t.error::json, 'ended_at', wire_time(t.at)) ORDER BY t.fence)::text AS history
            FROM t GROUP BY t.job)
          INSERT INTO ended
            SELECT j.id, j.token, r.tenant, j.line, r.key, r.path, r.url, j.priority, j.fence, j.tries, j.rescues, e.outcome,
              e.details, p_worker, h.history, CASE WHEN e.outcome <> 1 THEN r.request END, r.place, r.submitted_at, moment,
              pg_current_xact_id()
            FROM e JOIN j ON j.id = e.id JOIN r ON r.id = e.id LEFT JOIN h ON h.job = e.id;
        END $$;

        CREATE FUNCTION forget(p_jobs bigint[]) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
          DELETE FROM jobs WHERE id = ANY (p_jobs);
          DELETE FROM requests WHERE id = ANY (p_jobs);
          DELETE FROM intents WHERE job = ANY (p_jobs);
          DELETE FROM tries WHERE job = ANY (p_jobs);
        END $$;

        -- Returns jobs whose leases were deleted to the queue, or ends them as their users wished.
        CREATE FUNCTION restore(p_jobs bigint[], p_wishes smallint[], p_states smallint[], p_delays float8[],
          p_reasons text[], p_worker text) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE ended bigint[]; removed bigint[]; lines int[]; moment timestamptz := clock_timestamp();
        BEGIN
          SELECT array_agg(id) FILTER (WHERE wish = 1), array_agg(id) FILTER (WHERE wish = 3) INTO ended, removed
            FROM unnest(p_jobs, p_wishes) AS e(id, wish);
          IF ended IS NOT NULL THEN
            PERFORM retire(ended, array_fill(3::smallint, ARRAY[cardinality(ended)]),
              array_fill(NULL::text, ARRAY[cardinality(ended)]), p_worker);
          END IF;
          IF removed IS NOT NULL THEN PERFORM forget(removed); END IF;
          WITH e AS (SELECT * FROM unnest(p_jobs, p_wishes, p_states, p_delays, p_reasons) AS e(id, wish, state, delay, reason)),
          back AS (UPDATE jobs j SET state = CASE WHEN e.wish = 2 THEN 3 ELSE e.state END,
              ready_at = CASE WHEN e.wish <> 2 AND e.state = 2 THEN moment + make_interval(secs => e.delay) END,
              reason = e.reason
            FROM e WHERE j.id = e.id AND e.wish IN (0, 2) RETURNING j.line)
          SELECT array_agg(DISTINCT line) INTO lines FROM back;
          IF lines IS NOT NULL THEN PERFORM open_lines(lines); END IF;
        END $$;

        -- Deletes the leases of a worker that was given up or left, and returns their jobs.
        CREATE FUNCTION release_worker(p_worker int, p_name text, p_reason text) RETURNS int LANGUAGE plpgsql AS $$
        DECLARE g record; moment timestamptz := clock_timestamp(); lost bigint[]; names text[];
        BEGIN
          WITH gone AS (DELETE FROM leases WHERE worker = p_worker RETURNING job, fence, origin, wish),
          noted AS (INSERT INTO tries SELECT job, fence, p_name, p_reason, NULL, moment FROM gone ON CONFLICT DO NOTHING),
          counted AS (UPDATE jobs j SET rescues = CASE WHEN p_reason = 'rescued' THEN j.rescues + 1 ELSE j.rescues END
            FROM gone WHERE j.id = gone.job RETURNING j.id, j.rescues)
          SELECT count(*)::int AS n, array_agg(job) AS jobs, array_agg(wish) AS wishes,
            array_agg(DISTINCT origin) FILTER (WHERE origin IS NOT NULL) AS origins,
            -- A job with an intent may be delivered: its next holder looks.
            array_agg(job) FILTER (WHERE c.rescues >= 3 AND p_reason = 'rescued' AND wish IN (0, 2)
              AND NOT EXISTS (SELECT 1 FROM intents i WHERE i.job = gone.job)) AS lost
            INTO g FROM gone LEFT JOIN counted c ON c.id = gone.job;
          IF g.n = 0 THEN RETURN 0; END IF;
          IF g.lost IS NOT NULL THEN
            SELECT array_agg(l.id), array_agg(json_build_object('code', 'worker_lost', 'message',
              'Three workers in a row were lost with this job: ' || (SELECT string_agg(DISTINCT t.worker, ', ') FROM tries t
                WHERE t.job = l.id AND t.reason = 'rescued') || '. `ferry fleet retry ' || l.id || '` tries again.')::text)
              INTO lost, names FROM unnest(g.lost) AS l(id);
            PERFORM retire(lost, array_fill(2::smallint, ARRAY[cardinality(lost)]), names, p_name);
          END IF;
          PERFORM restore(g.jobs, g.wishes, array_fill(0::smallint, ARRAY[g.n]), array_fill(0::float8, ARRAY[g.n]),
            array_fill(NULL::text, ARRAY[g.n]), p_name);
          IF g.origins IS NOT NULL THEN PERFORM free_origins(g.origins); END IF;
          RETURN g.n;
        END $$;

        -- outcome: joined, or in_use while another machine has the name. A refusal is remembered: a machine that was
        -- rebooted gets its name back once no heartbeat has come for half a lease.
        CREATE FUNCTION join_fleet(p_name text, p_identity text, p_version text, p_lease float8, p_slots int, p_labels text[])
        RETURNS TABLE (outcome text, worker int, epoch int, server text) LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        DECLARE w workers; moment timestamptz; ttl interval := make_interval(secs => p_lease);
        BEGIN
          INSERT INTO workers (name, identity, version, epoch, state, lease, slots, labels, login, alive_until, beating_since,
              beat_at)
            VALUES (p_name, p_identity, p_version, 0, 'gone', ttl, p_slots, p_labels, session_user, '-infinity', '-infinity',
              '-infinity')
            ON CONFLICT (name) DO NOTHING;
          SELECT * INTO w FROM workers WHERE name = p_name FOR UPDATE;
          moment := clock_timestamp();
          IF w.identity <> p_identity AND w.alive_until > moment
              AND (w.contender IS DISTINCT FROM p_identity OR w.contender_since > moment - w.lease / 2) THEN
            IF w.contender IS DISTINCT FROM p_identity THEN
              UPDATE workers SET contender = p_identity, contender_since = moment WHERE worker = w.worker;
            END IF;
            RETURN QUERY SELECT 'in_use', w.worker, w.epoch, ferry.server();
            RETURN;
          END IF;
          -- A fence is one machine's: its leases are adopted by this machine alone.
          IF w.identity <> p_identity THEN PERFORM release_worker(w.worker, w.name, 'left'); END IF;
          UPDATE workers SET identity = p_identity, version = p_version, epoch = w.epoch + 1, state = 'up', lease = ttl,
              slots = p_slots, labels = p_labels, login = session_user, alive_until = moment + ttl, beat_at = moment,
              beating_since = CASE WHEN w.identity = p_identity AND w.beat_at > moment - w.lease / 2
                THEN w.beating_since ELSE moment END,
              contender = NULL, contender_since = NULL
            WHERE worker = w.worker;
          UPDATE leases SET epoch = w.epoch + 1 WHERE worker = w.worker;
          RETURN QUERY SELECT 'joined', w.worker, w.epoch + 1, ferry.server();
        END $$;

        -- Null if the worker was given up or has joined again.
        CREATE FUNCTION beat(p_worker int, p_epoch int) RETURNS text LANGUAGE plpgsql AS $$
        DECLARE moment timestamptz := clock_timestamp(); drain float8;
        BEGIN
          -- A missed heartbeat is a gap: whatever held this worker up may have held up the others.
          UPDATE workers SET beating_since = CASE WHEN beat_at < moment - lease / 2 THEN moment ELSE beating_since END,
              alive_until = moment + lease, beat_at = moment, contender = NULL, contender_since = NULL
            WHERE worker = p_worker AND epoch = p_epoch RETURNING CASE state WHEN 'draining' THEN patience END INTO drain;
          IF NOT FOUND THEN RETURN NULL; END IF;
          RETURN json_build_object('server', server(), 'patience', drain,
            'wishes', (SELECT coalesce(json_agg(json_build_object('job', l.job, 'token', l.token, 'fence', l.fence,
                'wish', CASE l.wish WHEN 2 THEN 'pause' ELSE 'cancel' END)), '[]')
              FROM leases l WHERE l.worker = p_worker AND l.wish <> 0),
            'holds', (SELECT coalesce(json_agg(json_build_object('origin', o.name,
                'seconds', extract(epoch FROM o.hold_until - moment)::float8)), '[]')
              FROM origins o WHERE o.hold_until > moment));
        END $$;

        -- Gives up workers whose time is over. The caller must have beaten without a gap for the whole lease of the other:
        -- after an outage everybody has the time to beat first.
        CREATE FUNCTION rescue(p_worker int, p_epoch int) RETURNS TABLE (name text, jobs int) LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        DECLARE w record; since timestamptz; moment timestamptz := clock_timestamp();
        BEGIN
          SELECT beating_since INTO since FROM workers WHERE worker = p_worker AND epoch = p_epoch AND alive_until > moment;
          IF NOT FOUND THEN RAISE EXCEPTION 'this worker was given up' USING ERRCODE = 'FY001'; END IF;
          FOR w IN SELECT wo.worker, wo.name FROM workers wo WHERE wo.alive_until < moment AND wo.state <> 'gone'
              AND since <= moment - wo.lease ORDER BY wo.worker FOR UPDATE SKIP LOCKED LOOP
            name := w.name;
            jobs := release_worker(w.worker, w.name, 'rescued');
            UPDATE workers SET epoch = epoch + 1, state = 'gone', rescued = rescued + jobs, rescued_at = moment
              WHERE worker = w.worker;
            RETURN NEXT;
            PERFORM notify_workers();
          END LOOP;
        END $$;

        CREATE FUNCTION leave(p_worker int, p_epoch int) RETURNS boolean LANGUAGE plpgsql AS $$
        DECLARE named text;
        BEGIN
          SELECT name INTO named FROM workers WHERE worker = p_worker AND epoch = p_epoch FOR UPDATE;
          IF NOT FOUND THEN RETURN false; END IF;
          PERFORM release_worker(p_worker, named, 'drained');
          UPDATE workers SET epoch = epoch + 1, state = 'gone', alive_until = clock_timestamp() WHERE worker = p_worker;
          RETURN true;
        END $$;
        """#
}
