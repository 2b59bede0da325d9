/** A gateway of its own on a real port, behind a proxy that adds a prefix where one is wanted, and a browser that looks at it. */
import { mkdirSync } from "node:fs"
import { createServer, request, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { Effect, Exit, Scope } from "effect"
import { assert, expect, inject } from "vitest"
import {
  axeIn,
  type Browser,
  type BrowserContext,
  type BrowserPage,
  launch
} from "../../../../scripts/browser/Browser.ts"
import { demoYaml, masterKey, type RunningGateway, startGateway } from "../../../gateway/test/support/RunningGateway.ts"

export { masterKey }

export interface Served {
  readonly gateway: RunningGateway
  /** As the browser sees it, with the prefix: `http://127.0.0.1:1234/gw`. */
  readonly url: string
  readonly stop: () => Promise<void>
}

/** What a reverse proxy does that serves the gateway below a path: takes it off, and passes everything on as it comes. */
const proxyTo = (target: string, prefix: string): Server =>
  createServer((incoming, outgoing) => {
    const path = incoming.url ?? "/"
    if (!path.startsWith(`${prefix}/`)) {
      outgoing.writeHead(404).end()
      return
    }
    const onwards = request(`${target}${path.slice(prefix.length)}`, {
      method: incoming.method,
      headers: incoming.headers
    })
    onwards.on("response", (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onwards.on("error", () => outgoing.destroy())
    outgoing.on("close", () => onwards.destroy())
    incoming.pipe(onwards)
  })

export const listening = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

/** `prefix`: `/gw`, or nothing. */
export const serve = async (prefix = "", configuration = demoYaml): Promise<Served> => {
  const scope = Scope.makeUnsafe()
  const yaml = prefix === "" ? configuration : `${configuration}server: { public_path: ${prefix} }`
  const gateway = await Effect.runPromise(Scope.provide(startGateway({ yaml }), scope))
  const proxy = prefix === "" ? undefined : proxyTo(gateway.url, prefix)
  return {
    gateway,
    url: proxy === undefined ? gateway.url : `${await listening(proxy)}${prefix}`,
    stop: async () => {
      proxy?.closeAllConnections()
      proxy?.close()
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}

export const tools = inject("browser")

export const openBrowser = (): Promise<Browser> => {
  assert(tools !== undefined)
  return launch(tools)
}

/** A page, and what must not have happened on it. */
export interface Watched {
  readonly page: BrowserPage
  /** Requests that left the gateway's origin, errors of scripts, and what the browser reported on the console. */
  readonly complaints: ReadonlyArray<string>
  /** `GET requests?limit=50`: requests of the admin API, in order. */
  readonly calls: Array<string>
}

/** The browser writes a line for each answer of 4xx, which is no mistake of the page. */
const ANSWER = /^Failed to load resource: the server responded with a status of 4\d\d/

export const watch = async (context: BrowserContext, url: string): Promise<Watched> => {
  const page = await context.newPage()
  const complaints: Array<string> = []
  const calls: Array<string> = []
  const { origin } = new URL(url)
  page.on("request", (one) => {
    const target = one.url()
    if (!target.startsWith("data:") && new URL(target).origin !== origin) complaints.push(`asked ${target}`)
    const [, path] = /\/admin\/(.*)$/.exec(target) ?? []
    if (path !== undefined) calls.push(`${one.method()} ${path}`)
  })
  page.on("pageerror", (error) => complaints.push(error.message))
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !ANSWER.test(message.text())) complaints.push(message.text())
  })
  return { page, complaints, calls }
}

export const signIn = async (page: BrowserPage, url: string, key = masterKey): Promise<void> => {
  await page.goto(`${url}/ui/`)
  await page.getByLabel("Master key").fill(key)
  await page.getByRole("button", { name: "Sign in" }).click()
}

/** Completes when an expression is true on the page. Playwright's own wait asks inside the page, where its policy forbids `eval`. */
export const holds = async (page: BrowserPage, expression: string): Promise<void> => {
  while (!(await page.evaluate<boolean>(expression))) await setTimeout(20)
}

/** Runs with a page; on a failure its picture is kept in `node_modules/.cache/model-gateway/screenshots`. */
export const pictured = async (page: BrowserPage, body: () => Promise<void>): Promise<void> => {
  try {
    await body()
  } catch (error) {
    const folder = join(import.meta.dirname, "../../../../node_modules/.cache/model-gateway/screenshots")
    mkdirSync(folder, { recursive: true })
    const name = (expect.getState().currentTestName ?? "test").replaceAll(/\W+/g, "-")
    await page.screenshot({ path: join(folder, `${name}.png`) })
    throw error
  }
}

interface AxeReport {
  readonly violations: ReadonlyArray<{ readonly id: string; readonly nodes: ReadonlyArray<{ readonly html: string }> }>
}

/** What axe-core finds, a line each. The page must be open with `bypassCSP`: axe is a script of nobody's. */
export const axe = async (page: BrowserPage, rules: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  assert(tools !== undefined)
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axeIn(tools))
  const report = await page.evaluate<AxeReport>(`axe.run({ runOnly: ${JSON.stringify(rules)} })`)
  return report.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}

/** One chat request with a key: its status. */
export const chat = async (served: Served, secret: string, model: string, content: string): Promise<Response> =>
  fetch(`${served.gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content }] })
  })
