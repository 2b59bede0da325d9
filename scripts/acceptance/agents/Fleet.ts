/** A gateway before vendors that refuse what the real ones refuse, and an agent that works through it. */
import assert from "node:assert/strict"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import {
  type Heard,
  type Script,
  vendorServer
} from "../../../packages/gateway/test/catalogue/refusing/VendorServer.ts"
import type { Room } from "../Client.ts"
import { execute } from "../CommandLine.ts"
import { gatewayOf, spendOf } from "../Gateways.ts"
import type { Driver, Prompt } from "./Drivers.ts"

/** For one command of an agent. */
const LONGEST = "5 minutes"

export const vendors = ["anthropic", "openai", "google-ai-studio", "moonshot"] as const
export type VendorName = (typeof vendors)[number]

const models: { readonly [V in VendorName]: string } = {
  anthropic: "claude-opus-5-5",
  openai: "gpt-5.5",
  "google-ai-studio": "gemini-4-neon",
  moonshot: "kimi-k3"
}

/** A name that agents don't know, for the vendor's model. */
export const aliasOf = (vendor: VendorName): string => `coder-${vendor}`

/** Aliases for several deployments: the first, and the others where it fails. */
export const anyOf = (first: VendorName): string => `any-${first}`

/** USD for a million tokens, cached or not. */
const PRICE = 1

const price = `{ input: ${PRICE}, cached_input: ${PRICE}, output: ${PRICE}, web_search: 10 }`

const deploymentOf = (vendor: VendorName, model = models[vendor]) =>
  `  - { provider: ${vendor}, model: ${model}, price: ${price} }`

const configuration = (url: string): string => `
providers:
${vendors.map((one) => `  ${one}: { base_url: "${url}/${one}/${one === "google-ai-studio" ? "v1beta" : "v1"}", api_key: k }`).join("\n")}
deployments:
${[...vendors.map((one) => deploymentOf(one)), deploymentOf("anthropic", "claude-haiku-5-5")].join("\n")}
models:
${vendors.map((one) => `  ${aliasOf(one)}: [${one}/${models[one]}]`).join("\n")}
${vendors.map((one) => `  ${models[one]}: [${one}/${models[one]}]`).join("\n")}
${vendors.map((one) => `  ${anyOf(one)}: [${[one, ...vendors.filter((other) => other !== one)].map((name) => `${name}/${models[name]}`).join(", ")}]`).join("\n")}
  claude-haiku-5-5: [anthropic/claude-haiku-5-5]
`

export interface Journey {
  readonly room: Room
  readonly driver: Driver
}

interface TravelOptions {
  readonly direct?: boolean
  readonly fails?: number
  /** Requests for a count of tokens that the gateway answers itself. */
  readonly counts?: number
}

let runs = 0

/** Runs the agent against the vendor itself, or through a gateway: then every call must be recorded and charged once.
 * `fails`: how many of its commands may. */
export const travel = Effect.fnUntraced(function* (
  { driver, room }: Journey,
  script: Script,
  prompts: ReadonlyArray<Prompt>,
  { counts = 0, direct = false, fails = 0 }: TravelOptions = {}
) {
  const vendor = yield* vendorServer(script)
  const scratch = join(room.scratch, `${runs++}`)
  mkdirSync(scratch, { recursive: true })
  const gateway = direct ? undefined : yield* gatewayOf(scratch, configuration(vendor.url))
  const target = gateway ?? { url: `${vendor.url}/${driver.vendor}`, key: "k" }
  const run = yield* execute(room, scratch, driver.agent(target, prompts), LONGEST)
  const { heard } = vendor
  const refused = heard.flatMap((one) => one.refused ?? [])
  const [ending] = run.endings.filter(({ code }) => code !== 0).slice(fails)
  if (ending !== undefined || refused.length > 0) {
    const said = [`It ended with ${ending?.code ?? 0}. A vendor refused: ${refused.join("; ") || "nothing"}`]
    if (ending !== undefined) said.push(ending.stdout.slice(-2_000), ending.stderr.slice(-2_000))
    return yield* Effect.die(new Error(said.join("\n")))
  }
  const answered = heard.filter(({ status }) => status === 200)
  if (gateway !== undefined) {
    const { cost_usd, requests } = yield* spendOf(gateway)
    const ended = answered.length + heard.filter(({ status }) => status === 400).length
    assert.equal(requests, ended + vendor.counted.length + counts, "calls in the ledger")
    const tokensOf = (calls: ReadonlyArray<Heard>) =>
      calls.reduce((sum, { input = 0, output = 0 }) => sum + input + output, 0)
    const least = (tokensOf(answered) * PRICE) / 1e6
    // The vendor may charge for what broke off, so it is charged as it is estimated.
    const most = least + (2 * tokensOf(heard.filter(({ status }) => status === "reset")) * PRICE) / 1e6
    const isExact = cost_usd > least - 1e-9 && cost_usd < most + 1e-9
    assert.ok(isExact, `The ledger has ${cost_usd} USD, expected ${least} to ${most}.`)
  }
  return { ...run, vendor, answered }
})
