/** What the pages do beside the journeys: teams, edits, the playground, files to save, the keyboard, and how much they ask for. */
import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it } from "vitest"
import type { Browser, BrowserContext } from "../../../../scripts/browser/Browser.ts"
import {
  chat,
  holds,
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

const nano = (usd: number) => Math.round(usd * 1e9)

describe.skipIf(tools === undefined)("the pages", () => {
  let browser: Browser
  let served: Served
  let context: BrowserContext
  let watched: Watched

  beforeAll(async () => {
    browser = await openBrowser()
    served = await serve()
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

  const admin = (method: string, path: string, body?: object) =>
    Effect.runPromise(served.gateway.admin(method, path, body))

  const signedIn = (body: (watched: Watched) => Promise<void>): Promise<void> =>
    pictured(watched.page, async () => {
      await signIn(watched.page, served.url)
      await watched.page.getByRole("heading", { name: "Overview" }).waitFor()
      await body(watched)
    })

  it("makes, changes and deletes a team, and says so where keys name it", () =>
    signedIn(async ({ page }) => {
      await page.locator("nav").getByRole("link", { name: "Teams" }).click()
      await page.getByRole("button", { name: "New team" }).click()
      await page.locator("dialog input[name=team]").fill("research")
      await page.getByLabel("Budget, USD").fill("12.5")
      await page.getByRole("button", { name: "Create team" }).click()
      await page.getByRole("link", { name: "research" }).waitFor()
      await page.getByRole("button", { name: "Edit research" }).click()
      await page.getByLabel("Requests per minute").fill("60")
      await page.getByRole("button", { name: "Save" }).click()
      await page.locator("dialog").waitFor({ state: "hidden" })
      const { json } = await admin("GET", "/admin/teams/research")
      assert.deepInclude(json.limits, { rpm: 60, tpm: null })
      assert.deepInclude(json.budgets[0], { usd: 12.5, window: "month" })
      await admin("POST", "/admin/keys", { name: "member", team: "research" })
      await page.getByRole("button", { name: "Delete research" }).click()
      await page.locator("dialog button.danger").click()
      await page.getByRole("alert").waitFor()
      await page.getByRole("button", { name: "Delete it although keys use it" }).click()
      await page.locator("dialog").waitFor({ state: "hidden" })
      // Still listed, since a key names it.
      await page.getByText("no limits or budgets set").waitFor()
    }))

  it("changes what a key may do, and takes back what is left empty; what is wrong is said and loses nothing", () =>
    signedIn(async ({ page }) => {
      const made = await admin("POST", "/admin/keys", { name: "worker", limits: { rpm: 5 }, models: ["auto"] })
      await page.goto(`${served.url}/ui/keys/${made.json.id}`)
      await page.getByRole("button", { name: "Edit" }).click()
      await page.getByLabel("Requests per minute").fill("")
      await page.getByLabel("Allowed models").fill("demo/*, failover")
      await page.getByLabel("Budget, USD").fill("3")
      await page.getByLabel("in the time zone").fill("Atlantis/Capital")
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByRole("alert").waitFor()
      assert.include(await page.getByRole("alert").innerText(), "time_zone")
      await page.getByLabel("in the time zone").fill("Europe/Berlin")
      await page.getByRole("button", { name: "Save" }).click()
      await page.locator("dialog").waitFor({ state: "hidden" })
      const { json } = await admin("GET", `/admin/keys/${made.json.id}`)
      assert.strictEqual(json.limits.rpm, null)
      assert.deepStrictEqual(json.models, ["demo/*", "failover"])
      assert.deepInclude(json.budgets[0], { usd: 3, window: "month", time_zone: "Europe/Berlin" })
    }))

  it("shows a budget that fills, the one that then refuses, and what is left as the admin API has it", () =>
    signedIn(async ({ page }) => {
      const plain = await Effect.runPromise(served.gateway.createKey())
      await chat(served, plain.secret, "demo/mini", "Hello")
      const spend = await admin("GET", `/admin/spend?key=${plain.id}`)
      const usd = Number((spend.json.total.cost_usd * 60).toFixed(9))
      const made = await admin("POST", "/admin/keys", { name: "filling", budgets: [{ usd, window: "total" }] })
      let status = 200
      while (status === 200) status = (await chat(served, made.json.key, "demo/mini", "Hello")).status
      assert.strictEqual(status, 429)
      const { json } = await admin("GET", `/admin/keys/${made.json.id}`)
      const share = json.budgets[0].spent_usd / usd
      assert.isAbove(share, 0.8)
      await page.goto(`${served.url}/ui/`)
      await page.locator("tr").getByRole("link", { name: "filling" }).first().waitFor()
      await page.locator(".fill.warn, .fill.bad").first().waitFor()
      await page.goto(`${served.url}/ui/keys/${made.json.id}`)
      await page.locator(".budget").waitFor()
      const said = await page.locator(".budget").innerText()
      assert.include(said, `$${Number(json.budgets[0].spent_usd.toPrecision(4))} spent`)
      await page.getByRole("heading", { name: "Latest requests" }).waitFor()
      await page.locator(".badge.warn").waitFor()
    }))

  it("plays with two models side by side, each with its receipt, and what they cost is in the overview", () =>
    signedIn(async ({ page }) => {
      await page.locator("nav").getByRole("link", { name: "Playground" }).click()
      await page.getByLabel("Budget, USD").fill("0.25")
      await page.getByRole("button", { name: "Create key" }).click()
      await page.getByRole("button", { name: "Compare with another model" }).click()
      await page.getByLabel("Model 2").selectOption("demo/large")
      await page.getByLabel("Prompt").fill("Prove that 7 is prime.")
      await page.getByRole("button", { name: "Send" }).click()
      await holds(
        page,
        "[...document.querySelectorAll('[data-cost]')].filter((one) => one.textContent.startsWith('$')).length === 2"
      )
      const [key] = (await admin("GET", "/admin/keys?q=playground")).json.data
      // A receipt is there a moment after its answer.
      let receipts: Array<{ id: string; cost_usd: number; decision: { deployment: string } }> = []
      while (receipts.length < 2) receipts = (await admin("GET", `/admin/requests?key=${key.id}`)).json.data
      const shown = await page.locator("main").innerText()
      for (const receipt of receipts) {
        assert.include(shown, receipt.id)
        assert.include(shown, receipt.decision.deployment)
        assert.include(shown, `$${receipt.cost_usd.toFixed(9).replace(/0+$/, "")}`)
      }
      assert.deepInclude(key.budgets[0], { usd: 0.25, window: "total" })
      const hours = (Date.parse(key.expires_at) - Date.parse(key.created_at)) / 3_600_000
      assert.isAbove(hours, 0.9)
      assert.isAtMost(hours, 1.1)
      const html = await page.evaluate<string>(
        "document.documentElement.outerHTML + JSON.stringify({...localStorage, ...sessionStorage})"
      )
      assert.notInclude(html, "mgw_")
      await page.goto(`${served.url}/ui/?range=1h`)
      await page.getByText("Saved by auto").waitFor()
      const spend = await page.locator(".tile dd").first().getAttribute("title")
      const traffic = await admin("GET", "/admin/traffic")
      assert.strictEqual(nano(Number(spend?.slice(1))), nano(traffic.json.total.cost_usd))
    }))

  it("says in the playground why a request was refused, and goes on from there", () =>
    signedIn(async ({ page }) => {
      await page.goto(`${served.url}/ui/play`)
      await page.getByLabel("Budget, USD").fill("0.000000001")
      await page.getByRole("button", { name: "Create key" }).click()
      await page.getByLabel("Prompt").fill("Hello")
      await page.keyboard.press("Control+Enter")
      await page.getByRole("alert").waitFor()
      assert.match(await page.getByRole("alert").innerText(), /budget/i)
      await page.getByRole("button", { name: "New key" }).click()
      await page.getByRole("button", { name: "Create key" }).click()
      await page.getByLabel("Prompt").fill("Hello")
      await page.getByRole("button", { name: "Send" }).click()
      await page.locator("[data-cost]").waitFor()
    }))

  it("saves the requests that are shown and the spend of the overview as the admin API has them", () =>
    signedIn(async ({ page }) => {
      const made = await admin("POST", "/admin/keys", { name: "saved", tags: ["=1+1", "b"] })
      for (const model of ["demo/mini", "failover"]) await chat(served, made.json.key, model, "Hello")
      await page.goto(`${served.url}/ui/requests?key=${made.json.id}`)
      const saved = async () => {
        const downloaded = page.waitForEvent("download")
        await page.getByRole("button", { name: "CSV" }).first().click()
        const file = await downloaded
        return {
          name: file.suggestedFilename(),
          lines: readFileSync(await file.path(), "utf8")
            .trim()
            .split("\r\n")
        }
      }
      const requests = await saved()
      assert.strictEqual(requests.name, "requests.csv")
      const { json } = await admin("GET", `/admin/requests?key=${made.json.id}`)
      const [names = "", ...lines] = requests.lines
      const at = (name: string) => names.split(",").indexOf(name)
      assert.deepStrictEqual(
        lines.map((line) => line.split(",")).map((cells) => [cells[at("id")], Number(cells[at("cost_usd")])]),
        json.data.map((one: { id: string; cost_usd: number }) => [one.id, one.cost_usd])
      )
      // No spreadsheet takes it for a formula.
      assert.strictEqual(lines[0]?.split(",")[at("tags")], "'=1+1 b")
      await page.goto(`${served.url}/ui/`)
      const spend = await saved()
      assert.strictEqual(spend.name, "spend.csv")
      const cost = spend.lines[0]?.split(",").indexOf("cost_usd") ?? -1
      const sum = spend.lines.slice(1).reduce((all, line) => all + nano(Number(line.split(",")[cost])), 0)
      assert.strictEqual(sum, nano((await admin("GET", "/admin/spend")).json.total.cost_usd))
    }))

  it("works without a mouse", () =>
    signedIn(async ({ page }) => {
      await page.goto("about:blank")
      await context.clearCookies()
      await page.goto(`${served.url}/ui/teams`)
      const focused = (what: string) => holds(page, `document.activeElement?.matches(${JSON.stringify(what)}) === true`)
      await focused("input[type=password]")
      await page.keyboard.type(masterKey)
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { name: "Teams" }).waitFor()
      await page.keyboard.press("g")
      await page.keyboard.press("k")
      await page.getByRole("heading", { name: "Keys" }).waitFor()
      // The page listens a moment after it is shown.
      while (!(await page.evaluate<boolean>("document.activeElement.type === 'search'"))) await page.keyboard.press("/")
      await page.getByRole("button", { name: "New key" }).focus()
      await page.keyboard.press("Enter")
      await page.locator("dialog[open]").waitFor()
      await page.keyboard.press("Escape")
      await holds(page, "document.querySelector('dialog') === null")
      await holds(page, "document.activeElement?.textContent === 'New key'")
      await page.keyboard.press("Enter")
      await focused("dialog[open] input[name=name]")
      await page.keyboard.type("typed")
      await page.keyboard.press("Enter")
      await page.locator("[data-secret]").waitFor()
      for (let tabs = 0; tabs < 10; tabs++) {
        await page.keyboard.press("Tab")
        if ((await page.evaluate("document.activeElement.textContent")) === "Done") break
      }
      await page.keyboard.press("Enter")
      await page.getByRole("link", { name: "typed" }).waitFor()
      assert.strictEqual((await admin("GET", "/admin/keys?q=typed")).json.data.length, 1)
    }))

  it("asks for at most four things on any page, again while somebody looks, and for nothing while nobody does", () =>
    signedIn(async ({ calls, page }) => {
      const key = await Effect.runPromise(served.gateway.createKey())
      await chat(served, key.secret, "auto", "Hello")
      const [receipt] = (await admin("GET", "/admin/requests?limit=1")).json.data
      const paths = [
        "",
        "requests",
        `requests/${receipt.id}`,
        "keys",
        `keys/${key.id}`,
        "teams",
        "spend",
        "deployments"
      ]
      // Nothing is asked again while the page's time stands still, however long a slow machine takes.
      await page.clock.install()
      for (const path of [...paths, "router", "play", "settings", "settings/audit"]) {
        await page.goto("about:blank")
        calls.length = 0
        await page.goto(`${served.url}/ui/${path}`, { waitUntil: "networkidle" })
        assert.isAtMost(calls.length, 4, `${path}: ${calls.join(", ")}`)
      }
      await page.goto(`${served.url}/ui/deployments`)
      await page.getByRole("link", { name: "demo/mini" }).waitFor()
      const rounds = (count: number) => holds(page, `window.rounds >= ${count}`)
      await page.evaluate(
        "window.rounds = 0, window.fetch = ((fetch) => (...all) => fetch(...all).then((answer) => (window.rounds++, answer)))(window.fetch)"
      )
      const look = (isHidden: boolean) =>
        page.evaluate(`Object.defineProperty(document, "hidden", { configurable: true, value: ${isHidden} })`)
      await page.clock.runFor(9_000)
      assert.strictEqual(await page.evaluate("window.rounds"), 0)
      await page.clock.runFor(1_500)
      await rounds(1)
      await look(true)
      await page.clock.runFor(600_000)
      assert.strictEqual(await page.evaluate("window.rounds"), 1)
      await look(false)
      await page.clock.runFor(11_000)
      await rounds(2)
    }))

  it("shows what there is where the browser's clock is two days ahead", () =>
    pictured(watched.page, async () => {
      const { page } = watched
      await page.clock.install({ time: Date.now() + 2 * 86_400_000 })
      await signIn(page, served.url)
      await page.getByText("Saved by auto").waitFor()
      const { json } = await admin("GET", "/admin/traffic")
      await holds(page, `document.querySelector(".tiles")?.innerText.includes("${json.total.requests}")`)
      assert.strictEqual(await page.getByRole("alert").count(), 0)
    }))
})
