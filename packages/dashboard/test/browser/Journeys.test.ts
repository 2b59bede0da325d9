/** What people do in the dashboard, in a real browser, against a real gateway; also where a proxy serves it below a path. */
import { Effect } from "effect"
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it } from "vitest"
import type { Browser, BrowserContext } from "../../../../scripts/browser/Browser.ts"
import {
  chat,
  masterKey,
  openBrowser,
  pictured,
  serve,
  type Served,
  signIn,
  tools,
  watch,
  type Watched
} from "../support/Opened.ts"

const SECRET = /^mgw_[A-Za-z0-9_]+$/

describe.skipIf(tools === undefined).each([
  ["on a port", ""],
  ["behind a proxy, under /gw", "/gw"]
])("the dashboard %s", (_, prefix) => {
  let browser: Browser
  let served: Served
  let context: BrowserContext
  let watched: Watched

  beforeAll(async () => {
    browser = await openBrowser()
    served = await serve(prefix)
  })
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-US" })
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

  /** With a page that is signed in. */
  const signedIn = (body: (watched: Watched) => Promise<void>): Promise<void> =>
    pictured(watched.page, async () => {
      await signIn(watched.page, served.url)
      await watched.page.getByRole("heading", { name: "Overview" }).waitFor()
      await body(watched)
    })

  it("takes the right master key, says why it refuses another one, and goes where one wanted to go", async () => {
    const { page } = watched
    await page.goto(`${served.url}/ui/deployments`)
    await page.getByLabel("Master key").fill("not-the-master-key")
    await page.getByRole("button", { name: "Sign in" }).click()
    const said = page.getByRole("alert")
    await said.waitFor()
    assert.match(await said.innerText(), /key/i)
    assert.notInclude(await said.innerText(), "not-the-master-key")
    await page.getByLabel("Master key").fill(masterKey)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("heading", { name: "Deployments" }).waitFor()
    await page.getByRole("link", { name: "demo/mini" }).waitFor()
    assert.strictEqual(await page.evaluate("document.cookie"), "")
  })

  it("makes a key, watches its request end, says why it went there, and revokes it", () =>
    signedIn(async ({ page }) => {
      await page.locator("nav").getByRole("link", { name: "Keys" }).click()
      await page.getByRole("button", { name: "New key" }).click()
      await page.locator("dialog input[name=name]").fill("journey")
      await page.getByLabel("Budget, USD").fill("2.5")
      await page.getByRole("button", { name: "Create key" }).click()
      const secret = (await page.locator("[data-secret]").textContent()) ?? ""
      assert.match(secret, SECRET)
      await page.getByRole("button", { name: "Done" }).click()
      await page.getByRole("link", { name: "journey" }).waitFor()
      assert.notInclude(await page.evaluate<string>("document.documentElement.outerHTML"), secret)

      const opened = page.evaluate("new Promise((done) => { window.onopened = done })")
      await page.evaluate(
        "window.fetch = ((fetch) => async (...all) => { const answer = await fetch(...all); if (String(all[0]).includes('requests/stream')) window.onopened?.(); return answer })(window.fetch)"
      )
      await page.locator("nav").getByRole("link", { name: "Requests" }).click()
      await page.getByRole("button", { name: "Go live" }).click()
      await opened
      assert.strictEqual((await chat(served, secret, "auto", "Prove that 2 is prime.")).status, 200)
      await page.locator("tbody tr").first().waitFor({ timeout: 1000 })

      await page.locator("tbody a").first().click()
      await page.getByText("Routing decision").waitFor()
      await page.getByText("proof words").waitFor()
      const shown = await page.locator("main").innerText()
      const [receipt] = (await Effect.runPromise(served.gateway.admin("GET", "/admin/requests?limit=1"))).json.data
      assert.include(shown, receipt.decision.reasons[0])
      assert.include(shown, receipt.decision.deployment)
      assert.include(shown, `$${receipt.cost_usd.toFixed(9).replace(/0+$/, "")}`)

      await page.getByRole("link", { name: "journey" }).click()
      await page.getByRole("button", { name: "Revoke" }).click()
      await page.getByLabel("Type journey to go on").fill("journey")
      await page.locator("dialog button.danger").click()
      await page.getByText("revoked", { exact: true }).waitFor()
      assert.strictEqual((await chat(served, secret, "auto", "Hello")).status, 401)
    }))

  it("shows a budget that refuses, in the list of keys and among the requests", () =>
    signedIn(async ({ page }) => {
      const made = await Effect.runPromise(
        served.gateway.admin("POST", "/admin/keys", { name: "poor", budget_usd: 0.000_000_001 })
      )
      assert.strictEqual((await chat(served, made.json.key, "auto", "Hello")).status, 429)
      await page.goto(`${served.url}/ui/requests?key=${made.json.id}`)
      await page.locator(".badge.warn").waitFor()
      assert.strictEqual(await page.locator("tbody tr").count(), 1)
      await page.getByLabel("Name or ID of a key").fill("")
      await page.keyboard.press("Tab")
      await page.waitForURL(/\/ui\/requests$/)
    }))

  it("disables a deployment and enables it", () =>
    signedIn(async ({ page }) => {
      const key = await Effect.runPromise(served.gateway.createKey())
      const status = async () => (await chat(served, key.secret, "demo/mini", "Hello")).status
      await page.locator("nav").getByRole("link", { name: "Deployments" }).click()
      await page.getByRole("button", { name: "Disable demo/mini" }).click()
      await page.getByText("disabled", { exact: true }).waitFor()
      assert.strictEqual(await status(), 503)
      await page.getByRole("button", { name: "Enable demo/mini" }).click()
      await page.getByText("demo/mini is enabled.").waitFor()
      assert.strictEqual(await status(), 200)
    }))

  it("explains a prompt as the admin API does", () =>
    signedIn(async ({ page }) => {
      await page.keyboard.press("g")
      await page.keyboard.press("x")
      const content = "Prove that the square root of 2 is irrational."
      await page.getByLabel("Prompt").fill(content)
      await page.getByRole("button", { name: "Explain", exact: true }).click()
      await page.getByText("Candidates").waitFor()
      const { json } = await Effect.runPromise(
        served.gateway.admin("POST", "/admin/route/explain", { messages: [{ role: "user", content }] })
      )
      const shown = await page.locator("main").innerText()
      assert.include(shown, String(json.score))
      assert.include(shown, json.decision.deployment)
      for (const { name } of json.features) assert.include(shown, name)
    }))

  it("shows the admin API's figures, with at most four requests", () =>
    signedIn(async ({ calls, page }) => {
      const key = await Effect.runPromise(served.gateway.createKey())
      for (const prompt of ["Hi", "Thanks", "Prove that 3 is prime."]) await chat(served, key.secret, "auto", prompt)
      // What the page before it still asks is not counted.
      await page.goto("about:blank")
      await page.clock.install()
      calls.length = 0
      await page.goto(`${served.url}/ui/?range=1h`, { waitUntil: "networkidle" })
      await page.getByText("Saved by auto").waitFor()
      assert.isAtMost(calls.length, 4, calls.join(", "))
      const { json } = await Effect.runPromise(served.gateway.admin("GET", "/admin/traffic"))
      const spend = await page.locator(".tile dd").first().getAttribute("title")
      assert.strictEqual(Number(spend?.slice(1)), json.total.cost_usd)
      assert.include(await page.locator(".tiles").innerText(), String(json.total.requests))
    }))
})
