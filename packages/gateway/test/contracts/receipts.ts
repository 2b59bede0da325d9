/** What every ReceiptArchive keeps to. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { noRates } from "../../src/core/domain/pricing/Pricing.ts"
import { firstIdAt } from "../../src/core/domain/RequestIds.ts"
import type { Receipt } from "../../src/core/receipts/Receipt.ts"
import { ReceiptArchive } from "../../src/core/receipts/ReceiptArchive.ts"
import { HOUR, NOW, receipt, anyReceipt, listed } from "../storage/Support.ts"

const DAY = 24 * HOUR

const add = (...receipts: ReadonlyArray<Receipt>) =>
  Effect.map(ReceiptArchive, (archive) => {
    for (const one of receipts) archive.add(one)
  })

const found = (id: string) => Effect.flatMap(ReceiptArchive, (archive) => archive.find(id))

const many = (from: number, to: number, fields: Partial<Receipt> = {}) =>
  Array.from({ length: to - from }, (_, index) => receipt({ requestId: `req_${from + index}`, ...fields }))

const idAt = (at: number, rest = "0") => firstIdAt(at) + rest.repeat(15)

export const receiptsContract = <E>(name: string, layer: Layer.Layer<ReceiptArchive, E>) =>
  describe(`ReceiptArchive · ${name}`, () => {
    it.effect("lists from the newest, in pages that new ones do not move", () =>
      Effect.gen(function* () {
        const archive = yield* ReceiptArchive
        yield* add(...many(0, 5))
        const first = Option.getOrThrow(yield* archive.list({ ...anyReceipt, limit: 2 }))
        assert.deepStrictEqual(
          [first.receipts.map(({ requestId }) => requestId), first.hasMore],
          [["req_4", "req_3"], true]
        )
        yield* add(...many(5, 8))
        assert.deepStrictEqual(yield* listed({ limit: 2, after: "rcpt_3" }), ["req_2", "req_1"])
        const last = Option.getOrThrow(yield* archive.list({ ...anyReceipt, limit: 1, after: "req_1" }))
        assert.deepStrictEqual([last.receipts.length, last.hasMore], [1, false])
        assert.isTrue(Option.isNone(yield* archive.list({ ...anyReceipt, after: "rcpt_nobody" })))
        assert.lengthOf(yield* listed(), 8)
      }).pipe(Effect.provide(layer))
    )

    it.effect("stops a search for rare ones after a while, and goes on from there", () =>
      Effect.gen(function* () {
        const archive = yield* ReceiptArchive
        yield* add(receipt({ requestId: "req_rare", bucket: "rare" }))
        yield* add(...many(0, 45_000))
        let after: string | undefined
        let searches = 0
        const found: Array<string> = []
        do {
          const page = Option.getOrThrow(yield* archive.list({ ...anyReceipt, bucket: "rare", after }))
          found.push(...page.receipts.map(({ requestId }) => requestId))
          assert.strictEqual(page.hasMore, page.scannedTo !== undefined)
          after = page.scannedTo?.requestId
          searches++
        } while (after !== undefined)
        assert.deepStrictEqual(found, ["req_rare"])
        assert.isAtLeast(searches, 2)
        assert.isAtMost(searches, 4)
        yield* archive.rate("rcpt_rare", 1)
        const rated = Option.getOrThrow(yield* archive.list({ ...anyReceipt, feedback: "good" }))
        assert.strictEqual(rated.receipts[0]?.requestId, "req_rare")
        assert.isUndefined(rated.scannedTo)
      }).pipe(Effect.provide(layer))
    )

    it.effect("lists by key, team, model, status and time", () =>
      Effect.gen(function* () {
        yield* add(
          receipt({ requestId: "req_1", keyId: "key_1", requestedModel: "fast" }),
          receipt({ requestId: "req_2", team: "blue", provider: "other", model: "m" }),
          receipt({ requestId: "req_3", status: "cut", deployment: "eu", at: NOW + HOUR })
        )
        assert.deepStrictEqual(yield* listed({ key: "key_1" }), ["req_1"])
        assert.deepStrictEqual(yield* listed({ team: "blue" }), ["req_2"])
        for (const model of ["m", "other/m"]) assert.deepStrictEqual(yield* listed({ model }), ["req_2"])
        assert.deepStrictEqual(yield* listed({ model: "fast" }), ["req_1"])
        assert.deepStrictEqual(yield* listed({ model: "eu" }), ["req_3"])
        assert.deepStrictEqual(yield* listed({ status: "cut" }), ["req_3"])
        assert.deepStrictEqual(yield* listed({ from: NOW + 1 }), ["req_3"])
        assert.deepStrictEqual(yield* listed({ to: NOW + HOUR }), ["req_2", "req_1"])
        assert.deepStrictEqual(yield* listed({ key: "key_1", status: "cut" }), [])
      }).pipe(Effect.provide(layer))
    )

    it.effect("keeps refusals, names of keys and what providers said, and finds them by key and error", () =>
      Effect.gen(function* () {
        const made = receipt({ requestId: "req_said", keyName: "ci", status: "failed" })
        const error = { message: 'Slow "down" \u202e', code: "slow_down", type: null }
        const said: Receipt = {
          ...made,
          attempts: made.attempts.map((attempt, index) => ({
            ...attempt,
            ...(index === 0 ? { adapted: ["temperature", "input.\u202ex"] } : undefined),
            outcome: "rate_limited",
            httpStatus: 429,
            error
          }))
        }
        const refused: Receipt = {
          ...receipt({ requestId: "req_refused", keyId: "", keyName: null, team: null, status: "refused" }),
          attempts: [],
          limit: "rpm",
          refusal: { method: "POST", httpStatus: 429, code: "rate_limit_exceeded", message: "Wait.", count: 17 }
        }
        yield* add(said, refused)
        const archive = yield* ReceiptArchive
        const list = Effect.map(archive.list(anyReceipt), (page) => Option.getOrThrow(page).receipts)
        for (const stored of [yield* Effect.map(found("req_refused"), Option.getOrThrow), (yield* list)[0]!]) {
          assert.deepInclude(stored, { keyId: "", keyName: null, limit: "rpm", refusal: refused.refusal })
        }
        const stored = (yield* list)[1]!
        assert.strictEqual(stored.keyName, "ci")
        assert.deepStrictEqual(
          stored.attempts.map(({ adapted, error }) => [adapted, error]),
          said.attempts.map(({ adapted, error }) => [adapted, error])
        )
        assert.deepStrictEqual(yield* listed({ key: "ci" }), ["req_said"])
        assert.deepStrictEqual(yield* listed({ key: "" }), ["req_refused"])
        for (const name of ["rate_limited", "slow_down"]) {
          assert.deepStrictEqual(yield* listed({ error: name }), ["req_said"])
        }
        assert.deepStrictEqual(yield* listed({ error: "rate_limit_exceeded" }), ["req_refused"])
        assert.deepStrictEqual(yield* listed({ q: "CI" }), ["req_said"])
      }).pipe(Effect.provide(layer))
    )

    it.effect("tells how each was decided and what it was billed at", () =>
      Effect.gen(function* () {
        const made = receipt({ requestId: "req_told" })
        const told: Receipt = {
          ...made,
          reasons: ["auto: score 0.1234 is below 0.35, bucket simple", "code marks +0.12", "length -0.05"],
          cutPoints: [0.35, 0.65],
          features: [
            { name: "code marks", value: 3.25, added: 0.1204 },
            { name: "length", value: 0, added: -0.0513 }
          ],
          considered: [
            { deployment: "openai/gpt-5-mini", fate: "chosen", why: null, isForbidden: false },
            { deployment: "x/y,1c", fate: "unhealthy", why: "its circuit is open, 2 ways", isForbidden: false },
            { deployment: "secret", fate: "filtered", why: "secret was skipped", isForbidden: true },
            { deployment: "weak", fate: "lower_bucket", why: "its bucket is below simple", isForbidden: false }
          ],
          sessionId: "thread-7",
          endUser: "user-42",
          baseline: 4_321,
          limit: "budget",
          fullBudget: { scope: "team", window: "month", limit: 5_000_000_000_000, used: 4_999_999_999_999, needed: 2 },
          attempts: made.attempts.map((attempt, index) =>
            index === 0 ? attempt : { ...attempt, rates: { ...noRates, input: 37_500, output: 8, images: Number.NaN } }
          )
        }
        const named: Receipt = { ...made, requestId: "req_named", considered: told.considered?.slice(0, 1) }
        const fullBudget = { ...told.fullBudget!, scope: "end_user" } as const
        const refused: Receipt = { ...named, requestId: "req_refused", limit: "budget", fullBudget }
        yield* add(told, named, refused, { ...made, requestId: "req_old" })
        yield* listed()
        for (const one of [told, named, refused, { ...made, requestId: "req_old" }]) {
          assert.deepStrictEqual(Option.getOrThrow(yield* found(one.requestId)), one)
        }
      }).pipe(Effect.provide(layer))
    )

    it.effect("looks at no more than it is asked to, and says where it stopped", () =>
      Effect.gen(function* () {
        const archive = yield* ReceiptArchive
        yield* add(receipt({ requestId: "req_failed", status: "failed" }))
        yield* add(...many(0, 5_000), receipt({ requestId: "req_cut", status: "cut" }))
        const statuses = ["failed", "cut"] as const
        assert.deepStrictEqual(yield* listed({ statuses }), ["req_cut", "req_failed"])
        const few = Option.getOrThrow(yield* archive.list({ ...anyReceipt, statuses, atMost: 1_000 }))
        assert.deepStrictEqual(
          few.receipts.map(({ requestId }) => requestId),
          ["req_cut"]
        )
        assert.isTrue(few.hasMore)
        assert.isDefined(few.scannedTo)
      }).pipe(Effect.provide(layer))
    )

    it.effect("finds a rare one among thousands", () =>
      Effect.gen(function* () {
        yield* add(receipt({ requestId: "req_rare", keyId: "key_rare" }))
        yield* add(...many(0, 10_000, { at: NOW + HOUR }))
        assert.deepStrictEqual(yield* listed({ key: "key_rare" }), ["req_rare"])
        assert.deepStrictEqual(yield* listed({ key: "key_rare", from: NOW, limit: 1 }), ["req_rare"])
        assert.strictEqual(Option.getOrThrow(yield* found("rcpt_rare")).keyId, "key_rare")
        assert.deepStrictEqual(yield* listed({ after: "req_1", limit: 2 }), ["req_0", "req_rare"])
        assert.deepStrictEqual(yield* listed({ key: "key_rare", from: NOW + 3 * HOUR }), [])
      }).pipe(Effect.provide(layer))
    )

    it.effect("is found however long the request took, up to two days", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(NOW)
        const long = idAt(NOW, "a")
        yield* add(receipt({ requestId: idAt(NOW + 2 * DAY - 1) }), receipt({ requestId: long }))
        yield* listed()
        assert.strictEqual(Option.getOrThrow(yield* found(long)).requestId, long)
      }).pipe(Effect.provide(layer))
    )
  })
