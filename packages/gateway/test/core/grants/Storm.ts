/** Nodes that are asked at once while messages are under way: none admits more than the limit has left, and what is left is of use. */
import { assert } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { StoreUnavailable } from "../../../src/core/domain/Errors.ts"
import { GrantOwner, type Member } from "./GrantOwner.ts"
import { Grants, type SharedGrants } from "../../../src/core/grants/Grants.ts"
import { Listeners } from "../../../src/core/grants/Listeners.ts"
import { RateLimiter } from "../../../src/core/limits/RateLimiter.ts"
import { callerWith, noLimits, NOW, seeded } from "../call/Support.ts"

const TEAM_TPM = 1_500
const NODES = 3
/** Until a node that could not reach the owner tells it what it used. */
const TOLD_MS = 1_000

interface Storm {
  readonly seed: number
  readonly rounds: number
  /** A message takes less than so long. */
  readonly latencyMs: number
  /** Whether calls and answers arrive in the order in which they were sent. */
  readonly isOrdered: boolean
  /** An administrator changes the limit now and then. */
  readonly isChanged: boolean
  /** There are two keys, and their team has a limit, too. */
  readonly hasTeam: boolean
  /** Now and then nobody can ask. */
  readonly hasOutages: boolean
}

interface Used {
  readonly at: number
  readonly key: string
  tokens: number
}

/** Messages one way: they arrive in their order, each after a while. */
const wayOf = (chance: ReturnType<typeof seeded>, latencyMs: number) => {
  let last = 0
  return Effect.gen(function* () {
    if (latencyMs === 0) return
    const now = yield* Clock.currentTimeMillis
    last = Math.max(last + 1, now + chance.below(latencyMs))
    yield* Effect.sleep(last - now)
  })
}

