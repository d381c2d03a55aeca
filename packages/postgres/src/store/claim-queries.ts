import { sessionColumns } from "./session-rows.ts";
export const CLAIM = `SELECT c.verdict, c.other, ${sessionColumns("(c.claimed)")} FROM @.claim($1, $2, $3, $4, $5, $6, $7, $8) AS c,
    @.assert_untouched('')`;

export const STATE = `SELECT s.epoch, s.head, s.news,
      (SELECT b.hash FROM @.batches b WHERE b.period = s.period AND b.session = s.id AND b.first_seq = $2) AS hash
    FROM @.sessions s WHERE s.id = $1`;

export const RELEASE = "UPDATE @.sessions SET owner = NULL WHERE id = $1 AND owner = $2 AND epoch = $3";
export const REMOVE_EMPTY = "DELETE FROM @.sessions WHERE id = $1 AND next_seq = 0 AND owner IS NULL";
export const EPOCHS = "SELECT id, epoch FROM @.sessions WHERE id = ANY ($1::bigint[])";
