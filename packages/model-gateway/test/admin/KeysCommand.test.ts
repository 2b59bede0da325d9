import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Answers } from "../AdminStub.ts"
import { against, MASTER_KEY, refused } from "./Against.ts"
import { key, SECRET } from "./Wire.ts"

const creates: Answers = { "POST /admin/keys": { status: 201, body: { ...key, key: SECRET } } }
const updates: Answers = { [`PATCH /admin/keys/${key.id}`]: { body: key } }

describe("keys create", () => {
  it.effect("asks for what was named, and nothing else", () =>
    Effect.gen(function* () {
      const bare = yield* against(creates, ["keys", "create"])
      assert.deepStrictEqual(bare.bodies, [{}])
      assert.strictEqual(bare.asked[0]?.authorization, `Bearer ${MASTER_KEY}`)

      const full = yield* against(creates, [
        ..."keys create --team research --models auto,openai/* --rpm 60 --tpm 100000 --max-parallel 4".split(" "),
        ..."--budget 10/day@Europe/Berlin --budget 200/month --expires-in 30d --tags prod,batch".split(" "),
        ..."--on-unknown-price allow --name".split(" "),
        "my app"
      ])
      assert.strictEqual(full.code, 0, full.stderr)
      assert.deepStrictEqual(full.bodies, [
        {
          name: "my app",
          team: "research",
          models: ["auto", "openai/*"],
          limits: { rpm: 60, tpm: 100_000, max_parallel: 4 },
          budgets: [
            { usd: 10, window: "day", time_zone: "Europe/Berlin" },
            { usd: 200, window: "month" }
          ],
          // The test's clock stands at 1970.
          expires_at: "1970-01-31T00:00:00.000Z",
          tags: ["prod", "batch"],
          on_unknown_price: "allow"
        }
      ])
    })
  )

  it.effect("shows the secret alone on stdout, and beside it that it is the only time", () =>
    Effect.gen(function* () {
      const { stderr, stdout } = yield* against(creates, [
        "keys",
        "create",
        "--budget-usd",
        "5",
        "--expires-at",
        "2026-12-31"
      ])
      assert.strictEqual(stdout, `${SECRET}\n`)
      assert.match(stderr, /^Made key_abcdefghijkl \(my app\)\..* shown only now\.\n$/)
      assert.notInclude(stderr, SECRET)
    })
  )

  it.effect("tells what the gateway warns of beside the secret", () =>
    Effect.gen(function* () {
      const warnings = ["models: `nope` stands for nothing here."]
      const answers: Answers = { "POST /admin/keys": { status: 201, body: { ...key, key: SECRET, warnings } } }
      const { code, stderr, stdout } = yield* against(answers, ["keys", "create", "--models", "nope"])
      assert.deepStrictEqual([code, stdout], [0, `${SECRET}\n`])
      assert.match(stderr, /\nWarning: models: `nope` stands for nothing here\.\n$/)
    })
  )

  it.effect("--json prints the gateway's JSON", () =>
    Effect.gen(function* () {
      const { stderr, stdout } = yield* against(creates, ["keys", "create", "--json"])
      assert.deepStrictEqual(JSON.parse(stdout), { ...key, key: SECRET })
      assert.strictEqual(stderr, "")
    })
  )

  it.effect("refuses what can't be right without asking", () =>
    Effect.gen(function* () {
      yield* refused(["keys", "create", "--budget", "10"], /^--budget takes .*10\/day.*, not "10"/)
      yield* refused(["keys", "create", "--rpm", "0"], /^--rpm takes /)
      yield* refused(["keys", "create", "--rpm", "2000000"], /^--rpm: .*1 to 1000000/)
      yield* refused(["keys", "create", "--models", ""], /--models/)
      for (const models of ["none", "none,gpt-5"]) {
        yield* refused(
          ["keys", "create", "--models", models],
          /^--models takes names such as .* or all for no restriction/
        )
      }
      yield* refused(["teams", "policy", "set", "red", "--models", "none"], /^--models takes .* all for no restriction/)
      yield* refused(["keys", "create", "--budget", "1/day@Europe/Atlantis"], /^--budget: .*time zone/)
      yield* refused(["keys", "create", "--budget", "1/day", "--budget", "2/day"], /^--budget: .*window/)
      yield* refused(["keys", "create", "--budget", "1/day", "--budget", "none"], /^--budget none/)
      yield* refused(
        ["keys", "create", "--expires-in", "1d", "--expires-at", "2026-12-31"],
        /--expires-in and --expires-at/
      )
      yield* refused(["keys", "create", "--budget-usd", "1", "--budget", "2/day"], /--budget-usd/)
    })
  )
})

