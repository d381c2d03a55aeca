import { COMMIT_1 } from "./commit-1.ts";
import { KEEP_PARTITIONS_1 } from "./keep-partitions-1.ts";

/** Version 1, which was released and never changes. `@.`: the schema. `@lock_class`: its advisory locks. */
export const SCHEMA_1: readonly string[] = [
  `CREATE TABLE @.owners (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    label text NOT NULL,
    -- How long it may leave a question whether it still runs without an answer.
    term interval NOT NULL,
    connected_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    asked_at timestamptz,
    answered_at timestamptz
  )`,
  `CREATE TABLE @.sessions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    -- The month in which it was created: the partition of its batches.
    period int NOT NULL,
    opened_at double precision NOT NULL,
    active_at double precision NOT NULL,
    next_seq bigint NOT NULL DEFAULT 0,
    last_turn bigint NOT NULL DEFAULT 0,
    calls bigint NOT NULL DEFAULT 0,
    is_closed boolean NOT NULL DEFAULT false,
    head text NOT NULL,
    owner int,
    -- Counts how often the session was opened: the fence of its writer.
    epoch bigint NOT NULL DEFAULT 0,
    -- Counts what was sent to the session.
    news bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 70)`,
  "CREATE INDEX sessions_owner ON @.sessions (owner) WHERE owner IS NOT NULL",
  `CREATE TABLE @.batches (
    period int NOT NULL,
    session bigint NOT NULL,
    first_seq bigint NOT NULL,
    events int NOT NULL,
    hash text NOT NULL,
    -- The turns with events in it, one on each line.
    turns text NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (session, first_seq, period)
  ) PARTITION BY LIST (period)`,
  "CREATE TABLE @.batches_other PARTITION OF @.batches DEFAULT",
  `CREATE TABLE @.turns (
    session bigint NOT NULL,
    turn text NOT NULL,
    first_seq bigint NOT NULL,
    PRIMARY KEY (session, turn)
  )`,
  `CREATE TABLE @.standing_events (
    session bigint NOT NULL,
    type text NOT NULL,
    key text NOT NULL,
    seq bigint NOT NULL,
    first_seq bigint NOT NULL,
    -- The requests that a parked turn waits for.
    waiting text[],
    PRIMARY KEY (session, type, key)
  )`,
  "CREATE INDEX unfinished_turns ON @.standing_events (session) WHERE type = 'turn-start'",
  `CREATE TABLE @.requests (
    session bigint NOT NULL,
    key text NOT NULL,
    seq bigint NOT NULL,
    name text NOT NULL,
    id text NOT NULL,
    -- It waits for several signatures: one answer does not end that.
    needs boolean NOT NULL,
    asked_at double precision NOT NULL,
    expires_at double precision,
    request text NOT NULL,
    PRIMARY KEY (session, key)
  )`,
  "CREATE INDEX requests_asked ON @.requests (asked_at, session, seq)",
  "CREATE INDEX requests_expire ON @.requests (expires_at) WHERE expires_at IS NOT NULL",
  `CREATE TABLE @.pending (
    name text NOT NULL,
    key text NOT NULL PRIMARY KEY,
    key_id text NOT NULL,
    encrypted bytea NOT NULL
  )`,
  "CREATE INDEX pending_name ON @.pending (name)",
  `CREATE TABLE @.inbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    type text NOT NULL,
    key text NOT NULL,
    request text,
    key_id text,
    -- NULL: a cancellation, or a named answer that was taken.
    encrypted bytea,
    UNIQUE (name, type, key)
  )`,
  `CREATE TABLE @.approvals (
    project text NOT NULL,
    entry text NOT NULL,
    about text NOT NULL,
    added_at double precision NOT NULL,
    PRIMARY KEY (project, entry)
  )`,
  // Whether the owner holds its lock and reacts. After a restart of the server, owners have a while to come back.
  `CREATE FUNCTION @.is_living(_owner int) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
      SELECT FROM @.owners o WHERE o.id = _owner AND CASE
        WHEN EXISTS (
          SELECT FROM pg_locks l
          WHERE l.locktype = 'advisory' AND l.classid = @lock_class AND l.objid = o.id::bigint AND l.objsubid = 2
            AND l.mode = 'ExclusiveLock' AND l.granted
            AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        ) THEN o.asked_at IS NULL OR o.answered_at >= o.asked_at OR o.asked_at > clock_timestamp() - o.term
        ELSE o.connected_at < pg_postmaster_start_time()
          AND clock_timestamp() < pg_postmaster_start_time() + interval '5 seconds'
      END)
  $$`,
  `CREATE FUNCTION @.ask_owner(_owner int, _channel text) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE @.owners SET asked_at = clock_timestamp()
      WHERE id = _owner AND (asked_at IS NULL OR answered_at >= asked_at);
      PERFORM pg_notify(_channel, 'ask ' || _owner);
    END $$`,
  KEEP_PARTITIONS_1,
  // Takes the lease of a session, and creates the session if it does not exist.
  `CREATE FUNCTION @.claim(
    _name text, _owner int, _steal boolean, _turn text, _head text, _now double precision, _channel text, _mark text,
    OUT verdict text, OUT other text, OUT claimed @.sessions
  ) LANGUAGE plpgsql AS $$
    DECLARE _period int := to_char(now() AT TIME ZONE 'UTC', 'YYYYMM')::int;
    BEGIN
      SELECT * INTO claimed FROM @.sessions s WHERE s.name = _name FOR UPDATE;
      IF NOT FOUND AND _turn IS NOT NULL THEN
        verdict := 'turn_unknown';
        RETURN;
      ELSIF NOT FOUND THEN
        IF to_regclass(format('@.batches_%s', _period)) IS NULL THEN PERFORM @.keep_partitions(); END IF;
        INSERT INTO @.sessions (name, period, opened_at, active_at, head) VALUES (_name, _period, _now, _now, _head)
        ON CONFLICT (name) DO NOTHING;
        SELECT * INTO claimed FROM @.sessions s WHERE s.name = _name FOR UPDATE;
      END IF;
      IF NOT _steal AND claimed.owner IS NOT NULL AND claimed.owner <> _owner AND @.is_living(claimed.owner) THEN
        verdict := 'in_use';
        SELECT label INTO other FROM @.owners o WHERE o.id = claimed.owner;
        PERFORM @.ask_owner(claimed.owner, _channel);
        RETURN;
      END IF;
      IF _turn IS NOT NULL AND NOT EXISTS (
        SELECT FROM @.standing_events e WHERE e.session = claimed.id AND e.type = 'turn-start' AND e.key = _turn
      ) THEN
        verdict := 'turn_unknown';
        RETURN;
      END IF;
      IF claimed.owner IS NOT NULL THEN PERFORM pg_notify(_channel, 'taken ' || _mark); END IF;
      UPDATE @.sessions s SET owner = _owner, epoch = s.epoch + 1 WHERE s.id = claimed.id RETURNING s.* INTO claimed;
      verdict := 'claimed';
    END $$`,
  COMMIT_1,
];
