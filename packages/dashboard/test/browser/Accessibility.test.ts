/** Every page, in both colour schemes, as axe-core sees it. */
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Browser } from "../../../../scripts/browser/Browser.ts"
import { axe, chat, openBrowser, serve, type Served, signIn, tools } from "../support/Opened.ts"

describe.skipIf(tools === undefined)("every page", () => {
  let browser: Browser
  let served: Served
  let paths: ReadonlyArray<string> = []

  beforeAll(async () => {
    browser = await openBrowser()
    served = await serve()
    const made = await Effect.runPromise(
      served.gateway.admin("POST", "/admin/keys", { name: "reader", budgets: [{ usd: 0.05, window: "day" }] })
    )
    for (const model of ["auto", "failover", "demo/status-500"]) await chat(served, made.json.key, model, "Hello")
    const { json } = await Effect.runPromise(served.gateway.admin("GET", "/admin/requests"))
    paths = [
      "?range=1h",
      "requests",
      `requests/${json.data[0].id}`,
      "keys",
      `keys/${made.json.id}`,
      "deployments",
      "router",
      "nowhere"
    ]
  })
  afterAll(async () => {
    await browser.close()
    await served.stop()
  })

  it.each(["light", "dark"] as const)("has nothing that axe finds wrong, %s", async (colorScheme) => {
    const context = await browser.newContext({ colorScheme, bypassCSP: true })
    const page = await context.newPage()
    await page.goto(`${served.url}/ui/`)
    await page.getByLabel("Master key").waitFor()
    assert.deepStrictEqual(await axe(page), [], "login")
    await signIn(page, served.url)
    await page.getByRole("heading", { name: "Overview" }).waitFor()
    for (const path of paths) {
      await page.goto(`${served.url}/ui/${path}`, { waitUntil: "networkidle" })
      assert.deepStrictEqual(await axe(page), [], path)
    }
    await page.goto(`${served.url}/ui/keys`, { waitUntil: "networkidle" })
    await page.getByRole("button", { name: "New key" }).click()
    assert.deepStrictEqual(await axe(page), [], "dialog")
    await context.close()
  })
})
