/// Claims, and the lines and origins that they read.
///
/// PL/pgSQL throughout: in an SQL function a limit is a parameter to the planner, which then reads all waiting rows.
enum ClaimFunctions {
    static let text = #"""
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

        -- The lines of new jobs, in their order. They are made where they are missing, and locked: neither a claim closes
        -- them meanwhile nor does upkeep remove them.
        CREATE FUNCTION lines_of(p_tenant int, p_origins text[], p_needs text[]) RETURNS int[] LANGUAGE plpgsql
        -- A plan that does not know the number of requests compares each with each.
        SET plan_cache_mode = force_custom_plan AS $$
        DECLARE found_lines int[];
        BEGIN
          LOOP
            INSERT INTO origins (name) SELECT DISTINCT o FROM unnest(p_origins) AS o
              WHERE NOT EXISTS (SELECT 1 FROM origins WHERE name = o) ORDER BY o ON CONFLICT DO NOTHING;
            PERFORM 1 FROM origins WHERE name = ANY (p_origins) ORDER BY name FOR KEY SHARE;
            INSERT INTO lines (tenant, origin, needs)
              SELECT DISTINCT p_tenant, og.origin, e.needs FROM unnest(p_origins, p_needs) AS e(origin, needs)
              JOIN origins og ON og.name = e.origin WHERE NOT EXISTS (SELECT 1 FROM lines li
                WHERE li.tenant = p_tenant AND li.origin = og.origin AND li.needs = e.needs)
              ORDER BY 2, 3 ON CONFLICT DO NOTHING;
            PERFORM 1 FROM lines li JOIN origins og ON og.origin = li.origin
              WHERE li.tenant = p_tenant AND og.name = ANY (p_origins) ORDER BY li.line FOR NO KEY UPDATE OF li;
            found_lines := ARRAY(SELECT li.line FROM unnest(p_origins, p_needs) WITH ORDINALITY AS e(origin, needs, n)
              LEFT JOIN origins og ON og.name = e.origin
              LEFT JOIN lines li ON li.tenant = p_tenant AND li.origin = og.origin AND li.needs = e.needs ORDER BY e.n);
            -- Upkeep may have removed one before it was locked.
            IF array_position(found_lines, NULL) IS NULL THEN RETURN found_lines; END IF;
          END LOOP;
        END $$;

        -- Makes jobs wait whose delay is over.
        CREATE FUNCTION wake_delayed() RETURNS void LANGUAGE plpgsql AS $$
        DECLARE moment timestamptz := clock_timestamp(); lines int[];
        BEGIN
          WITH due AS (SELECT id FROM jobs WHERE state = 2 AND ready_at <= moment ORDER BY ready_at LIMIT 1000
              FOR UPDATE SKIP LOCKED),
          woken AS (UPDATE jobs j SET state = 0, ready_at = NULL, reason = NULL FROM due WHERE j.id = due.id RETURNING j.line)
          SELECT array_agg(DISTINCT line) INTO lines FROM woken;
          IF lines IS NOT NULL THEN PERFORM open_lines(lines); END IF;
        END $$;

        -- The intents of a job as JSON, the oldest first. Null if there are none.
        CREATE FUNCTION known_intents(p_job bigint) RETURNS text LANGUAGE plpgsql AS $$
        BEGIN
          RETURN (SELECT json_agg(json_build_object('path', i.path, 'copy', i.copy, 'inode', i.inode, 'size', i.size,
            'sha256', i.sha256) ORDER BY i.number)::text FROM intents i WHERE i.job = p_job);
        END $$;

        -- What a worker must know of the jobs that it holds. failing, since: seconds. next: see claim.
        CREATE TYPE lease AS (id bigint, token uuid, fence int, tries int, limited boolean, request text, known text,
          path text, origin text, rescues int, attempts int, failing float8, since float8, machines int,
          landed boolean, next float8);

        -- Number of tries that ended because of a worker's machine or store.
        CREATE FUNCTION machine_failures(p_job bigint) RETURNS int LANGUAGE plpgsql AS $$
        BEGIN
          RETURN (SELECT count(*) FROM tries t WHERE t.job = p_job AND t.reason IN ('local', 'store'));
        END $$;

