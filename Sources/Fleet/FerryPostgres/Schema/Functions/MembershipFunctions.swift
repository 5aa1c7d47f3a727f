/// Membership, heartbeats and rescue.
enum MembershipFunctions {
    static let text = #"""
        -- The database and its timeline. A promoted replica has another timeline, a restored copy another database.
        CREATE FUNCTION server() RETURNS text LANGUAGE sql STABLE AS $$
          SELECT s.system_identifier || '/' || c.timeline_id || '/' || d.oid
          FROM pg_control_system() s, pg_control_checkpoint() c, pg_database d WHERE d.datname = current_database() $$;

        -- Calls name their worker by a number that anybody can guess: it must be the caller's.
        CREATE FUNCTION check_worker(p_worker int) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM 1 FROM workers WHERE worker = p_worker AND login = session_user;
          IF NOT FOUND THEN
            RAISE EXCEPTION 'worker % belongs to another login', p_worker USING ERRCODE = 'insufficient_privilege';
          END IF;
        END $$;

        -- The name of a worker, which must be the caller's.
        CREATE FUNCTION worker_name(p_worker int) RETURNS text LANGUAGE plpgsql AS $$
        DECLARE found_name text;
        BEGIN
          SELECT name INTO found_name FROM workers WHERE worker = p_worker AND login = session_user;
          IF found_name IS NULL THEN PERFORM check_worker(p_worker); END IF;
          RETURN found_name;
        END $$;

        CREATE FUNCTION notify_workers() RETURNS void LANGUAGE sql AS $$ SELECT pg_notify('ferry', '') $$;

        -- outcome: joined, or in_use while another machine has the name. A refusal is remembered: a machine that was
        -- rebooted gets its name back once no heartbeat has come for half a lease.
        CREATE FUNCTION join_fleet(p_name text, p_identity text, p_machine text, p_version text, p_lease float8, p_slots int,
          p_labels text[]) RETURNS TABLE (outcome text, worker int, epoch int, server text, holder text) LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        DECLARE w workers; moment timestamptz; ttl interval := make_interval(secs => p_lease);
        BEGIN
          INSERT INTO workers (name, identity, machine, version, epoch, state, lease, slots, labels, login, alive_until,
              beating_since, beat_at)
            VALUES (p_name, p_identity, p_machine, p_version, 0, 'gone', ttl, p_slots, p_labels, session_user, '-infinity',
              '-infinity', '-infinity')
            ON CONFLICT (name) DO NOTHING;
          SELECT * INTO w FROM workers WHERE name = p_name FOR UPDATE;
          moment := clock_timestamp();
          -- A name belongs to its login while its worker lives.
          IF w.login <> session_user AND w.alive_until > moment THEN
            RETURN QUERY SELECT 'in_use', w.worker, w.epoch, ferry.server(), w.machine;
            RETURN;
          END IF;
          IF w.identity <> p_identity AND w.alive_until > moment
              AND (w.contender IS DISTINCT FROM p_identity OR w.contender_since > moment - w.lease / 2) THEN
            IF w.contender IS DISTINCT FROM p_identity THEN
              UPDATE workers SET contender = p_identity, contender_since = moment WHERE worker = w.worker;
            END IF;
            RETURN QUERY SELECT 'in_use', w.worker, w.epoch, ferry.server(), w.machine;
            RETURN;
          END IF;
          -- A fence is one machine's: its leases are adopted by this machine alone. A drain is one machine's too.
          IF w.identity <> p_identity THEN
            PERFORM release_worker(w.worker, w.name, 'left');
            w.patience := NULL;
          END IF;
          UPDATE workers SET identity = p_identity, machine = p_machine, version = p_version, epoch = w.epoch + 1, state = 'up',
              lease = ttl, slots = p_slots, labels = p_labels, login = session_user, alive_until = moment + ttl,
              beat_at = moment, beating_since = CASE WHEN w.identity = p_identity AND w.beat_at > moment - w.lease / 2
                THEN w.beating_since ELSE moment END,
              contender = NULL, contender_since = NULL, patience = w.patience
            WHERE worker = w.worker;
          UPDATE leases SET epoch = w.epoch + 1 WHERE worker = w.worker;
          RETURN QUERY SELECT 'joined', w.worker, w.epoch + 1, ferry.server(), p_machine;
        END $$;

