/** What an agent does with models in a working day. Each journey ends in less than a quarter of an hour, or fails. */
import assert from "node:assert/strict"
import { Effect, type Scope } from "effect"
import type { Heard, Script, Step } from "../../../packages/gateway/test/catalogue/refusing/VendorServer.ts"
import type { DidNotStart } from "../../../packages/gateway/test/support/GatewayProcess.ts"
import type { Driver } from "./Drivers.ts"
import { aliasOf, anyOf, type Journey, travel, type VendorName, vendors } from "./Fleet.ts"

const TURNS = 20
const PROMPT = "Do all of the task."
const DONE = { say: "All of it is done." }
const TITLE = { say: "A title" }
const SUMMARY = { say: "<summary>The task is half done.</summary>" }

const hasTools = ({ functions, hosted }: Heard["seen"]): boolean => functions.length + hosted.length > 0

/** A step that reads the conversation before it. */
type Next = Step | ((conversation: string) => Step)

/** Each call with tools takes the next step, and the last one again and again; agents also ask for titles. */
const following = (...steps: ReadonlyArray<Next>): Script => {
  let next = 0
  return (seen) => {
    if (!hasTools(seen)) return TITLE
    const step = steps[Math.min(next++, steps.length - 1)] ?? DONE
    return typeof step === "function" ? step(JSON.stringify(seen.body)) : step
  }
}

/** A loop in which every fifth turn has two calls. */
const loopOf = ({ shell }: Driver, turns = TURNS): ReadonlyArray<Step> => [
  ...Array.from({ length: turns - 1 }, (_, turn) =>
    (turn % 5 === 4 ? [turn, turn + 100] : [turn]).map((number) => shell(`echo result-${number}-`))
  ),
  DONE
]

const conversation = (heard: ReadonlyArray<Heard>): string =>
  JSON.stringify(heard.findLast(({ seen }) => hasTools(seen))?.seen.body)

/** Every result of the loop is in the last request. */
const hasResults = (heard: ReadonlyArray<Heard>, turns = TURNS) => {
  const text = conversation(heard)
  for (let turn = 0; turn < turns - 1; turn++) assert.match(text, new RegExp(`[^ ]result-${turn}-`))
}

/** Calls come back with the ids that their vendor gave them: call and result. */
const hasIds = (heard: ReadonlyArray<Heard>) => {
  const text = conversation(heard)
  for (const id of heard.flatMap(({ ids = [] }) => ids)) {
    assert.ok(text.split(JSON.stringify(id)).length > 2, `The id ${id} did not come back.`)
  }
}

/** Where the agent's own API is not spoken. */
const foreign: { readonly [V in Driver["vendor"]]: VendorName } = {
  anthropic: "openai",
  openai: "anthropic",
  "google-ai-studio": "anthropic",
  moonshot: "google-ai-studio"
}

interface Part {
  readonly part: string
  readonly name: string
  /** Left out: every agent. */
  readonly of?: (driver: Driver) => boolean
  readonly run: (journey: Journey) => Effect.Effect<unknown, DidNotStart, Scope.Scope>
}

const one = (driver: Driver, model = driver.model, picture = false) => [{ text: PROMPT, model, picture }]

const share = (heard: ReadonlyArray<Heard>): number => {
  const calls = heard.filter(({ seen, status }) => status === 200 && hasTools(seen))
  const sum = (field: "input" | "cached") => calls.reduce((total, call) => total + (call[field] ?? 0), 0)
  return sum("cached") / sum("input")
}

const loop: Part = {
  part: "loop",
  name: `a loop of ${TURNS} turns with parallel calls, at another vendor`,
  run: Effect.fnUntraced(function* (journey) {
    const { driver } = journey
    const { answered, output } = yield* travel(
      journey,
      following(...loopOf(driver)),
      one(driver, aliasOf(foreign[driver.vendor]))
    )
    hasResults(answered)
    assert.match(output, new RegExp(DONE.say))
  })
}

const cache: Part = {
  part: "cache",
  name: `the same loop at its own vendor reads as much from the prompt cache as without the gateway`,
  run: Effect.fnUntraced(function* (journey) {
    const { driver } = journey
    const direct = yield* travel(journey, following(...loopOf(driver)), one(driver), { direct: true })
    const through = yield* travel(journey, following(...loopOf(driver)), one(driver))
    hasResults(through.answered)
    // Gemini CLI gives calls ids of its own.
    if (driver.vendor !== "google-ai-studio") hasIds(through.answered)
    const [least, got] = [0.95 * share(direct.answered), share(through.answered)]
    assert.ok(share(direct.answered) > 0.5, `${share(direct.answered)} of the direct run came from the cache`)
    assert.ok(got >= least, `${got.toFixed(3)} of the input came from the cache, expected ${least.toFixed(3)} at least`)
  })
}

const SUBTASK = "A smaller task: say hello."

const subagents: Part = {
  part: "subagents",
  name: "a subagent does a part of the task, and its words come back",
  // Gemini CLI offers none to a prompt.
  of: ({ vendor }) => vendor !== "google-ai-studio",
  run: Effect.fnUntraced(function* (journey) {
    const { driver } = journey
    const main = following(...driver.delegate(SUBTASK).map((use) => (text: string) => [use(text)]), DONE)
    const sub = following([driver.shell("echo from-the-subagent")], { say: "Hello." })
    const isSub = ({ body }: Heard["seen"]) => !JSON.stringify(body).includes(PROMPT)
    const { answered, output, vendor } = yield* travel(
      journey,
      (seen, number) => (isSub(seen) ? sub : main)(seen, number),
      one(driver, aliasOf(driver.vendor))
    )
    assert.match(output, new RegExp(DONE.say))
    const ofSub = answered.filter(({ seen }) => hasTools(seen) && isSub(seen))
    assert.equal(ofSub.length, 2, "calls of the subagent")
    assert.match(JSON.stringify(vendor.heard.at(-1)?.seen.body), /Hello\./)
  })
}

