/** The key of the playground: for an hour, with a budget, and its secret nowhere but in the memory of this page. */
import type { IssuedKey } from "@model-gateway/protocol"
import { gatewayNow } from "../../api/Clock.ts"
import { call } from "../../api/Api.ts"

const HOUR_MS = 3_600_000

export interface PlayKey {
  readonly id: string
  readonly secret: string
  readonly endsAt: number
}

let kept: PlayKey | undefined

export const playKey = (): PlayKey | undefined => (kept !== undefined && gatewayNow() < kept.endsAt ? kept : undefined)

export const makePlayKey = async (usd: number): Promise<PlayKey> => {
  const endsAt = gatewayNow() + HOUR_MS
  const made = await call<IssuedKey>("POST", "keys", {
    name: "playground",
    tags: ["playground"],
    budgets: [{ usd, window: "total" }],
    expires_at: new Date(endsAt).toISOString()
  })
  kept = { id: made.id, secret: made.key, endsAt }
  return kept
}

export const forgetPlayKey = (): void => {
  kept = undefined
}
