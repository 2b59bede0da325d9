/** The configuration of a running gateway. */
import { Schema } from "effect"
import { Timestamp } from "../Values.ts"

export const ConfigReload = Schema.Struct({
  object: Schema.Literal("config_reload"),
  needs_restart: Schema.Array(Schema.String).annotate({
    description: "The fields whose new values are not in force before a restart.",
    examples: [["server.port"]]
  })
}).annotate({
  identifier: "ConfigReload",
  title: "A configuration that was taken over",
  description: "It is in force but for the fields that need a restart."
})
export type ConfigReload = typeof ConfigReload.Type

const ConfigField = Schema.Struct({
  path: Schema.String.annotate({ examples: ["providers.openai.api_key"] }),
  value: Schema.NullOr(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])).annotate({
    description: "As the file has it, so that `${NAME}` stays a name; null: it is a secret, or nothing."
  }),
  secret: Schema.Boolean.annotate({ description: "The value is not shown." }),
  line: Schema.Int,
  column: Schema.Int
}).annotate({ identifier: "ConfigField", title: "A field of the file" })

export const Config = Schema.Struct({
  object: Schema.Literal("config"),
  file: Schema.String,
  loaded_at: Timestamp.annotate({ description: "When what is in force was read." }),
  fields: Schema.Array(ConfigField).annotate({ description: "What the file holds now, without secrets." }),
  warnings: Schema.Array(Schema.String).annotate({ description: "What is in force and may surprise." }),
  problems: Schema.NullOr(Schema.String).annotate({
    description: "What is wrong with the file now, each with its place: a reload would change nothing. null: nothing."
  }),
  changes: Schema.Array(Schema.String).annotate({ description: "The sections that a reload would change." }),
  needs_restart: Schema.Array(Schema.String).annotate({
    description: "The fields whose values in the file are not in force before a restart."
  })
}).annotate({ identifier: "Config", title: "Configuration", description: "What is in force, and what the file says." })
export type Config = typeof Config.Type