describe("keys list", () => {
  it.effect("is a table", () =>
    Effect.gen(function* () {
      const page = { object: "list", data: [key], has_more: true, next: key.id }
      const { asked, stderr, stdout } = yield* against(
        { "GET /admin/keys": { body: page } },
        "keys list --limit 1 --team research --status active --search app --after key_x".split(" ")
      )
      const query = new URLSearchParams(asked[0]?.path.split("?")[1])
      assert.deepStrictEqual(Object.fromEntries(query), {
        limit: "1",
        team: "research",
        status: "active",
        q: "app",
        after: "key_x"
      })
      assert.strictEqual(
        stdout,
        [
          "ID                NAME    TEAM      STATUS  BUDGET                 LAST USED (UTC)",
          "key_abcdefghijkl  my app  research  active  $1.50 of $10.00 a day  2026-10-02 09:30\n"
        ].join("\n")
      )
      assert.strictEqual(stderr, "There are more: add --after key_abcdefghijkl\n")
    })
  )

  it.effect("says how to make one where there is none", () =>
    Effect.gen(function* () {
      const page = { object: "list", data: [], has_more: false, next: null }
      const { code, stderr, stdout } = yield* against({ "GET /admin/keys": { body: page } }, ["keys", "list"])
      assert.deepStrictEqual([code, stdout], [0, ""])
      assert.include(stderr, "keys create")
    })
  )
})

describe("one key", () => {
  it.effect("keys show", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* against({ [`GET /admin/keys/${key.id}`]: { body: key } }, [
        "keys",
        "show",
        key.id
      ])
      assert.strictEqual(code, 0)
      assert.include(stdout, "budgets    $10.00 a day: $1.50 spent, $8.50 left, resets 2026-10-03 00:00\n")
    })
  )

  it.effect("keys update sends the change alone; none takes away", () =>
    Effect.gen(function* () {
      const bodyOf = (...args: ReadonlyArray<string>) =>
        Effect.map(against(updates, ["keys", "update", key.id, ...args]), ({ bodies, code, stderr }) => {
          assert.strictEqual(code, 0, stderr)
          return bodies[0]
        })
      assert.deepStrictEqual(yield* bodyOf("--rpm", "none", "--tpm", "5"), { limits: { rpm: null, tpm: 5 } })
      assert.deepStrictEqual(yield* bodyOf("--budget", "none"), { budgets: [] })
      assert.deepStrictEqual(yield* bodyOf("--models", "all", "--team", ""), { models: [], team: null })
      assert.deepStrictEqual(yield* bodyOf("--expires-at", "none"), { expires_at: null })
      assert.deepStrictEqual(yield* bodyOf("--disable"), { disabled: true })
      assert.deepStrictEqual(yield* bodyOf("--enable"), { disabled: false })
    })
  )

  it.effect("keys update refuses to do nothing, or two opposites", () =>
    Effect.gen(function* () {
      yield* refused(["keys", "update", key.id], /^nothing to change/)
      yield* refused(["keys", "update", key.id, "--enable", "--disable"], /contradict/)
      yield* refused(["keys", "update"], /Missing required argument: id/)
      for (const id of ["", ".."]) yield* refused(["keys", "revoke", id], /<id>.*key_/)
    })
  )

  it.effect("keys revoke", () =>
    Effect.gen(function* () {
      const answers = { [`DELETE /admin/keys/${key.id}`]: { body: { ...key, status: "revoked" } } }
      const { stdout } = yield* against(answers, ["keys", "revoke", key.id])
      assert.match(stdout, /^key_abcdefghijkl is revoked/)
    })
  )

  it.effect("keys rotate shows the new secret alone on stdout", () =>
    Effect.gen(function* () {
      const answers = { [`POST /admin/keys/${key.id}/rotate`]: { body: { ...key, key: SECRET } } }
      const { bodies, stdout } = yield* against(answers, ["keys", "rotate", key.id, "--grace", "24h"])
      assert.deepStrictEqual(bodies, [{ grace_seconds: 86_400 }])
      assert.strictEqual(stdout, `${SECRET}\n`)
    })
  )

  it.effect("that does not exist: the gateway's words, exit code 1", () =>
    Effect.gen(function* () {
      const body = {
        error: { type: "invalid_request_error", message: "There is no key key_x.", param: null, code: "not_found" }
      }
      const { code, stderr } = yield* against({ "GET /admin/keys/key_x": { status: 404, body } }, [
        "keys",
        "show",
        "key_x"
      ])
      assert.deepStrictEqual([code, stderr], [1, "There is no key key_x.\n"])
    })
  )

  it.effect("with strange ids stays one path segment", () =>
    Effect.gen(function* () {
      const { asked } = yield* against({}, ["keys", "show", "key_../spend?x=/y"])
      assert.strictEqual(asked[0]?.path, "/admin/keys/key_..%2Fspend%3Fx%3D%2Fy")
    })
  )

  it.effect("given by its name says how its id is found, and asks nobody", () =>
    Effect.gen(function* () {
      const { asked, code, stderr } = yield* against({}, ["keys", "revoke", "my-app"])
      assert.deepStrictEqual([code, asked.length], [2, 0])
      assert.include(
        stderr,
        "<id> takes the id of a key such as key_4f9K2mQ7aZx1 (model-gateway keys list --search NAME"
      )
      assert.include(stderr, 'not "my-app"')
    })
  )
})
