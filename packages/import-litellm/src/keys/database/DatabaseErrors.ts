/** Why LiteLLM's database is not read. `message` is for people: what is wrong and how to put it right. */
import { Schema } from "effect"

/** The URL itself is no address of a Postgres. */
export class DatabaseUrlInvalid extends Schema.TaggedError<DatabaseUrlInvalid>()("DatabaseUrlInvalid", {
  message: Schema.String
}) {}

/** No connection, no permission, or not the tables of LiteLLM. */
export class DatabaseUnreadable extends Schema.TaggedError<DatabaseUnreadable>()("DatabaseUnreadable", {
  message: Schema.String
}) {}
