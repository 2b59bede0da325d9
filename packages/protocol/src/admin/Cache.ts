/** What is in the response cache. */
import { Schema } from "effect"
import { ModelPattern, TeamName } from "../Values.ts"

const CachedOwner = Schema.Struct({
  owner: Schema.String.annotate({
    description: "`key:<id>`, or `team:<name>` where the keys of a team share their responses.",
    examples: ["key:key_4f9K2mQ7aZx1"]
  }),
  entries: Schema.Int,
  bytes: Schema.Int
}).annotate({ identifier: "CachedOwner", title: "Entries of one owner" })

export const CacheList = Schema.Struct({
  object: Schema.Literal("list"),
  data: Schema.Array(CachedOwner).annotate({ description: "Those with most bytes first." })
}).annotate({
  identifier: "CacheList",
  title: "What the response cache holds",
  description: "Hits and savings are in the spend reports."
})
export type CacheList = typeof CacheList.Type

export const PurgeCacheQuery = {
  key: Schema.optionalKey(Schema.String.annotate({ description: "Only what requests of this key stored." })),
  team: Schema.optionalKey(TeamName.annotate({ description: "Only what the keys of this team share." })),
  model: Schema.optionalKey(
    ModelPattern.annotate({ description: "Only responses of this `<provider>/<model>`; `*` matches any characters." })
  ),
  all: Schema.optionalKey(Schema.Literal("true").annotate({ description: "Everything." }))
}
