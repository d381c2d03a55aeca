export const ADD = `INSERT INTO @.outputs (name, call, sha256, bytes, media_type)
    SELECT $1, $2, $3, $4::bigint, $5
    WHERE (SELECT coalesce(sum(o.bytes), 0) FROM @.outputs o WHERE o.name = $1) + $4::bigint <= $6::bigint
    ON CONFLICT (name, call, sha256) DO UPDATE SET media_type = excluded.media_type
    RETURNING sha256`;

export const FIND = "SELECT FROM @.outputs WHERE name = $1 AND sha256 = $2 LIMIT 1";
export const REMOVE = "DELETE FROM @.outputs WHERE name = $1 AND ($2::text IS NULL OR call = $2)";
export const RELEASED = "SELECT sha256 FROM @.released_outputs ORDER BY released_at LIMIT $1";

/** Its row first: what is released meanwhile waits for the end of the transaction, and is not forgotten. */
export const TAKE = `WITH taken AS (DELETE FROM @.released_outputs WHERE sha256 = $1 RETURNING sha256) SELECT sha256 FROM taken`;

export const USED = "SELECT FROM @.outputs WHERE sha256 = $1 LIMIT 1";
export const HOLD = "SELECT pg_advisory_xact_lock_shared($1::bigint)";
export const HOLD_ALONE = "SELECT pg_advisory_xact_lock($1::bigint)";
