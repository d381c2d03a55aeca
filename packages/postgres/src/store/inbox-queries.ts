export const SEND = `WITH sent AS (
      INSERT INTO @.inbox (name, type, key, request, key_id, encrypted)
      SELECT $1::text, $2::text, $3::text, $4::text, $5::text, $6::bytea FROM @.assert_untouched('')
      ON CONFLICT (name, type, key) DO NOTHING RETURNING id
    ), told AS (
      UPDATE @.sessions SET news = news + 1 WHERE name = $1 AND EXISTS (SELECT FROM sent)
    )
    SELECT pg_notify($7, $8) FROM sent`;

export const ENTRIES = `SELECT id, type, key FROM @.inbox WHERE name = $1 AND (encrypted IS NOT NULL OR type = 'cancel') ORDER BY id`;

export const CONTENT = `SELECT id, key, key_id AS "keyId", encrypted AS bytes FROM @.inbox
    WHERE name = $1 AND type = $2 AND encrypted IS NOT NULL ORDER BY id`;

/** A named answer stays as an entry without content, so that sending it again changes nothing. */
export const TAKEN = `WITH marked AS (
      UPDATE @.inbox SET encrypted = NULL, key_id = NULL WHERE id = ANY ($1::bigint[]) AND key LIKE 'named %'
    )
    DELETE FROM @.inbox WHERE id = ANY ($1::bigint[]) AND key NOT LIKE 'named %'`;
