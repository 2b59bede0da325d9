/** A session has two halves, and neither of them opens anything alone, whoever holds it. */
import { createServer } from "node:http"
import { Effect } from "effect"
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it } from "vitest"
import type { Browser, BrowserContext, BrowserPage } from "../../../../scripts/browser/Browser.ts"
import { listening, masterKey, openBrowser, serve, type Served, signIn, tools } from "../support/Opened.ts"

describe.skipIf(tools === undefined)("a session in the browser", () => {
  let browser: Browser
  let served: Served
  let context: BrowserContext
  let page: BrowserPage

  beforeAll(async () => {
    browser = await openBrowser()
    served = await serve()
  })
  beforeEach(async () => {
    context = await browser.newContext()
    page = await context.newPage()
    await signIn(page, served.url)
    await page.getByRole("heading", { name: "Overview" }).waitFor()
  })
  afterEach(() => context.close())
  afterAll(async () => {
    await browser.close()
    await served.stop()
  })

  const token = () => page.evaluate<string>(`localStorage.getItem("model-gateway-session")`)
  const status = (path: string, headers: Record<string, string> = {}, on = page) =>
    on.evaluate<number>(
      `fetch(${JSON.stringify(path)}, { headers: ${JSON.stringify(headers)}, credentials: "include" }).then((one) => one.status)`
    )

  it("opens the admin API with both halves only, and never /v1", async () => {
    const header = { "x-gateway-session": await token() }
    assert.strictEqual(await status("/admin/info", header), 200)
    assert.strictEqual(await status("/admin/info"), 401)
    assert.strictEqual(await status("/v1/models", header), 401)
    assert.strictEqual(await page.evaluate("document.cookie"), "")
    await context.clearCookies()
    assert.strictEqual(await status("/admin/info", header), 401)
  })

  it("does not open it to a page of another port, though the browser sends that page's cookie along", async () => {
    const elsewhere = createServer((_, answer) =>
      answer.setHeader("content-type", "text/html").end("<p>Another server")
    )
    const other = await context.newPage()
    await other.goto(await listening(elsewhere))
    const asked = await other.evaluate<string>(
      `fetch(${JSON.stringify(`${served.url}/admin/info`)}, { credentials: "include" }).then((one) => "read " + one.status, () => "kept away")`
    )
    elsewhere.close()
    assert.strictEqual(asked, "kept away")
  })

  it("begins with a link that the gateway printed, once, and the link is gone from the address", async () => {
    const code = await Effect.runPromise(served.gateway.signInCode)
    const link = `${served.url}/ui/login#${code}`
    const stranger = await browser.newContext()
    const first = await stranger.newPage()
    await first.goto(link)
    await first.getByRole("heading", { name: "Overview" }).waitFor()
    assert.notInclude(first.url(), code)
    await stranger.close()
    const later = await browser.newContext()
    const second = await later.newPage()
    await second.goto(link)
    await second.getByText("This link or code is no longer valid").waitFor()
    await second.getByLabel("Master key").waitFor()
    assert.notInclude(second.url(), code)
    await later.close()
  })

  it("ends in all tabs at once", async () => {
    const other = await context.newPage()
    await other.goto(`${served.url}/ui/keys`)
    await other.getByRole("heading", { name: "Keys" }).waitFor()
    const header = { "x-gateway-session": await token() }
    await page.getByRole("button", { name: "Sign out" }).click()
    await other.getByLabel("Master key").waitFor({ timeout: 1000 })
    await page.getByLabel("Master key").waitFor({ timeout: 1000 })
    assert.strictEqual(await status("/admin/info", header), 401)
  })

  it("that ran out in one tab goes on in all of them once somebody signs in again in one", async () => {
    const other = await context.newPage()
    await other.goto(`${served.url}/ui/teams`)
    await other.getByText("No teams yet.").waitFor()
    await other.getByRole("button", { name: "New team" }).click()
    await other.locator("dialog input[name=team]").fill("half written")
    await Effect.runPromise(served.gateway.admin("DELETE", "/admin/sessions"))
    await page.locator("nav").getByRole("link", { name: "Deployments" }).click()
    for (const tab of [page, other]) await tab.getByRole("heading", { name: "The session has ended" }).waitFor()
    await page.getByLabel("Master key").fill(masterKey)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("link", { name: "demo/mini" }).waitFor()
    await other.getByRole("heading", { name: "The session has ended" }).waitFor({ state: "hidden" })
    assert.strictEqual(await other.locator("dialog input[name=team]").inputValue(), "half written")
  })

  it("that ended elsewhere asks to sign in again, over the page that was wanted", async () => {
    await page.goto(`${served.url}/ui/keys`, { waitUntil: "networkidle" })
    await page.getByText("No keys yet").waitFor()
    await context.clearCookies()
    await page.locator("nav").getByRole("link", { name: "Deployments" }).click()
    await page.getByRole("heading", { name: "The session has ended" }).waitFor()
    assert.match(page.url(), /deployments$/)
    assert.strictEqual(await page.getByRole("link", { name: "demo/mini" }).count(), 0)
    await page.keyboard.press("Escape")
    await page.getByLabel("Master key").fill(masterKey)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("link", { name: "demo/mini" }).waitFor()
    assert.strictEqual(await page.getByRole("heading", { name: "The session has ended" }).count(), 0)
  })
})
