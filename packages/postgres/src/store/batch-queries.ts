const COLUMNS = 'first_seq AS "firstSeq", events, hash, bytes';
const OF_SESSION = "FROM @.batches WHERE period = $1 AND session = $2";
export const FROM = `SELECT ${COLUMNS} ${OF_SESSION} AND first_seq >= $3 ORDER BY first_seq LIMIT $4`;

export const OF_TURN = `SELECT ${COLUMNS} ${OF_SESSION}
    AND first_seq >= greatest($3::bigint, (SELECT t.first_seq FROM @.turns t WHERE t.session = $2 AND t.turn = $4))
    AND $4 = ANY (string_to_array(turns, E'\\n')) ORDER BY first_seq LIMIT $5`;

export const AMONG = `SELECT ${COLUMNS} ${OF_SESSION} AND first_seq = ANY ($3::bigint[])`;

export const MENTIONING = `SELECT ${COLUMNS} ${OF_SESSION} AND position($3::bytea IN bytes) > 0`;

export const LAST = `SELECT ${COLUMNS} ${OF_SESSION} AND first_seq < $3 ORDER BY first_seq DESC LIMIT 1`;
