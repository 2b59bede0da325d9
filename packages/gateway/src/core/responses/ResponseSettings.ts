/** Whether responses are stored, for how long, and how much of them. */
import { Context } from "effect"
import type { Settings } from "../domain/Settings.ts"

const GB = 1024 ** 3

export const ResponseSettings = Context.Reference<Settings["responses"]>("gateway/core/ResponseSettings", {
  defaultValue: () => ({ isStored: true, lifetimeMs: 30 * 24 * 3_600_000, quota: { all: GB, perKey: GB / 2 } })
})
