/** The configuration of a running gateway. */
import { Schema } from "effect"

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
