/** Several processes behind one port, as users run them: `server: { workers: 3 }`. What one process promises, they promise together. */
import { readFileSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { childrenOf } from "../../support/GatewayProcess.ts"
import { eventually, until } from "../../support/Patience.ts"
import { type Answered, call, open } from "../../support/RawHttp.ts"
import { ledgerOf, masterKey } from "../../support/RunningGateway.ts"
import { closedBooks, servingProcess, startingProcess } from "../Serving.ts"

const WORKERS = 3

const serving = servingProcess(`, workers: ${WORKERS}`, ", bounds: { reasoning_tokens: 0 }")

type Serving = Effect.Success<typeof serving>

const admin = ({ url }: Serving, method: string, path: string, body?: unknown) =>
  call(url, { method, path, key: masterKey, ...(body === undefined ? {} : { body }) })

/** Its worst case is 50 tokens written and some read: a tenth of a cent. */
const asked = ({ url, wish }: Serving, key: string, model = "m", headers: Readonly<Record<string, string>> = {}) =>
  call(url, { ...wish(model, false, headers), key })

const keyWith = (gateway: Serving, body: object) =>
  Effect.map(admin(gateway, "POST", "/admin/keys", body), ({ json, status }) => {
    assert.strictEqual(status, 201)
    return { id: String(json.id), secret: String(json.key) }
  })

const statuses = (answers: ReadonlyArray<{ readonly status: number }>) =>
  answers.reduce<Record<number, number>>(
    (counts, { status }) => ({ ...counts, [status]: (counts[status] ?? 0) + 1 }),
    {}
  )

const together = { concurrency: "unbounded" } as const

describe("workers", () => {
  it.live("share a key's limits and budget exactly, and are one gateway to whoever looks", () =>
    Effect.gen(function* () {
      const gateway = yield* serving
      assert.strictEqual(childrenOf(gateway.pid).length, WORKERS)

      const limited = yield* keyWith(gateway, { limits: { rpm: 20 } })
      const answers: Array<Answered> = []
      const admitted = () => answers.filter(({ status }) => status === 200).length
      // Who is refused while a share is on its way comes again.
      for (let round = 0; round < 30 && admitted() < 20; round++) {
        answers.push(...(yield* Effect.replicateEffect(asked(gateway, limited.secret), 10, together)))
        yield* Effect.sleep("300 millis")
      }
      answers.push(...(yield* Effect.replicateEffect(asked(gateway, limited.secret), 10, together)))
      assert.strictEqual(admitted(), 20)
      const refused = answers.find(({ status }) => status === 429)
      assert.isAtMost(Number(refused?.headers["retry-after"]), 60)

      // 12 tokens read and 4 written cost 20,000 nano-USD each time, and might cost more than 100,000.
      const paying = yield* keyWith(gateway, { budgets: [{ usd: 0.002, window: "day" }] })
      let paid = 0
      for (let round = 0; round < 40; round++) {
        const some = yield* Effect.replicateEffect(asked(gateway, paying.secret), 5, together)
        paid += some.filter(({ status }) => status === 200).length
      }
      const { json: key } = yield* admin(gateway, "GET", `/admin/keys/${paying.id}`)
      assert.strictEqual(key.budgets[0].spent_usd, (paid * 20_000) / 1e9)
      assert.strictEqual(key.budgets[0].reserved_usd, 0)
      assert.isAtMost(paid, 100)
      // All but a part that is too small for a worst case.
      assert.isAbove(paid, 80)

      const repeats = yield* Effect.replicateEffect(
        asked(gateway, (yield* keyWith(gateway, {})).secret, "m", { "idempotency-key": "once" }),
        6,
        together
      )
      assert.strictEqual(new Set(repeats.filter(({ status }) => status === 200).map(({ text }) => text)).size, 1)

      const [first] = answers.filter(({ status }) => status === 200)
      const receipt = `/v1/receipts/${String(first?.headers["x-gateway-receipt-id"])}`
      const found = yield* Effect.replicateEffect(
        call(gateway.url, { method: "GET", path: receipt, key: limited.secret }),
        6
      )
      assert.deepStrictEqual(statuses(found), { 200: 6 })
      const metrics = yield* call(gateway.url, { method: "GET", path: "/metrics" })
      assert.match(metrics.text, /gateway_process_resident_memory_bytes\{worker="3"\} [1-9]/)
      assert.match(metrics.text, /gateway_share_questions_total [1-9]/)
      const { json: nodes } = yield* admin(gateway, "GET", "/admin/nodes")
      assert.deepStrictEqual(
        nodes.data.map(({ id, is_this, state }: Record<string, unknown>) => [id, is_this, state]),
        [
          [0, true, "working"],
          [1, false, "working"],
          [2, false, "working"],
          [3, false, "working"]
        ]
      )
      assert.isTrue(nodes.data.some(({ shares_held }: { shares_held: number }) => shares_held > 0))
      assert.match(metrics.text, /gateway_requests_total\{[^}]*status="ok"[^}]*\} \d\d/)
      assert.strictEqual(yield* gateway.end("SIGTERM"), 0)
      yield* closedBooks(gateway.store)
    })
  )

  it.live("count tokens that nobody expected at once, whichever of them was told of them", () =>
    Effect.gen(function* () {
      const gateway = yield* serving
      const { secret } = yield* keyWith(gateway, { limits: { tpm: 1_000 } })
      // Each has a share with room for more.
      assert.include(statuses(yield* Effect.replicateEffect(asked(gateway, secret), 6, together)), { 200: 6 })
      assert.strictEqual((yield* asked(gateway, secret, "long")).status, 200)
      const after = yield* Effect.replicateEffect(asked(gateway, secret), 12, together)
      assert.deepStrictEqual(statuses(after), { 429: 12 })
      assert.deepInclude(after[0]?.json.error, { kind: "tpm", limit: 1_000 })
    })
  )

  it.live("a key that is revoked opens no worker any more when DELETE returns", () =>
    Effect.gen(function* () {
      const gateway = yield* serving
      for (let round = 0; round < 20; round++) {
        const { id, secret } = yield* keyWith(gateway, {})
        const before = yield* Effect.replicateEffect(asked(gateway, secret), 6, together)
        assert.deepStrictEqual(statuses(before), { 200: 6 })
        assert.strictEqual((yield* admin(gateway, "DELETE", `/admin/keys/${id}`)).status, 200)
        const after = yield* Effect.replicateEffect(asked(gateway, secret), 6, together)
        assert.deepStrictEqual(statuses(after), { 401: 6 })
      }
    })
  )

  it.live("DELETE does not wait for a frozen worker for ever: it is ended, and another one takes its place", () =>
    Effect.gen(function* () {
      const gateway = yield* serving
      const { id } = yield* keyWith(gateway, {})
      const [frozen] = childrenOf(gateway.pid)
      process.kill(frozen!, "SIGSTOP")
      // One of them may come to the frozen worker.
      const deleted = admin(gateway, "DELETE", `/admin/keys/${id}`).pipe(Effect.timeout("20 seconds"))
      const deletions = yield* Effect.replicateEffect(Effect.exit(deleted), WORKERS, together)
      assert.isTrue(deletions.some((exit) => Exit.isSuccess(exit) && exit.value.status === 200))
      assert.notInclude(childrenOf(gateway.pid), frozen)
      yield* until(() => childrenOf(gateway.pid).length === WORKERS)
      assert.match(gateway.stderr(), /worker \d \(process \d+\) (did not do|says nothing)/)
    })
  )

  it.live("a killed worker takes only its own requests along: they are booked, and another one takes its place", () =>
    Effect.gen(function* () {
      const gateway = yield* serving
      const { secret } = yield* keyWith(gateway, { limits: { max_parallel: 12 } })
      const streams = yield* Effect.forEach(
        Array.from({ length: 6 }),
        () => open(gateway.url, { ...gateway.wish("hang", true), key: secret }),
        together
      )
      assert.isTrue(streams.every(({ response }) => response.statusCode === 200))
      const broken = streams.map(({ response }) => {
        const state = { isBroken: false }
        response.once("close", () => (state.isBroken = !response.complete))
        return state
      })
      const [killed] = childrenOf(gateway.pid)
      process.kill(killed!, "SIGKILL")
      const abandoned = () => ledgerOf(gateway.store).filter(({ status }) => status === "abandoned").length
      yield* until(() => abandoned() > 0)
      const lost = abandoned()
      assert.isBelow(lost, 6)
      yield* until(() => broken.filter(({ isBroken }) => isBroken).length === lost)
      // Their slots are free at once: with those of the others twelve run.
      const rest = yield* Effect.replicateEffect(
        open(gateway.url, { ...gateway.wish("hang", true), key: secret }),
        6 + lost
      )
      assert.isTrue(rest.every(({ response }) => response.statusCode === 200))
      yield* until(() => ledgerOf(gateway.store).filter(({ status }) => status === "reserved").length === 12)
      assert.strictEqual((yield* asked(gateway, secret, "hang")).status, 429)
      yield* until(() => childrenOf(gateway.pid).length === WORKERS)
      assert.strictEqual((yield* asked(gateway, (yield* keyWith(gateway, {})).secret)).status, 200)
    })
  )

  it.live("a signal to end lets calls in every worker run to their end", () =>
    Effect.gen(function* () {
      const gateway = yield* serving
      const calls = yield* Effect.forEach(Array.from({ length: 6 }), () =>
        Effect.forkChild(gateway.chat("gated", true))
      )
      yield* gateway.askedFor(6)
      const ended = yield* Effect.forkChild(gateway.end("SIGTERM"))
      yield* eventually(call(gateway.url, { method: "GET", path: "/readyz" }), ({ status }) => status === 503)
      gateway.finish()
      for (const fiber of calls) assert.isTrue((yield* Fiber.join(fiber)).text.endsWith("data: [DONE]\n\n"))
      assert.strictEqual(yield* Fiber.join(ended), 0)
      const books = yield* closedBooks(gateway.store)
      assert.deepStrictEqual(new Set(books.map(({ status }) => status)), new Set(["settled"]))
    })
  )

  it.live("a signal to end is heard by workers that only just start", () =>
    Effect.gen(function* () {
      const gateway = yield* startingProcess(`, workers: ${WORKERS}`, 'process.stderr.write("begins\\n")')
      yield* until(() => gateway.stderr().split("begins").length - 1 === 1 + WORKERS)
      const code = yield* Effect.timeout(gateway.end("SIGTERM"), "20 seconds")
      assert.strictEqual(code, 0)
    })
  )

  it.live("the others serve on while no other worker can be started in a dead one's place", () =>
    Effect.gen(function* () {
      const swapped = `let other = "/gone/node"
        process.on("SIGUSR2", () => ([process.execPath, other] = [other, process.execPath]))`
      const gateway = yield* servingProcess(`, workers: ${WORKERS}`, "", swapped)
      const [killed] = childrenOf(gateway.pid)
      gateway.signal("SIGUSR2")
      process.kill(killed!, "SIGKILL")
      yield* until(() => /worker \d could not be started: spawn \/gone\/node ENOENT/.test(gateway.stderr()))
      assert.strictEqual((yield* gateway.chat("m", false)).status, 200)
      gateway.signal("SIGUSR2")
      yield* until(() => childrenOf(gateway.pid).length === WORKERS)
      assert.strictEqual(yield* gateway.end("SIGTERM"), 0)
    })
  )

  it.live("a reload is in force in every worker, or in none", () =>
    Effect.gen(function* () {
      const gateway = yield* serving
      const text = readFileSync(gateway.config, "utf8")
      const { secret } = yield* keyWith(gateway, {})
      const alias = () =>
        Effect.map(
          Effect.replicateEffect(
            call(gateway.url, { ...gateway.wish("m", false), key: secret, body: named }),
            9,
            together
          ),
          statuses
        )
      const named = { model: "fast", max_tokens: 5, messages: [{ role: "user", content: "Hi" }] }
      assert.deepStrictEqual(yield* alias(), { 404: 9 })
      writeFileSync(gateway.config, `${text}models: { fast: up/m }\n`)
      assert.strictEqual((yield* admin(gateway, "POST", "/admin/config/reload")).status, 200)
      assert.deepStrictEqual(yield* alias(), { 200: 9 })
      writeFileSync(gateway.config, `${text}models: { fast: nowhere }\n`)
      assert.strictEqual((yield* admin(gateway, "POST", "/admin/config/reload")).status, 400)
      assert.deepStrictEqual(yield* alias(), { 200: 9 })
    })
  )
})
