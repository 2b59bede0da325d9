/** Every page, in both colour schemes, as axe-core sees it. */
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Browser } from "../../../../scripts/browser/Browser.ts"
import { axe, chat, openBrowser, serve, type Served, signIn, tools } from "../support/Opened.ts"

const RULES = ["wcag2a", "wcag2aa", "wcag22aa"]

/** All that another scheme changes. */
const COLOURS = ["color-contrast", "link-in-text-block"]

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
    await Effect.runPromise(
      served.gateway.admin("PUT", "/admin/teams/readers", { budgets: [{ usd: 0.0001, window: "total" }] })
    )
    paths = [
      "?range=1h",
      "requests",
      `requests/${json.data[0].id}`,
      "keys",
      `keys/${made.json.id}`,
      "teams",
      "deployments",
      "spend",
      "router",
      "play",
      "settings",
      "settings/audit",
      "nowhere"
    ]
  })
  afterAll(async () => {
    await browser.close()
    await served.stop()
  })

  it("has nothing that axe finds wrong, light and dark", async () => {
    const context = await browser.newContext({ colorScheme: "light", bypassCSP: true })
    const page = await context.newPage()
    const check = async (name: string) => {
      for (const colorScheme of ["dark", "light"] as const) {
        await page.emulateMedia({ colorScheme })
        assert.deepStrictEqual(
          await axe(page, colorScheme === "light" ? RULES : COLOURS),
          [],
          `${name}, ${colorScheme}`
        )
      }
    }
    const open = (path: string) => page.goto(`${served.url}/ui/${path}`, { waitUntil: "networkidle" })
    await page.goto(`${served.url}/ui/`)
    await page.getByLabel("Master key").waitFor()
    await check("login")
    await signIn(page, served.url)
    await page.getByRole("heading", { name: "Overview" }).waitFor()
    for (const path of paths) {
      await open(path)
      await check(path)
    }
    await open("keys")
    await page.getByRole("button", { name: "New key" }).click()
    await page.locator("dialog[open]").waitFor()
    await check("dialog")
    await open("router")
    await page.getByLabel("Prompt").fill("Prove that 2 is prime.")
    await page.getByRole("button", { name: "Explain", exact: true }).click()
    await page.getByText("Candidates").waitFor()
    await check("explanation")
    await open("play")
    await page.getByRole("button", { name: "Create key" }).click()
    await page.getByLabel("Prompt").fill("Hello")
    await page.getByRole("button", { name: "Send" }).click()
    await page.getByText("Served by").waitFor()
    await check("conversation")
    await context.close()
  })

  it("is as wide as the window of a phone", async () => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
    const page = await context.newPage()
    await signIn(page, served.url)
    for (const path of paths) {
      await page.goto(`${served.url}/ui/${path}`, { waitUntil: "networkidle" })
      assert.strictEqual(await page.evaluate<number>("document.documentElement.scrollWidth"), 390, path)
      const wide = `[...document.querySelectorAll(".tile dd")].filter((one) => one.scrollWidth > one.clientWidth).length`
      assert.strictEqual(await page.evaluate<number>(wide), 0, path)
    }
    await context.close()
  })
})
