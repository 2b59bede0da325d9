/** The scenarios of the folder, and what a runner gets of them: with addresses and keys of their own. */
import { globSync, readFileSync } from "node:fs"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import type { Foreign } from "./Foreign.ts"
import { type Gateway, masterKey } from "./Gateway.ts"
import type { Rendered, Scenario } from "./Scenario.ts"

const folder = join(import.meta.dirname, "..", "scenarios")

export const readScenarios = (): ReadonlyArray<Scenario> => {
  const scenarios = globSync("*.json", { cwd: folder })
    .toSorted()
    .flatMap((file): ReadonlyArray<Scenario> => JSON.parse(readFileSync(join(folder, file), "utf8")))
  const names = scenarios.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`Two scenarios are called ${JSON.stringify(twice)}.`)
  return scenarios
}

export interface World {
  readonly gateway: Gateway
  readonly foreign: Foreign
  readonly fixtures: string
}

/** A scenario for one runner, and what the judge has to know of it. */
export interface Ready {
  readonly scenario: Scenario
  readonly rendered: Rendered
  /** The key; it may be in no message. */
  readonly secrets: ReadonlyArray<string>
  /** Whose requests at the scripted server are its own. */
  readonly asker: string
}

const PUBLIC_SHAPE = "mgw_0000scripted_0000000000000000000000000000000000000000000"

/** `asker`: unique for scenario and language. */
export const render = async (scenario: Scenario, asker: string, world: World): Promise<Ready> => {
  const { admin = false, client = {}, environment, key = {}, name, steps } = scenario
  const { suffix = "", ...settings } = client
  const server = await addressOf(scenario, asker, world)
  const apiKey = settings.api_key ?? (await keyFor(scenario, key, world))
  const given = { base_url: server + suffix, api_key: apiKey, ...(admin ? { master_key: masterKey } : {}) }
  const filled =
    environment &&
    Object.fromEntries(
      Object.entries(environment).map(([variable, text]) => [variable, fill(text, { ...given, master_key: masterKey })])
    )
  return {
    scenario: { ...scenario, steps: unique(steps, asker) },
    asker,
    secrets: [apiKey, masterKey].filter((secret) => secret !== ""),
    rendered: {
      name,
      client: filled === undefined ? { ...settings, ...given } : settings,
      ...(filled === undefined ? {} : { environment: filled }),
      fixtures: world.fixtures,
      steps: unique(steps, asker)
    }
  }
}

const addressOf = async ({ server = "gateway" }: Scenario, asker: string, world: World): Promise<string> => {
  if (server === "gateway") return world.gateway.url
  if (server === "refused") return `http://127.0.0.1:${await closedPort()}`
  return `${world.foreign.url}/${scriptOf(server)}/${asker}`
}

/** `{{unique}}` is another name for everybody who asks: they share a gateway. */
const unique = (steps: Scenario["steps"], asker: string): Scenario["steps"] =>
  JSON.parse(fill(JSON.stringify(steps), { unique: asker }))

/** `foreign:html` → `html`. */
export const scriptOf = (server: string): string => server.replace(/^foreign:/, "")

const keyFor = async ({ server = "gateway" }: Scenario, key: Scenario["key"], { gateway }: World): Promise<string> => {
  if (server !== "gateway") return PUBLIC_SHAPE
  return String((await gateway.admin("POST", "/admin/keys", key))["key"])
}

/** Where nobody listens. */
const closedPort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

export const fill = (text: string, values: { readonly [name: string]: string }): string =>
  text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole)
