/** New ranges of the ledger are summarised by themselves, so that reports of the last hours do not read all of them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** A partitioned index has no such setting, and a new partition takes none over: for each of its parts. */
export const summarise = `DO $$
DECLARE part regclass;
BEGIN
  FOR part IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'ledger_by_time'::regclass LOOP
    EXECUTE format('ALTER INDEX %s SET (autosummarize = on)', part);
  END LOOP;
END $$`

export const summaries = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(summarise)
})
