/**
 * The environment variables of the process, as the one place where commands get them from.
 */
import { Context } from "effect"

export const Environment = Context.Reference<Readonly<Record<string, string | undefined>>>("gateway/cli/Environment", {
  defaultValue: () => process.env
})
