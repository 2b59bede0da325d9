/** The agents as clients of a run: each of their parts is a journey. */
import { Effect } from "effect"
import type { Client } from "../Client.ts"
import { claudeCode, codex, type Driver, geminiCli, opencode } from "./Drivers.ts"
import { journeys } from "./Journeys.ts"

const travelling = (driver: Driver): Client => {
  const own = journeys.filter(({ of = () => true }) => of(driver))
  return {
    ...driver.client,
    starts: driver.starts,
    parts: own.map(({ part }) => part),
    run: Effect.fnUntraced(function* (room) {
      for (const { name, part, run } of own) {
        if (!room.parts.includes(part)) continue
        yield* room.checks.check(name, run({ room, driver }).pipe(Effect.scoped))
      }
    })
  }
}

export const agents: ReadonlyArray<Client> = [claudeCode, codex, geminiCli, opencode].map(travelling)
