extension Schema1 {
    /// Fenced calls of workers about their jobs.
    ///
    /// Each returns the numbers of the jobs whose leases stood. Nothing is done for the others.
    static let ends = #"""
        CREATE FUNCTION finish(p_worker int, p_epoch int, p_jobs bigint[], p_tokens uuid[], p_fences int[],
          p_outcomes smallint[], p_details text[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
        DECLARE g record; named text;
        BEGIN
          SELECT name INTO named FROM workers WHERE worker = p_worker;
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

        CREATE FUNCTION give_back(p_worker int, p_epoch int, p_jobs bigint[], p_tokens uuid[], p_fences int[],
          p_reasons text[], p_delays float8[], p_errors text[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
        DECLARE g record; named text; moment timestamptz := clock_timestamp();
        BEGIN
          SELECT name INTO named FROM workers WHERE worker = p_worker;
          WITH e AS (SELECT * FROM unnest(p_jobs, p_tokens, p_fences, p_reasons, p_delays, p_errors)
              AS e(job, token, fence, reason, delay, error)),
          gone AS (DELETE FROM leases l USING e WHERE l.job = e.job AND l.token = e.token AND l.fence = e.fence
              AND l.worker = p_worker AND l.epoch = p_epoch
              RETURNING l.job, l.fence, l.origin, l.wish, e.reason, e.delay, e.error),
          noted AS (INSERT INTO tries SELECT job, fence, named, reason, error, moment FROM gone ON CONFLICT DO NOTHING),
          counted AS (UPDATE jobs j SET rescues = 0 FROM gone WHERE j.id = gone.job AND j.rescues > 0)
          SELECT array_agg(job) AS jobs, array_agg(wish) AS wishes, array_agg(delay) AS delays, array_agg(reason) AS reasons,
            array_agg((CASE WHEN reason = 'paused' THEN 3 WHEN delay > 0 THEN 2 ELSE 0 END)::smallint) AS states,
            array_agg(DISTINCT origin) FILTER (WHERE origin IS NOT NULL) AS origins INTO g FROM gone;
          IF g.jobs IS NULL THEN RETURN; END IF;
          PERFORM restore(g.jobs, g.wishes, g.states, g.delays, g.reasons, named);
          IF g.origins IS NOT NULL THEN PERFORM free_origins(g.origins); END IF;
          RETURN QUERY SELECT * FROM unnest(g.jobs);
        END $$;

        -- All bytes are here: the places at the origins are free.
        CREATE FUNCTION landed(p_worker int, p_epoch int, p_jobs bigint[], p_tokens uuid[], p_fences int[])
        RETURNS SETOF bigint LANGUAGE plpgsql AS $$
        DECLARE g record;
        BEGIN
          WITH e AS (SELECT * FROM unnest(p_jobs, p_tokens, p_fences) AS e(job, token, fence)),
          old AS (SELECT l.job, l.origin FROM leases l JOIN e ON l.job = e.job AND l.token = e.token AND l.fence = e.fence
              WHERE l.worker = p_worker AND l.epoch = p_epoch FOR UPDATE OF l),
          freed AS (UPDATE leases l SET origin = NULL FROM old WHERE l.job = old.job AND l.origin IS NOT NULL)
          SELECT array_agg(job) AS jobs, array_agg(DISTINCT origin) FILTER (WHERE origin IS NOT NULL) AS origins
            INTO g FROM old;
          IF g.origins IS NOT NULL THEN PERFORM free_origins(g.origins); END IF;
          RETURN QUERY SELECT * FROM unnest(g.jobs);
        END $$;

        -- Records files about to be placed, and returns all intents of these jobs, the oldest first.
        CREATE FUNCTION intend(p_worker int, p_epoch int, p_jobs bigint[], p_tokens uuid[], p_fences int[], p_inodes numeric[],
          p_paths text[], p_copies text[], p_sizes bigint[], p_sums text[])
        RETURNS TABLE (job bigint, inode numeric, path text, copy text, size bigint, sha256 text) LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        DECLARE standing bigint[];
        BEGIN
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
          UPDATE leases l SET received = e.received, expected = e.expected
            FROM unnest(p_jobs, p_fences, p_received, p_expected) AS e(job, fence, received, expected)
            WHERE l.job = e.job AND l.fence = e.fence AND l.worker = p_worker AND l.epoch = p_epoch;
        END $$;

        CREATE FUNCTION hold(p_origin text, p_seconds float8) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE moment timestamptz := clock_timestamp();
        BEGIN
          INSERT INTO origins (name) SELECT p_origin WHERE NOT EXISTS (SELECT 1 FROM origins WHERE name = p_origin)
            ON CONFLICT DO NOTHING;
          UPDATE origins SET hold_until = moment + make_interval(secs => least(greatest(p_seconds, 0), 3600))
            WHERE name = p_origin;
        END $$;

        -- Partitions for two days, and nothing older than meta.keep. One worker at a time.
        CREATE FUNCTION upkeep() RETURNS void LANGUAGE plpgsql AS $$
        DECLARE day record; oldest text;
        BEGIN
          IF NOT pg_try_advisory_xact_lock(hashtext('ferry.upkeep')) THEN RETURN; END IF;
          PERFORM ensure_day(clock_timestamp()), ensure_day(clock_timestamp() + interval '1 day');
          SELECT 'ended_' || to_char((clock_timestamp() - keep) AT TIME ZONE 'UTC', 'YYYYMMDD') INTO oldest FROM meta;
          FOR day IN SELECT c.oid::regclass AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
              WHERE i.inhparent = 'ferry.ended'::regclass AND c.relname < oldest LOOP
            EXECUTE format('DROP TABLE %s', day.name);
          END LOOP;
        END $$;
        """#
}
