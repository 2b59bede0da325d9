import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { against, refused } from "./Against.ts"
import { receipt } from "./Wire.ts"

const page = (data: ReadonlyArray<object>, next: string | null = null) => ({
  "GET /admin/requests": { body: { object: "list", data, has_more: next !== null, next } }
})

const one = (body: object) => ({ [`GET /admin/requests/${receipt.id}`]: { body } })

describe("requests list", () => {
  it.effect("is a table of what was asked for, who served it, how it ended and what it cost", () =>
    Effect.gen(function* () {
      const { asked, stderr, stdout } = yield* against(
        page([receipt, { ...receipt, cost_is_estimate: true }], receipt.id),
        ["requests", "list"]
      )
      assert.strictEqual(asked[0]?.path, "/admin/requests?limit=20")
      assert.match(stdout, /^ID +AT \(UTC\) +KEY +MODEL +SERVED BY +STATUS +ERROR +COST\n/)
      assert.match(stdout, /\nrcpt_\S+ +2026-10-02 09:30 +\S+ +auto +eu +ok +- +\$0\.0012\n.* ~\$0\.0012\n$/)
      assert.include(stderr, `--after ${receipt.id}`)
    })
  )

  it.effect("asks for part of them", () =>
    Effect.gen(function* () {
      const { asked } = yield* against(page([]), [
        ..."requests list --limit 5 --key key_a --team red --model gpt-5 --status cut".split(" "),
        ..."--after rcpt_1 --from 2026-10-01 --to 2026-10-02T10:00+02:00".split(" ")
      ])
      assert.deepStrictEqual(Object.fromEntries(new URLSearchParams(asked[0]?.path.split("?")[1])), {
        limit: "5",
        key: "key_a",
        team: "red",
        model: "gpt-5",
        status: "cut",
        after: "rcpt_1",
        from: "2026-10-01T00:00:00.000Z",
        to: "2026-10-02T08:00:00.000Z"
      })
      yield* refused(["requests", "list", "--status", "broken"], /--status/)
      yield* refused(["requests", "list", "--from", "lately"], /--from.*2h/)
      yield* refused(["requests", "list", "--limit", "0"], /--limit/)
    })
  )

  it.effect("prints the gateway's JSON for programs", () =>
    Effect.gen(function* () {
      const { stdout } = yield* against(page([receipt]), ["requests", "list", "--json"])
      assert.deepStrictEqual(JSON.parse(stdout).data, [receipt])
    })
  )
})

describe("requests show", () => {
  it.effect("does not say of a provider that is out of reach that it was down", () =>
    Effect.gen(function* () {
      const [first, ...others] = receipt.attempts
      const attempts = [{ ...first, outcome: "unavailable", http_status: null }, ...others]
      const { stdout } = yield* against(one({ ...receipt, attempts }), ["requests", "show", receipt.id])
      assert.match(stdout, /\nopenai\/gpt-5 +no response from the provider +- /)
    })
  )

  it.effect("says what happened and why, in words, with every attempt", () =>
    Effect.gen(function* () {
      const { stdout } = yield* against(one(receipt), ["requests", "show", receipt.id])
      assert.match(stdout, /\nstatus +completed\n/)
      assert.match(stdout, /\nfeedback +0\.75 of 1, 2026-10-02 09:45 UTC\n/)
      assert.match(stdout, /\nserved by +eu \(anthropic\/claude-sonnet-4-5\), bucket complex at score 0\.7\n/)
      assert.match(
        stdout,
        /\nbecause +auto: score 0\.7 is not below 0\.65 and below 0\.85, bucket complex\n +code marks/
      )
      assert.match(stdout, /\ntokens +1,200 input, 80 output\n/)
      assert.match(stdout, /\nopenai\/gpt-5 +the provider was down +503 +0 ms +- +85 ms +\$0\.00\n/)
      assert.match(stdout, /\neu +completed +200 +240 ms +700 ms +85 ms +\$0\.0012\n/)
      assert.match(stdout, /\ncut points +0\.35, 0\.65, 0\.85\n/)
      assert.match(stdout, /\nstrongest +would have cost \$0\.0044 in the strongest bucket\n/)
      assert.match(stdout, /\nsession +thread-7\n/)
      assert.match(stdout, /\n +2 +input +1,200 +\$0\.5 \/ 1,000,000 tokens +\$0\.0006\n/)
      assert.match(stdout, /\ncode marks +3\.25 +\+0\.120\n/)
      assert.match(stdout, /\ndemo\/mini +demo\/mini does not support vision\n/)
      assert.match(stdout, /\ndemo\/max +in a lower bucket: its bucket is below complex\n$/)
    })
  )

  it.effect("says which budget refused it", () =>
    Effect.gen(function* () {
      const amounts = { limit_usd: 5, used_usd: 4.5, needed_usd: 0.75 }
      const refused_by = { limit: "budget", scope: "team", window: "day", ...amounts }
      const { stdout } = yield* against(one({ ...receipt, status: "refused", refused_by }), [
        "requests",
        "show",
        receipt.id
      ])
      assert.match(stdout, /\nrefused by +the budget of the team: \$5\.00 per day, \$4\.50 used, \$0\.75 needed\n/)
    })
  )

  it.effect("does not make what is unknown look free, or what was lost look known", () =>
    Effect.gen(function* () {
      const { stdout } = yield* against(
        one({
          ...receipt,
          requested_model: null,
          endpoint: null,
          attempts: [],
          decision: { ...receipt.decision, cut_points: null, features: [], considered: null },
          cost_usd: null,
          price_lines: null,
          baseline_usd: null,
          session_id: null,
          price: null,
          status: "abandoned"
        }),
        ["requests", "show", receipt.id]
      )
      assert.match(stdout, /\nstatus +abandoned: the gateway's process died during it\n/)
      assert.match(stdout, /\ncost +unknown\n/)
      assert.match(stdout, /No deployment was called\.\n$/)
    })
  )

  it.effect("needs an id that is one, and says what the gateway says of an unknown one", () =>
    Effect.gen(function* () {
      yield* refused(["requests", "show", ".."], /rcpt_/)
      const error = {
        type: "invalid_request_error",
        message: "There is no receipt `x`.",
        param: null,
        code: "not_found"
      }
      const { code, stderr } = yield* against(
        { "GET /admin/requests/x": { status: 404, body: { error } } },
        "requests show x".split(" ")
      )
      assert.deepStrictEqual([code, stderr], [1, "There is no receipt `x`.\n"])
    })
  )
})
