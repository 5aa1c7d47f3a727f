/// Fenced calls of workers about their jobs, and the moves of jobs that have lost their leases.
///
/// Each fenced call returns the numbers of the jobs whose leases stood. Nothing is done for the others.
enum EndFunctions {
    static let text = #"""
        -- Moves jobs without a lease to the ended ones.
        CREATE FUNCTION retire(p_jobs bigint[], p_outcomes smallint[], p_details text[], p_worker text)
        RETURNS void LANGUAGE plpgsql AS $$
        DECLARE moment timestamptz := clock_timestamp(); gone int; n int;
        BEGIN
          WITH f AS (INSERT INTO finishes DEFAULT VALUES RETURNING finish),
          e AS MATERIALIZED (SELECT * FROM unnest(p_jobs, p_outcomes, p_details) AS e(id, outcome, details)),
          j AS (DELETE FROM jobs j USING e WHERE j.id = e.id RETURNING j.*),
          r AS (DELETE FROM requests r USING e WHERE r.id = e.id RETURNING r.*),
          i AS (DELETE FROM intents i USING e WHERE i.job = e.id),
          t AS (DELETE FROM tries t USING e WHERE t.job = e.id RETURNING t.*),
          h AS (SELECT t.job, json_agg(json_build_object('fence', t.fence, 'worker', t.worker, 'reason', t.reason,
              'error', t.error::json, 'ended_at', wire_time(t.at)) ORDER BY t.fence)::text AS history
            FROM t GROUP BY t.job),
          m AS (INSERT INTO ended (id, token, tenant, key, path, url, priority, fence, tries, rescues, outcome, details, worker,
              history, request, place, submitted_at, ended_at, batch, begin_at, needs, code, finish)
            SELECT j.id, j.token, r.tenant, r.key, r.path, r.url, j.priority, j.fence, j.tries, j.rescues, e.outcome,
              e.details, p_worker, h.history, CASE WHEN e.outcome <> 1 THEN r.request END, r.place, r.submitted_at, moment,
              r.batch, r.begin_at, CASE WHEN e.outcome <> 1 THEN (SELECT li.needs FROM lines li WHERE li.line = j.line) END,
              CASE e.outcome WHEN 2 THEN substring(e.details FROM '"code" ?: ?"([^"]*)"') END, f.finish
            FROM f, e JOIN j ON j.id = e.id JOIN r ON r.id = e.id LEFT JOIN h ON h.job = e.id RETURNING 1)
          SELECT (SELECT count(*) FROM j), (SELECT count(*) FROM m) INTO gone, n;
          PERFORM check_rows('ended', n, gone);
        END $$;

        -- A trigger or a rule of somebody else can keep rows out without an error.
        CREATE FUNCTION check_rows(p_table text, p_written bigint, p_wanted bigint) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
          IF p_written IS DISTINCT FROM p_wanted THEN
            RAISE EXCEPTION 'a trigger or a rule of this database keeps rows out of ferry.%', p_table USING ERRCODE = 'triggered_data_change_violation';
          END IF;
        END $$;

        -- Texts that are stored as JSON are read as JSON by everybody who lists jobs.
        CREATE FUNCTION check_json(p_texts text[]) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN PERFORM count(e::jsonb) FROM unnest(p_texts) AS e; END $$;

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

