/** A browser, a gateway, and a page that is signed in, for the tests of one file. */
import { Effect } from "effect"
import { afterAll, afterEach, assert, beforeAll, beforeEach } from "vitest"
import type { Browser, BrowserContext } from "../../../../scripts/browser/Browser.ts"
import type { Receipt } from "../../../gateway/src/core/receipts/Receipt.ts"
import { noUsage } from "../../../gateway/src/core/domain/Usage.ts"
import { openBrowser, pictured, serve, type Served, signIn, watch, type Watched } from "./Opened.ts"

type Context = Parameters<Browser["newContext"]>[0]

export const eachSignedIn = (given: { readonly yaml?: string; readonly context?: Context } = {}) => {
  let browser: Browser
  let served: Served
  let context: BrowserContext
  let watched: Watched

  beforeAll(async () => {
    browser = await openBrowser()
    served = await serve("", given.yaml)
  })
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-US", ...given.context })
    watched = await watch(context, served.url)
  })
  afterEach(async () => {
    await context.close()
    assert.deepStrictEqual(watched.complaints, [])
  })
  afterAll(async () => {
    await browser.close()
    await served.stop()
  })

  return {
    served: () => served,
    admin: (method: string, path: string, body?: object) => Effect.runPromise(served.gateway.admin(method, path, body)),
    signedIn: (body: (page: Watched["page"]) => Promise<void>): Promise<void> =>
      pictured(watched.page, async () => {
        await signIn(watched.page, served.url)
        await watched.page.getByRole("heading", { name: "Overview" }).waitFor()
        await body(watched.page)
      })
  }
}

/** A request that was answered; amounts in nano-USD. */
export const answered = (cost: number, more: Partial<Receipt> = {}): Receipt => ({
  requestId: `req_${Math.random().toString(36).slice(2)}`,
  at: Date.now(),
  durationMs: 100,
  keyId: "key_1",
  team: null,
  endpoint: "/v1/chat/completions",
  requestedModel: "demo/mini",
  deployment: "demo/mini",
  provider: "demo",
  model: "mini",
  bucket: "none",
  score: 0,
  reasons: [],
  status: "ok",
  stream: false,
  priced: true,
  priceSource: "demo",
  priceVersion: "1",
  tags: [],
  attempts: [
    {
      deployment: "demo/mini",
      provider: "demo",
      model: "mini",
      outcome: "ok",
      httpStatus: 200,
      startedMs: 0,
      firstTokenMs: null,
      durationMs: 100,
      cost,
      usage: { ...noUsage, input: 5, output: 7 },
      estimated: false
    }
  ],
  ...more
})