/** → how many were admitted. */
export const storm = ({ hasOutages, hasTeam, isChanged, isOrdered, latencyMs, rounds, seed }: Storm) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(NOW)
    const chance = seeded(seed)
    const clock = yield* Clock.Clock
    const now = () => clock.currentTimeMillisUnsafe()
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const owner = new GrantOwner({ clock, open: () => Effect.succeed(0) })
    let isUp = true

    const join = Effect.gen(function* () {
      const listeners = new Listeners()
      const [up, down] = [wayOf(chance, latencyMs), wayOf(chance, latencyMs)]
      const called = isOrdered ? down : wayOf(chance, latencyMs)
      const member: Member = {
        call: (call) =>
          Effect.gen(function* () {
            yield* called
            const given = listeners.answer(call)
            yield* up
            owner.given(member, [{ share: call.share, amount: given.amount }])
            return given
          }).pipe(Effect.forkDetach, Effect.flatMap(Fiber.join))
      }
      owner.join(member)
      const grants: SharedGrants = {
        isInForce: () => true,
        ask: (asks) =>
          Effect.suspend(() =>
            isUp
              ? Effect.andThen(
                  up,
                  Effect.tap(owner.ask(member, asks), () => down)
                )
              : Effect.fail(new StoreUnavailable({ message: "The owner of the limits can't be reached." }))
          ),
        give: (gives) =>
          void run(
            Effect.andThen(
              up,
              Effect.sync(() => owner.given(member, gives))
            )
          ),
        called: listeners.add,
        standing: () => Effect.succeed([])
      }
      const limiter = Layer.provide(Layer.fresh(RateLimiter.layerMemory), Layer.succeed(Grants, grants))
      return yield* Effect.provideContext(RateLimiter, yield* Layer.build(limiter))
    })
    const nodes = yield* Effect.replicateEffect(join, NODES)

    let tpm = 1_000
    let admitted = 0
    const keys = hasTeam ? ["key_a", "key_b"] : ["key_a"]
    const used: Array<Used> = []
    const untold: Array<Used> = []
    const running: Array<(times: number) => Effect.Effect<void, StoreUnavailable>> = []
    const story: Array<string> = []
    const told = () => [`seed ${seed}`, ...story.slice(-60)].join("\n")
    const usedOf = (key?: string) => {
      const counted = used.filter((one) => one.at > now() - 60_000 && (key === undefined || one.key === key))
      return counted.reduce((sum, { tokens }) => sum + tokens, 0)
    }
    const freeOf = (key: string) => Math.min(tpm - usedOf(key), hasTeam ? TEAM_TPM - usedOf() : Infinity)

    const change = Effect.sync(() => {
      if (!isChanged || chance.next() > 0.3) return
      tpm = 200 + chance.below(1_500)
      story.push(`${now() - NOW}: the limit is ${tpm}`)
    })
    /** Keys that come once: for each of them a node forgets others that are idle. */
    let others = 0
    const admitOther = Effect.suspend(() => {
      const caller = callerWith({ id: `other_${others++}`, limits: { ...noLimits, tpm: 10 } })
      return Effect.scoped(chance.pick(nodes).admit(caller, 1))
    })
    const admit = Effect.fnUntraced(function* (node: number, key: string, expected: number) {
      const limit = tpm
      const team = hasTeam ? { limits: { ...noLimits, tpm: TEAM_TPM } } : undefined
      const caller = callerWith({ id: key, limits: { ...noLimits, tpm } }, team)
      const exit = yield* Effect.exit(Effect.scoped(nodes[node]!.admit(caller, expected)))
      const counted = Math.min(expected, limit)
      story.push(`${now() - NOW}: ${counted} of ${limit} for ${key} at node ${node}: ${exit._tag}`)
      if (Exit.isFailure(exit)) return false
      // One that came before the change is no part of the question.
      if (limit === tpm) assert.isAtMost(counted, freeOf(key), told())
      admitted++
      const one: Used = { at: now(), key, tokens: counted }
      used.push(one)
      running.push((times) =>
        Effect.gen(function* () {
          const tokens = Math.floor(counted * times)
          const late = { at: now(), key, tokens: tokens - counted }
          if (late.tokens < 0) one.tokens = tokens
          yield* exit.value.settle(tokens)
          story.push(`${now() - NOW}: ${counted} for ${key} at node ${node} became ${tokens}`)
          if (late.tokens > 0) (isUp ? used : untold).push(late)
        })
      )
      return true
    })

    let fibers: ReadonlyArray<Fiber.Fiber<unknown, unknown>> = []
    const fork = (effect: Effect.Effect<unknown, unknown>) =>
      Effect.map(Effect.forkChild(effect), (fiber) => void (fibers = [...fibers, fiber]))
    /** Until all that was asked is answered, and all that was said has arrived. */
    const calm = Effect.gen(function* () {
      while (fibers.some((fiber) => fiber.pollUnsafe() === undefined)) yield* TestClock.adjust(5)
      yield* Effect.forEach(fibers, Fiber.join, { discard: true })
      fibers = []
      yield* TestClock.adjust(4 * latencyMs + 30)
    })

    for (let round = 0; round < rounds; round++) {
      isUp = !hasOutages || chance.next() < 0.7
      for (let index = 1 + chance.below(12); index > 0; index--) {
        if (running.length > 0 && chance.next() < 0.45) {
          const [settle] = running.splice(chance.below(running.length), 1)
          yield* fork(settle!(chance.pick([0, 0.3, 1, 1.5, 2, 4])))
        } else {
          const expected = 1 + chance.below(chance.pick([20, 100, 400]))
          yield* fork(admit(chance.below(NODES), chance.pick(keys), expected))
        }
        if (chance.next() < 0.5) yield* TestClock.adjust(1 + chance.below(chance.pick([5, 30])))
      }
      if (chance.next() < 0.5) yield* fork(Effect.ignore(Effect.replicateEffect(admitOther, 5)))
      if (isUp && chance.next() < 0.5) {
        yield* change
        continue
      }
      yield* calm
      if (!isUp) {
        isUp = true
        yield* TestClock.adjust(TOLD_MS)
        yield* TestClock.adjust(300)
        used.push(...untold.splice(0))
      }
      const key = chance.pick(keys)
      const free = freeOf(key)
      if (free > 0 && chance.next() < 0.5) {
        yield* fork(
          Effect.map(admit(chance.below(NODES), key, free), (isAdmitted) => assert.isTrue(isAdmitted, told()))
        )
        yield* calm
      }
      yield* change
      yield* TestClock.adjust(chance.below(chance.pick([100, 20_000, 70_000])))
    }
    yield* calm
    return admitted
  }).pipe(Effect.scoped)