        -- Null if the worker was given up or has joined again.
        CREATE FUNCTION beat(p_worker int, p_epoch int, p_running int, p_condition text) RETURNS text LANGUAGE plpgsql AS $$
        DECLARE moment timestamptz := clock_timestamp(); drain float8; most int;
        BEGIN
          PERFORM check_worker(p_worker);
          -- A missed heartbeat is a gap: whatever held this worker up may have held up the others.
          UPDATE workers SET beating_since = CASE WHEN beat_at < moment - lease / 2 THEN moment ELSE beating_since END,
              alive_until = moment + lease, beat_at = moment, running = p_running, condition = left(p_condition, 1000),
              contender = NULL, contender_since = NULL
            WHERE worker = p_worker AND epoch = p_epoch RETURNING patience, slots INTO drain, most;
          IF NOT FOUND THEN RETURN NULL; END IF;
          RETURN json_build_object('server', server(), 'patience', drain,
            'next', CASE WHEN p_condition IS NULL AND p_running < most THEN next_claim(p_worker) END,
            'late', EXISTS (SELECT 1 FROM workers o WHERE o.alive_until < moment AND o.state <> 'gone'),
            'wishes', (SELECT coalesce(json_agg(json_build_object('job', l.job, 'token', l.token, 'fence', l.fence,
                'wish', CASE l.wish WHEN 2 THEN 'pause' ELSE 'cancel' END)), '[]')
              FROM leases l WHERE l.worker = p_worker AND l.wish <> 0),
            'holds', (SELECT coalesce(json_agg(json_build_object('origin', o.name,
                'seconds', extract(epoch FROM o.hold_until - moment)::float8)), '[]')
              FROM origins o WHERE o.hold_until > moment));
        END $$;

        -- Deletes the leases of a worker that was given up or left, and returns their jobs. The third worker in a row that
        -- is lost counts only for the job that it had begun: the others were merely with it.
        CREATE FUNCTION release_worker(p_worker int, p_name text, p_reason text) RETURNS int LANGUAGE plpgsql AS $$
        DECLARE g record; moment timestamptz := clock_timestamp(); lost bigint[]; names text[];
        BEGIN
          WITH gone AS (DELETE FROM leases WHERE worker = p_worker RETURNING job, fence, origin, wish, is_begun),
          noted AS (INSERT INTO tries SELECT job, fence, p_name, p_reason, NULL, moment FROM gone ON CONFLICT DO NOTHING),
          counted AS (UPDATE jobs j SET rescues = j.rescues + 1 FROM gone
            WHERE j.id = gone.job AND p_reason = 'rescued' AND (j.rescues < 2 OR gone.is_begun) RETURNING j.id, j.rescues)
          SELECT count(*)::int AS n, array_agg(job) AS jobs, array_agg(wish) AS wishes,
            array_agg(DISTINCT origin) FILTER (WHERE origin IS NOT NULL) AS origins,
            -- A job with an intent may be delivered: its next holder looks.
            array_agg(job) FILTER (WHERE c.rescues >= 3 AND wish IN (0, 2)
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

        -- Gives up workers whose time is over. The caller must have beaten without a gap for the whole lease of the other:
        -- after an outage everybody has the time to beat first.
        CREATE FUNCTION rescue(p_worker int, p_epoch int) RETURNS TABLE (name text, jobs int) LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        DECLARE w record; since timestamptz; moment timestamptz := clock_timestamp();
        BEGIN
          PERFORM check_worker(p_worker);
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

        -- Ends jobs that their users canceled, paused or removed, and whose workers' leases are over. Anybody may call it:
        -- no other worker gets the job.
        CREATE FUNCTION settle_wishes() RETURNS void LANGUAGE plpgsql AS $$
        DECLARE g record; moment timestamptz := clock_timestamp();
        BEGIN
          FOR g IN WITH gone AS (DELETE FROM leases l USING workers w WHERE l.wish <> 0 AND w.worker = l.worker
              AND w.alive_until < moment RETURNING l.job, l.fence, l.origin, l.wish, w.name),
            noted AS (INSERT INTO tries SELECT job, fence, name, 'rescued', NULL, moment FROM gone ON CONFLICT DO NOTHING)
            SELECT name, array_agg(job) AS jobs, array_agg(wish) AS wishes, count(*)::int AS n,
              array_agg(DISTINCT origin) FILTER (WHERE origin IS NOT NULL) AS origins FROM gone GROUP BY name LOOP
            PERFORM restore(g.jobs, g.wishes, array_fill(0::smallint, ARRAY[g.n]), array_fill(0::float8, ARRAY[g.n]),
              array_fill(NULL::text, ARRAY[g.n]), g.name);
            IF g.origins IS NOT NULL THEN PERFORM free_origins(g.origins); END IF;
          END LOOP;
        END $$;

        CREATE FUNCTION leave(p_worker int, p_epoch int) RETURNS boolean LANGUAGE plpgsql AS $$
        DECLARE named text;
        BEGIN
          PERFORM check_worker(p_worker);
          SELECT name INTO named FROM workers WHERE worker = p_worker AND epoch = p_epoch FOR UPDATE;
          IF NOT FOUND THEN RETURN false; END IF;
          PERFORM release_worker(p_worker, named, 'drained');
          UPDATE workers SET epoch = epoch + 1, state = 'gone', alive_until = clock_timestamp(), patience = NULL, running = 0,
            condition = NULL WHERE worker = p_worker;
          RETURN true;
        END $$;

        CREATE FUNCTION drain(p_name text, p_patience float8) RETURNS SETOF text LANGUAGE plpgsql AS $$
        BEGIN
          RETURN QUERY UPDATE workers SET patience = p_patience
            WHERE (p_name IS NULL OR name = p_name) AND state <> 'gone' RETURNING name;
        END $$;
        """#
}