        CREATE FUNCTION finish(p_worker int, p_epoch int, p_jobs bigint[], p_tokens uuid[], p_fences int[],
          p_outcomes smallint[], p_details text[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
        DECLARE g record; named text;
        BEGIN
          named := worker_name(p_worker);
          PERFORM check_json(p_details);
          WITH e AS (SELECT * FROM unnest(p_jobs, p_tokens, p_fences, p_outcomes, p_details)
              AS e(job, token, fence, outcome, details)),
          gone AS (DELETE FROM leases l USING e WHERE l.job = e.job AND l.token = e.token AND l.fence = e.fence
              AND l.worker = p_worker AND l.epoch = p_epoch RETURNING l.job, l.origin, l.wish, e.outcome, e.details)
          SELECT array_agg(job) AS jobs, array_agg(job) FILTER (WHERE wish = 3) AS removed,
            array_agg(job) FILTER (WHERE wish <> 3) AS kept, array_agg(outcome) FILTER (WHERE wish <> 3) AS outcomes,
            array_agg(details) FILTER (WHERE wish <> 3) AS details,
            array_agg(DISTINCT origin) FILTER (WHERE origin IS NOT NULL) AS origins INTO g FROM gone;
          IF g.jobs IS NULL THEN RETURN; END IF;
          IF g.kept IS NOT NULL THEN PERFORM retire(g.kept, g.outcomes, g.details, named); END IF;
          IF g.removed IS NOT NULL THEN PERFORM forget(g.removed); END IF;
          IF g.origins IS NOT NULL THEN PERFORM free_origins(g.origins); END IF;
          RETURN QUERY SELECT * FROM unnest(g.jobs);
        END $$;

        -- p_attempts: failed attempts since the job was claimed. They count against the limits of its request.
        CREATE FUNCTION give_back(p_worker int, p_epoch int, p_jobs bigint[], p_tokens uuid[], p_fences int[],
          p_reasons text[], p_delays float8[], p_errors text[], p_attempts int[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
        DECLARE g record; named text; moment timestamptz := clock_timestamp();
        BEGIN
          named := worker_name(p_worker);
          PERFORM check_json(p_errors);
          WITH e AS (SELECT * FROM unnest(p_jobs, p_tokens, p_fences, p_reasons, p_delays, p_errors, p_attempts)
              AS e(job, token, fence, reason, delay, error, attempts)),
          gone AS (DELETE FROM leases l USING e WHERE l.job = e.job AND l.token = e.token AND l.fence = e.fence
              AND l.worker = p_worker AND l.epoch = p_epoch
              RETURNING l.job, l.fence, l.origin, l.wish, e.reason, e.delay, e.error, e.attempts),
          noted AS (INSERT INTO tries SELECT job, fence, named, reason, error, moment FROM gone ON CONFLICT DO NOTHING),
          counted AS (UPDATE jobs j SET rescues = 0, attempts = j.attempts + gone.attempts,
              failing_at = CASE WHEN gone.attempts > 0 THEN coalesce(j.failing_at, moment) ELSE j.failing_at END
            FROM gone WHERE j.id = gone.job AND (j.rescues > 0 OR gone.attempts > 0))
          SELECT array_agg(job) AS jobs, array_agg(fence) AS fences, array_agg(wish) AS wishes, array_agg(delay) AS delays,
            array_agg(reason) AS reasons,
            array_agg((CASE WHEN reason = 'paused' THEN 3 WHEN delay > 0 THEN 2 ELSE 0 END)::smallint) AS states,
            array_agg(DISTINCT origin) FILTER (WHERE origin IS NOT NULL) AS origins INTO g FROM gone;
          IF g.jobs IS NULL THEN RETURN; END IF;
          PERFORM restore(g.jobs, g.wishes, g.states, g.delays, g.reasons, named);
          -- A job that waits for a store, or for a worker that can read it, keeps its last tries alone.
          DELETE FROM tries t USING unnest(g.jobs, g.fences) AS e(job, fence) WHERE t.job = e.job AND t.fence <= e.fence - 100;
          IF g.origins IS NOT NULL THEN PERFORM free_origins(g.origins); END IF;
          -- Jobs that this worker cannot run are another's at once.
          IF 0 = ANY (g.states) THEN PERFORM notify_workers(); END IF;
          RETURN QUERY SELECT * FROM unnest(g.jobs);
        END $$;

        -- All bytes are here: the places at the origins are free.
        CREATE FUNCTION landed(p_worker int, p_epoch int, p_jobs bigint[], p_tokens uuid[], p_fences int[])
        RETURNS SETOF bigint LANGUAGE plpgsql AS $$
        DECLARE g record;
        BEGIN
          PERFORM check_worker(p_worker);
          WITH e AS (SELECT * FROM unnest(p_jobs, p_tokens, p_fences) AS e(job, token, fence)),
          old AS (SELECT l.job, l.origin FROM leases l JOIN e ON l.job = e.job AND l.token = e.token AND l.fence = e.fence
              WHERE l.worker = p_worker AND l.epoch = p_epoch FOR UPDATE OF l),
          freed AS (UPDATE leases l SET origin = NULL FROM old WHERE l.job = old.job AND l.origin IS NOT NULL)
          SELECT array_agg(job) AS jobs, array_agg(DISTINCT origin) FILTER (WHERE origin IS NOT NULL) AS origins
            INTO g FROM old;
          IF g.origins IS NOT NULL THEN PERFORM free_origins(g.origins); END IF;
          RETURN QUERY SELECT * FROM unnest(g.jobs);
        END $$;

        -- The worker is about to fetch jobs with which others were lost. If it is lost too, they are judged.
        CREATE FUNCTION begin_jobs(p_worker int, p_epoch int, p_jobs bigint[], p_tokens uuid[], p_fences int[])
        RETURNS SETOF bigint LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM check_worker(p_worker);
          RETURN QUERY UPDATE leases l SET is_begun = true FROM unnest(p_jobs, p_tokens, p_fences) AS e(job, token, fence)
            WHERE l.job = e.job AND l.token = e.token AND l.fence = e.fence AND l.worker = p_worker AND l.epoch = p_epoch
            RETURNING l.job;
        END $$;

        -- Records files about to be placed, and returns all intents of these jobs, the oldest first.
        CREATE FUNCTION intend(p_worker int, p_epoch int, p_jobs bigint[], p_tokens uuid[], p_fences int[], p_inodes numeric[],
          p_paths text[], p_copies text[], p_sizes bigint[], p_sums text[])
        RETURNS TABLE (job bigint, inode numeric, path text, copy text, size bigint, sha256 text) LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        DECLARE standing bigint[];
        BEGIN
          PERFORM check_worker(p_worker);
          -- The leases stay locked until the intents are durable: no rescue comes in between.
          SELECT array_agg(s.job) INTO standing FROM (SELECT l.job FROM leases l
            JOIN unnest(p_jobs, p_tokens, p_fences) AS e(job, token, fence)
              ON l.job = e.job AND l.token = e.token AND l.fence = e.fence
            WHERE l.worker = p_worker AND l.epoch = p_epoch FOR SHARE OF l) AS s;
          INSERT INTO intents (job, fence, inode, path, copy, size, sha256)
            SELECT * FROM unnest(p_jobs, p_fences, p_inodes, p_paths, p_copies, p_sizes, p_sums)
              AS e(job, fence, inode, path, copy, size, sum)
            WHERE e.job = ANY (standing) ON CONFLICT DO NOTHING;
          RETURN QUERY SELECT i.job, i.inode, i.path, i.copy, i.size, i.sha256 FROM intents i WHERE i.job = ANY (standing)
            ORDER BY i.number;
        END $$;

        CREATE FUNCTION progress(p_worker int, p_epoch int, p_jobs bigint[], p_fences int[], p_received bigint[],
          p_expected bigint[]) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM check_worker(p_worker);
          UPDATE leases l SET received = e.received, expected = e.expected
            FROM unnest(p_jobs, p_fences, p_received, p_expected) AS e(job, fence, received, expected)
            WHERE l.job = e.job AND l.fence = e.fence AND l.worker = p_worker AND l.epoch = p_epoch;
        END $$;
        """#
}
