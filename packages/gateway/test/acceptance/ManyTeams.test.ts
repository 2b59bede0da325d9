/** Ten thousand teams: the admin API and the command line find each of them, and other callers do not wait. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { invoke } from "../../../model-gateway/test/Invoke.ts"
import { call } from "../support/RawHttp.ts"
import { masterKey, type RunningGateway, startGateway } from "../support/RunningGateway.ts"

const TEAMS = 10_000
/** A comparison of all names in one piece takes 800 ms; other tests run on this machine, too. */
const LONGEST_WAIT_MS = 400
const nameOf = (number: number): string => `platform engineering squad ${String(number).padStart(5, "0")}`

const withTeams = Effect.gen(function* () {
  const gateway = yield* startGateway()
  yield* Effect.forEach(
    Array.from({ length: TEAMS }, (_, number) => number),
    (number) =>
      gateway.keys.putTeam(nameOf(number), {
        limits: { rpm: undefined, tpm: undefined, maxParallel: undefined },
        budgets: [{ limit: (number + 1) * 1_000_000_000, window: "month", timeZone: "UTC" }]
      }),
    { concurrency: 500, discard: true }
  )
  return gateway
}).pipe(Effect.orDie)

/** The longest that a small request waited while `work` ran, and the result. */
const longestWait = Effect.fnUntraced(function* <A>({ url }: RunningGateway, work: Effect.Effect<A>) {
  let longest = 0
  const ask = Effect.gen(function* () {
    const began = performance.now()
    yield* call(url, { method: "GET", path: "/healthz" })
    longest = Math.max(longest, performance.now() - began)
  })
  const result = yield* Effect.raceFirst(work, Effect.forever(ask))
  return { longest, result }
})

describe("a gateway with 10,000 teams", () => {
  it.live(
    "lists all of them in pages, finds one, reports their fullest budgets and suggests the nearest name for an unknown one",
    () =>
      Effect.gen(function* () {
        const gateway = yield* withTeams
        const { admin, url } = gateway
        const seen: Array<string> = []
        let after: string | null = ""
        while (after !== null) {
          const { json }: { readonly json: { data: ReadonlyArray<{ team: string }>; next: string | null } } =
            yield* admin("GET", `/admin/teams?limit=1000${after === "" ? "" : `&after=${encodeURIComponent(after)}`}`)
          seen.push(...json.data.map(({ team }) => team))
          after = json.next
        }
        assert.deepStrictEqual(
          seen,
          Array.from({ length: TEAMS }, (_, number) => nameOf(number))
        )

        const found = yield* admin("GET", "/admin/teams?q=09876")
        assert.deepStrictEqual(
          found.json.data.map(({ team }: { team: string }) => team),
          [nameOf(9_876)]
        )

        const budgets = yield* longestWait(gateway, admin("GET", "/admin/budgets?scope=team&limit=5"))
        assert.lengthOf(budgets.result.json.data, 5)
        const overview = yield* admin("GET", "/admin/overview")
        assert.strictEqual(overview.status, 200)

        const key = yield* longestWait(
          gateway,
          admin("POST", "/admin/keys", { team: "platform engineering squad 0987" })
        )
        assert.match(key.result.json.warnings[0], /Did you mean `platform engineering squad \d{5}`/)
        for (const { longest } of [budgets, key]) assert.isBelow(longest, LONGEST_WAIT_MS)

        const environment = { GATEWAY_URL: url, GATEWAY_MASTER_KEY: masterKey }
        const listed = yield* invoke(["teams", "list"], environment)
        assert.match(listed.stdout, /squad 00099 .*\n\nThere are more: name a part of a team with --search\.\n$/s)
        const one = yield* invoke(["teams", "list", "--search", "SQUAD 0987"], environment)
        assert.strictEqual(one.stdout.trim().split("\n").length, 12)
      })
  )
})
