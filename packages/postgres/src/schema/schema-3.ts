/** Version 3 of the schema: which session refers to which large output. The bytes are elsewhere, under their hash. */
export const SCHEMA_3: readonly string[] = [
  `CREATE TABLE @.outputs (
    name text NOT NULL,
    call text NOT NULL,
    sha256 text NOT NULL,
    bytes bigint NOT NULL,
    media_type text NOT NULL,
    kept_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (name, call, sha256)
  )`,
  "CREATE INDEX outputs_sha256 ON @.outputs (sha256)",
  // What a session no longer refers to, until it is known whether another does.
  `CREATE TABLE @.released_outputs (
    sha256 text PRIMARY KEY,
    released_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE FUNCTION @.release_outputs() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO @.released_outputs (sha256) SELECT DISTINCT g.sha256 FROM gone g ON CONFLICT DO NOTHING;
      RETURN NULL;
    END $$`,
  `CREATE TRIGGER released AFTER DELETE ON @.outputs REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION @.release_outputs()`,
];