        CREATE FUNCTION held(p_worker int, p_epoch int) RETURNS SETOF lease LANGUAGE plpgsql AS $$
        DECLARE moment timestamptz := clock_timestamp();
        BEGIN
          PERFORM check_worker(p_worker);
          RETURN QUERY SELECT l.job, l.token, l.fence, j.tries, og.at_once IS NOT NULL, r.request, known_intents(l.job),
              r.path, og.name, j.rescues::int, j.attempts, extract(epoch FROM moment - j.failing_at)::float8,
              extract(epoch FROM moment - j.started_at)::float8, machine_failures(l.job), og.at_once IS NOT NULL AND l.origin IS NULL, NULL::float8
            FROM leases l JOIN jobs j ON j.id = l.job JOIN requests r ON r.id = l.job JOIN lines li ON li.line = l.line
            JOIN origins og ON og.origin = li.origin WHERE l.worker = p_worker AND l.epoch = p_epoch;
        END $$;

        -- Gives locked waiting jobs to a worker.
        CREATE FUNCTION lease_jobs(p_worker int, p_epoch int, p_jobs bigint[]) RETURNS SETOF lease LANGUAGE plpgsql AS $$
        DECLARE moment timestamptz := clock_timestamp(); n int;
        BEGIN
          RETURN QUERY WITH taken AS (UPDATE jobs j SET state = 1, fence = j.fence + 1, tries = j.tries + 1, reason = NULL,
              started_at = coalesce(j.started_at, moment)
              WHERE j.id = ANY (p_jobs) RETURNING j.*),
            leased AS (INSERT INTO leases (job, token, fence, worker, epoch, tenant, line, origin)
              SELECT taken.id, taken.token, taken.fence, p_worker, p_epoch, li.tenant, li.line, li.origin
              FROM taken JOIN lines li ON li.line = taken.line RETURNING job, origin)
            SELECT taken.id, taken.token, taken.fence, taken.tries, og.at_once IS NOT NULL, r.request,
                CASE WHEN taken.tries > 1 THEN known_intents(taken.id) END, r.path, og.name, taken.rescues::int,
                taken.attempts, extract(epoch FROM moment - taken.failing_at)::float8,
                extract(epoch FROM moment - taken.started_at)::float8,
                CASE WHEN taken.tries > 1 THEN machine_failures(taken.id) ELSE 0 END, false, NULL::float8
              FROM taken JOIN leased ON leased.job = taken.id JOIN requests r ON r.id = taken.id
              JOIN origins og ON og.origin = leased.origin;
          GET DIAGNOSTICS n = ROW_COUNT;
          PERFORM check_rows('leases', n, cardinality(p_jobs));
        END $$;

        -- Fewer jobs than wanted are followed by a row without a job, whose next says when to ask again.
        CREATE FUNCTION claim(p_worker int, p_epoch int, p_want int) RETURNS SETOF lease LANGUAGE plpgsql AS $$
        DECLARE
          w record; t record; l record; last lease; room int; n int; k int; got int := 0; ids bigint[]; seen int[] := '{}';
          any_line boolean; chunk int := greatest(4, p_want / 4); moment timestamptz := clock_timestamp();
        BEGIN
          SELECT labels, patience, login INTO w FROM workers WHERE worker = p_worker AND epoch = p_epoch AND alive_until > moment
            FOR SHARE;
          IF w.login IS DISTINCT FROM session_user THEN PERFORM check_worker(p_worker); END IF;
          IF w.login IS NULL THEN RAISE EXCEPTION 'this worker was given up' USING ERRCODE = 'FY001'; END IF;
          IF w.patience IS NOT NULL THEN RETURN; END IF;
          PERFORM wake_delayed();
          FOR t IN SELECT te.tenant FROM tenants te,
              LATERAL (SELECT count(*)::int AS running FROM leases le WHERE le.tenant = te.tenant) r
              WHERE EXISTS (SELECT 1 FROM lines li WHERE li.tenant = te.tenant AND li.is_open)
              ORDER BY r.running, te.tenant LOOP
            LOOP
              any_line := false;
              FOR l IN SELECT li.line, li.origin, og.at_once FROM lines li JOIN origins og ON og.origin = li.origin
                  WHERE li.tenant = t.tenant AND li.is_open AND NOT og.is_full AND og.hold_until <= moment
                    AND (li.needs = '' OR li.needs = ANY (w.labels)) AND li.line <> ALL (seen)
                  ORDER BY li.turn LIMIT 8 LOOP
                any_line := true;
                seen := seen || l.line;
                n := least(chunk, p_want - got);
                IF l.at_once IS NOT NULL THEN
                  PERFORM 1 FROM origins WHERE origin = l.origin AND NOT is_full FOR NO KEY UPDATE SKIP LOCKED;
                  CONTINUE WHEN NOT FOUND;
                  SELECT l.at_once - count(*) INTO room FROM leases le WHERE le.origin = l.origin;
                  n := least(n, room);
                END IF;
                ids := NULL;
                IF n > 0 THEN
                  SELECT array_agg(p.id) INTO ids FROM (SELECT j.id FROM jobs j WHERE j.line = l.line AND j.state = 0
                    ORDER BY j.priority DESC, j.id LIMIT n FOR UPDATE SKIP LOCKED) AS p;
                END IF;
                k := coalesce(cardinality(ids), 0);
                IF k > 0 THEN RETURN QUERY SELECT * FROM lease_jobs(p_worker, p_epoch, ids); END IF;
                got := got + k;
                IF l.at_once IS NOT NULL AND room - k <= 0 THEN
                  UPDATE origins SET is_full = true WHERE origin = l.origin;
                END IF;
                -- A line that a submission is writing keeps its turn, and stays open.
                PERFORM 1 FROM lines WHERE line = l.line FOR NO KEY UPDATE SKIP LOCKED;
                IF FOUND THEN
                  UPDATE lines SET turn = nextval('turns'),
                      is_open = (k = n AND k > 0) OR EXISTS (SELECT 1 FROM jobs j WHERE j.line = l.line AND j.state = 0)
                    WHERE line = l.line;
                END IF;
                EXIT WHEN got >= p_want;
              END LOOP;
              EXIT WHEN NOT any_line OR got >= p_want;
            END LOOP;
            EXIT WHEN got >= p_want;
          END LOOP;
          IF got < p_want THEN
            last.next := next_claim(p_worker);
            RETURN NEXT last;
          END IF;
        END $$;