const compaction: Part = {
  part: "compaction",
  name: "a conversation that no longer fits is summed up, and goes on",
  // Gemini CLI sums up by its own count, and ends where the vendor says that.
  of: ({ vendor }) => vendor !== "google-ai-studio",
  run: Effect.fnUntraced(function* (journey) {
    const { driver } = journey
    const { asks, after } = driver.compaction
    const stops = after === "stops"
    const main = following([driver.shell("echo result-0-")], { tooLong: true }, DONE)
    let isFull = false
    const script: Script = (seen, number) => {
      if (isFull && asks(seen)) return SUMMARY
      const step = main(seen, number)
      isFull ||= "tooLong" in step
      return step
    }
    const prompts = stops ? [...one(driver), ...one(driver)] : one(driver)
    const fails = after === "goes on" ? 0 : 1
    const { answered, output, vendor } = yield* travel(journey, script, prompts, { fails })
    if (stops) assert.match(output, /ran out of room in the model's context window/)
    assert.match(output, new RegExp(DONE.say))
    assert.equal(vendor.heard.filter(({ status }) => status === 400).length, 1)
    assert.match(conversation(answered), /The task is half done/)
  })
}

const counting: Part = {
  part: "count-tokens",
  name: "tokens are counted, which costs nothing",
  of: ({ vendor }) => vendor === "anthropic",
  run: Effect.fnUntraced(function* (journey) {
    const { driver } = journey
    const { vendor } = yield* travel(journey, following(DONE), [{ text: "/context", model: driver.model }])
    assert.ok(vendor.counted.length > 0, "It counted nothing.")
  })
}

const images: Part = {
  part: "images",
  name: "pictures that a tool finds, and that come with the prompt, at another vendor",
  run: Effect.fnUntraced(function* (journey) {
    const { driver } = journey
    const script = following([driver.look], DONE)
    const isGemini = driver.vendor === "google-ai-studio"
    const prompts = one(driver, aliasOf(foreign[driver.vendor]), true)
    // Gemini CLI counts the tokens of a picture.
    const { answered } = yield* travel(journey, script, prompts, { counts: isGemini ? 1 : 0 })
    const last = answered.findLast(({ seen }) => hasTools(seen))
    assert.equal(last?.seen.images, driver.vendor === "anthropic" || isGemini ? 1 : 2)
  })
}

const mcp: Part = {
  part: "mcp",
  name: "a tool without parameters of an MCP server, at a vendor that wants properties",
  run: Effect.fnUntraced(function* (journey) {
    const { driver } = journey
    const script = following(...driver.cities.map((use) => [use]), DONE)
    const { answered } = yield* travel(journey, script, one(driver, aliasOf("openai")))
    assert.match(conversation(answered), /Paris and Rome/)
  })
}

const switching: Part = {
  part: "switch",
  name: "a conversation goes from Claude to GPT, Gemini and Kimi, and back: no call is refused",
  run: Effect.fnUntraced(function* (journey) {
    const { driver } = journey
    const others = vendors.filter((vendor) => vendor !== driver.vendor)
    const names = [driver.model, ...others.map(aliasOf), driver.model]
    const steps = names.flatMap((_, turn): ReadonlyArray<Step> => [
      [turn === 0 ? driver.look : driver.shell(`echo result-${2 * turn}-`)],
      [driver.shell(`echo result-${2 * turn + 1}-`), driver.shell("echo beside it")],
      DONE
    ])
    const prompts = names.map((model, turn) => ({ text: `${PROMPT} Part ${turn}.`, model }))
    const { answered } = yield* travel(journey, following(...steps), prompts)
    const visited = new Set(answered.map(({ seen }) => seen.vendor))
    assert.equal(visited.size, vendors.length)
    const text = conversation(answered)
    for (let number = 1; number < 2 * names.length; number++) assert.match(text, new RegExp(`[^ ]result-${number}-`))
    // The first vendor's thoughts come back to it, where the agent keeps them.
    if (driver.vendor === "openai") assert.match(text, /Thought 0|Thought 1/)
  })
}

const failover: Part = {
  part: "failover",
  name: "the vendor is overloaded, breaks off and limits the rate in the middle of a loop, and others go on",
  run: Effect.fnUntraced(function* (journey) {
    const { driver } = journey
    const turns = 12
    const loop = loopOf(driver, turns)
    const failing = new Map<number, Step>([
      [2, { fails: 529 }],
      [4, { fails: "reset" }],
      [6, { fails: 429 }],
      [8, { fails: 500 }]
    ])
    let next = 0
    const script: Script = (seen) => {
      if (!hasTools(seen)) return TITLE
      const failure = failing.get(next)
      failing.delete(next)
      return failure ?? loop[next++] ?? DONE
    }
    const { answered, output, vendor } = yield* travel(journey, script, one(driver, anyOf(driver.vendor)))
    assert.equal(failing.size, 0)
    assert.ok(new Set(answered.map(({ seen }) => seen.vendor)).size > 1, "Nobody else was called.")
    assert.equal(vendor.heard.filter(({ status }) => status !== 200).length, 4)
    hasResults(answered, turns)
    assert.match(output, new RegExp(DONE.say))
  })
}

export const journeys: ReadonlyArray<Part> = [
  loop,
  cache,
  subagents,
  compaction,
  counting,
  images,
  mcp,
  switching,
  failover
]
