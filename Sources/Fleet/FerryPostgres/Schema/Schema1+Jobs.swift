extension Schema1 {
    /// Claims, ends and everything else that workers do with jobs.
    ///
    /// PL/pgSQL throughout: in an SQL function a limit is a parameter to the planner, which then reads all waiting rows.
    static let jobs = #"""
        -- The oldest waiting jobs of a line, whatever their priority: one step in the index for each priority.
        CREATE FUNCTION oldest(p_line int, p_limit int) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
        DECLARE level int := 32767; ids bigint[] := '{}'; more bigint[];
        BEGIN
          LOOP
            SELECT j.priority INTO level FROM jobs j WHERE j.line = p_line AND j.state = 0 AND j.priority < level
              ORDER BY j.priority DESC LIMIT 1;
            EXIT WHEN NOT FOUND;
            SELECT array_agg(id) INTO more FROM (SELECT j.id FROM jobs j WHERE j.line = p_line AND j.state = 0
              AND j.priority = level ORDER BY j.priority DESC, j.id LIMIT p_limit) AS first;
            ids := ids || more;
          END LOOP;
          RETURN QUERY SELECT i FROM unnest(ids) AS i ORDER BY i LIMIT p_limit;
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
          RETURN (SELECT json_agg(json_build_object('path', i.path, 'copy', i.copy, 'inode', i.inode, 'size', i.size, 'sha256', i.sha256)
            ORDER BY i.number)::text FROM intents i WHERE i.job = p_job);
        END $$;

        -- Gives locked waiting jobs to a worker.
        CREATE FUNCTION lease_jobs(p_worker int, p_epoch int, p_jobs bigint[])
        RETURNS TABLE (id bigint, token uuid, fence int, tries int, limited boolean, request text, known text) LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        BEGIN
          RETURN QUERY WITH taken AS (UPDATE jobs j SET state = 1, fence = j.fence + 1, tries = j.tries + 1, reason = NULL
              WHERE j.id = ANY (p_jobs) RETURNING j.id, j.token, j.line, j.fence, j.tries),
            leased AS (INSERT INTO leases (job, token, fence, worker, epoch, tenant, line, origin)
              SELECT taken.id, taken.token, taken.fence, p_worker, p_epoch, li.tenant, li.line, li.origin
              FROM taken JOIN lines li ON li.line = taken.line RETURNING job, origin)
            SELECT taken.id, taken.token, taken.fence, taken.tries, og.at_once IS NOT NULL, r.request,
                CASE WHEN taken.tries > 1 THEN known_intents(taken.id) END
              FROM taken JOIN leased ON leased.job = taken.id JOIN requests r ON r.id = taken.id
              JOIN origins og ON og.origin = leased.origin;
        END $$;

        CREATE FUNCTION claim(p_worker int, p_epoch int, p_want int)
        RETURNS TABLE (id bigint, token uuid, fence int, tries int, limited boolean, request text, known text) LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        DECLARE
          w record; t record; l record; room int; n int; k int; got int := 0; ids bigint[]; seen int[] := '{}';
          any_line boolean;
          chunk int := greatest(4, p_want / 4); moment timestamptz := clock_timestamp();
        BEGIN
          SELECT labels, state INTO w FROM workers WHERE worker = p_worker AND epoch = p_epoch AND alive_until > moment
            FOR SHARE;
          IF NOT FOUND THEN RAISE EXCEPTION 'this worker was given up' USING ERRCODE = 'FY001'; END IF;
          IF w.state <> 'up' THEN RETURN; END IF;
          PERFORM wake_delayed();
          FOR t IN SELECT te.tenant, te.at_once, r.running FROM tenants te,
              LATERAL (SELECT count(*)::int AS running FROM leases le WHERE le.tenant = te.tenant) r
              WHERE EXISTS (SELECT 1 FROM lines li WHERE li.tenant = te.tenant AND li.is_open)
              ORDER BY r.running::float8 / te.weight, te.tenant LOOP
            IF t.at_once IS NOT NULL THEN
              -- Counted under a lock: two claims at once cannot exceed the limit.
              PERFORM 1 FROM tenants WHERE tenant = t.tenant FOR NO KEY UPDATE SKIP LOCKED;
              CONTINUE WHEN NOT FOUND;
              SELECT count(*) INTO t.running FROM leases le WHERE le.tenant = t.tenant;
              CONTINUE WHEN t.running >= t.at_once;
            END IF;
            LOOP
              any_line := false;
              FOR l IN SELECT li.line, li.origin, li.claims, og.at_once FROM lines li JOIN origins og ON og.origin = li.origin
                  WHERE li.tenant = t.tenant AND li.is_open AND NOT og.is_full AND og.hold_until <= moment
                    AND (li.needs = '' OR li.needs = ANY (w.labels)) AND li.line <> ALL (seen)
                  ORDER BY li.turn LIMIT 8 LOOP
                any_line := true;
                seen := seen || l.line;
                n := least(chunk, p_want - got);
                IF t.at_once IS NOT NULL THEN n := least(n, t.at_once - t.running); END IF;
                IF l.at_once IS NOT NULL THEN
                  PERFORM 1 FROM origins WHERE origin = l.origin AND NOT is_full FOR UPDATE SKIP LOCKED;
                  CONTINUE WHEN NOT FOUND;
                  SELECT l.at_once - count(*) INTO room FROM leases le WHERE le.origin = l.origin;
                  n := least(n, room);
                END IF;
                ids := NULL;
                IF n > 0 AND l.claims % 16 = 15 THEN
                  SELECT array_agg(p.id) INTO ids FROM (SELECT j.id FROM jobs j
                    WHERE j.id = ANY (ARRAY(SELECT o FROM oldest(l.line, n) AS o)) AND j.state = 0
                    FOR UPDATE SKIP LOCKED) AS p;
                ELSIF n > 0 THEN
                  SELECT array_agg(p.id) INTO ids FROM (SELECT j.id FROM jobs j WHERE j.line = l.line AND j.state = 0
                    ORDER BY j.priority DESC, j.id LIMIT n FOR UPDATE SKIP LOCKED) AS p;
                END IF;
                k := coalesce(cardinality(ids), 0);
                IF k > 0 THEN RETURN QUERY SELECT * FROM lease_jobs(p_worker, p_epoch, ids); END IF;
                got := got + k;
                t.running := t.running + k;
                IF l.at_once IS NOT NULL AND room - k <= 0 THEN
                  UPDATE origins SET is_full = true WHERE origin = l.origin;
                END IF;
                -- A line that a submission is writing keeps its turn, and stays open.
                PERFORM 1 FROM lines WHERE line = l.line FOR UPDATE SKIP LOCKED;
                IF FOUND THEN
                  UPDATE lines SET turn = nextval('turns'), claims = claims + 1,
                      is_open = (k = n AND k > 0) OR EXISTS (SELECT 1 FROM jobs j WHERE j.line = l.line AND j.state = 0)
                    WHERE line = l.line;
                END IF;
                EXIT WHEN got >= p_want OR t.running >= t.at_once;
              END LOOP;
              EXIT WHEN NOT any_line OR got >= p_want OR t.running >= t.at_once;
            END LOOP;
            EXIT WHEN got >= p_want;
          END LOOP;
        END $$;

        -- Seconds until a claim that found too little may find more: at once if others were in the way.
        CREATE FUNCTION next_claim(p_worker int) RETURNS float8 LANGUAGE plpgsql AS $$
        DECLARE moment timestamptz := clock_timestamp(); first timestamptz;
        BEGIN
          PERFORM 1 FROM lines li JOIN origins og ON og.origin = li.origin WHERE li.is_open AND NOT og.is_full
            AND og.hold_until <= moment
            AND (li.needs = '' OR li.needs = ANY (SELECT unnest(labels) FROM workers WHERE worker = p_worker)) LIMIT 1;
          IF FOUND THEN RETURN 0; END IF;
          SELECT least((SELECT min(ready_at) FROM jobs WHERE state = 2),
            (SELECT min(og.hold_until) FROM origins og WHERE og.hold_until > moment)) INTO first;
          RETURN greatest(0.01, extract(epoch FROM first - moment));
        END $$;

        -- The leases of a worker, as claims return them.
        CREATE FUNCTION held(p_worker int, p_epoch int)
        RETURNS TABLE (id bigint, token uuid, fence int, tries int, limited boolean, request text, known text) LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        BEGIN
          RETURN QUERY SELECT l.job, l.token, l.fence, j.tries, og.at_once IS NOT NULL, r.request, known_intents(l.job)
            FROM leases l JOIN jobs j ON j.id = l.job JOIN requests r ON r.id = l.job LEFT JOIN lines li ON li.line = l.line
            LEFT JOIN origins og ON og.origin = li.origin WHERE l.worker = p_worker AND l.epoch = p_epoch;
        END $$;

        -- Claims waiting jobs of which the worker still has bytes. A limited origin must have room.
        CREATE FUNCTION reclaim(p_worker int, p_epoch int, p_jobs bigint[], p_tokens uuid[])
        RETURNS TABLE (id bigint, token uuid, fence int, tries int, limited boolean, request text, known text) LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        DECLARE c record; room int;
        BEGIN
          PERFORM 1 FROM workers WHERE worker = p_worker AND epoch = p_epoch AND alive_until > clock_timestamp() FOR SHARE;
          IF NOT FOUND THEN RAISE EXCEPTION 'this worker was given up' USING ERRCODE = 'FY001'; END IF;
          FOR c IN SELECT j.id, og.origin, og.at_once FROM unnest(p_jobs, p_tokens) AS e(id, token)
              JOIN jobs j ON j.id = e.id AND j.token = e.token JOIN lines li ON li.line = j.line
              JOIN origins og ON og.origin = li.origin WHERE j.state = 0 ORDER BY og.origin, j.id LOOP
            IF c.at_once IS NOT NULL THEN
              PERFORM 1 FROM origins WHERE origin = c.origin FOR UPDATE;
              SELECT c.at_once - count(*) INTO room FROM leases le WHERE le.origin = c.origin;
              CONTINUE WHEN room <= 0;
              IF room = 1 THEN UPDATE origins SET is_full = true WHERE origin = c.origin; END IF;
            END IF;
            PERFORM 1 FROM jobs WHERE id = c.id AND state = 0 FOR UPDATE;
            IF FOUND THEN RETURN QUERY SELECT * FROM lease_jobs(p_worker, p_epoch, ARRAY[c.id]); END IF;
          END LOOP;
        END $$;
        """#
}