        -- Seconds until a claim that found too little may find more: 0 if others were in the way, null for no such moment.
        CREATE FUNCTION next_claim(p_worker int) RETURNS float8 LANGUAGE plpgsql AS $$
        DECLARE moment timestamptz := clock_timestamp(); first timestamptz;
        BEGIN
          PERFORM 1 FROM lines li JOIN origins og ON og.origin = li.origin WHERE li.is_open AND NOT og.is_full
            AND og.hold_until <= moment
            AND (li.needs = '' OR li.needs = ANY (SELECT unnest(labels) FROM workers WHERE worker = p_worker))
            AND NOT EXISTS (SELECT 1 FROM workers WHERE worker = p_worker AND patience IS NOT NULL) LIMIT 1;
          IF FOUND THEN RETURN 0; END IF;
          SELECT least((SELECT min(ready_at) FROM jobs WHERE state = 2),
            (SELECT min(og.hold_until) FROM origins og WHERE og.hold_until > moment)) INTO first;
          RETURN CASE WHEN first IS NOT NULL THEN greatest(0.01, extract(epoch FROM first - moment)) END;
        END $$;

        -- Claims waiting jobs of which the worker still has bytes. A limited origin must have room.
        CREATE FUNCTION reclaim(p_worker int, p_epoch int, p_jobs bigint[], p_tokens uuid[]) RETURNS SETOF lease
        LANGUAGE plpgsql AS $$
        DECLARE c record; room int;
        BEGIN
          PERFORM check_worker(p_worker);
          PERFORM 1 FROM workers WHERE worker = p_worker AND epoch = p_epoch AND alive_until > clock_timestamp() FOR SHARE;
          IF NOT FOUND THEN RAISE EXCEPTION 'this worker was given up' USING ERRCODE = 'FY001'; END IF;
          FOR c IN SELECT j.id, og.origin, og.at_once FROM unnest(p_jobs, p_tokens) AS e(id, token)
              JOIN jobs j ON j.id = e.id AND j.token = e.token JOIN lines li ON li.line = j.line
              JOIN origins og ON og.origin = li.origin WHERE j.state = 0 ORDER BY og.origin, j.id LOOP
            IF c.at_once IS NOT NULL THEN
              PERFORM 1 FROM origins WHERE origin = c.origin FOR NO KEY UPDATE;
              SELECT c.at_once - count(*) INTO room FROM leases le WHERE le.origin = c.origin;
              CONTINUE WHEN room <= 0;
            END IF;
            PERFORM 1 FROM jobs WHERE id = c.id AND state = 0 FOR UPDATE;
            CONTINUE WHEN NOT FOUND;
            RETURN QUERY SELECT * FROM lease_jobs(p_worker, p_epoch, ARRAY[c.id]);
            IF c.at_once IS NOT NULL AND room = 1 THEN UPDATE origins SET is_full = true WHERE origin = c.origin; END IF;
          END LOOP;
        END $$;
        """#
}
