/** Names, amounts and answers that nobody wishes for, and a session that ends while somebody writes. */
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { demoYaml } from "../../../gateway/test/support/RunningGateway.ts"
import type { BrowserPage } from "../../../../scripts/browser/Browser.ts"
import { holds, masterKey, openBrowser, serve, signIn, tools } from "../support/Opened.ts"
import { answered, eachSignedIn } from "../support/Session.ts"

const isAsWideAsTheWindow = "document.documentElement.scrollWidth <= innerWidth"

describe.skipIf(tools === undefined)("names and amounts", () => {
  const { admin, served, signedIn } = eachSignedIn()

  it("shows names as they are: markup, for long, and from right to left; and one can revoke each of them", () =>
    signedIn(async (page) => {
      const names = [
        "<img src=x onerror=alert(1)><b>bold</b>",
        "long ".repeat(39).trim(),
        "\u05de\u05e4\u05ea\u05d7 \u202elive"
      ]
      for (const name of names) {
        const { json, status } = await admin("POST", "/admin/keys", { name })
        // What a name may be is the gateway's to say.
        if (status !== 201) assert.match(json.error.message, /name/)
      }
      await page.goto(`${served().url}/ui/keys`, { waitUntil: "networkidle" })
      const { data } = (await admin("GET", "/admin/keys")).json
      assert.isAtLeast(data.length, 2)
      assert.isTrue(await page.evaluate<boolean>(isAsWideAsTheWindow))
      assert.strictEqual(await page.evaluate("document.querySelectorAll('td img, td b').length"), 0)
      for (const { id, name } of data as ReadonlyArray<{ id: string; name: string }>) {
        const shown = await page.evaluate<string>(
          `[...document.querySelectorAll("tr")].find((row) => row.innerHTML.includes(${JSON.stringify(id)})).querySelector("bdi").textContent`
        )
        assert.strictEqual(shown, name.replaceAll("\u202e", ""))
        await page.goto(`${served().url}/ui/keys/${id}`)
        await page.getByRole("button", { name: "Revoke" }).click()
        assert.isTrue(await page.evaluate<boolean>(isAsWideAsTheWindow))
        await page.locator("dialog input").fill(name)
        await page.locator("dialog button.danger").click()
        await page.getByText("revoked", { exact: true }).waitFor()
        await page.goto(`${served().url}/ui/keys`, { waitUntil: "networkidle" })
      }
    }))

  it("never shows as free what nobody knows the price of, and large amounts to the nano-dollar", () =>
    signedIn(async (page) => {
      const { requests } = served().gateway
      const [known] = answered(0).attempts
      assert.isDefined(known)
      requests.ended(
        answered(0, { priced: false, deployment: "demo/large", attempts: [{ ...known!, deployment: "demo/large" }] })
      )
      await page.goto(`${served().url}/ui/?range=24h`)
      const tile = page.locator(".tile dd").first()
      await tile.waitFor()
      assert.strictEqual(await tile.innerText(), "unknown")
      await page.getByText("1 responses without a price").waitFor()
      requests.ended(answered(1_000_000_000_001))
      await page.goto(`${served().url}/ui/?range=24h`, { waitUntil: "networkidle" })
      assert.strictEqual(await tile.innerText(), "$1,000 + unknown")
      assert.strictEqual(await tile.getAttribute("title"), "$1,000.000000001")
      assert.isTrue(await page.evaluate<boolean>(isAsWideAsTheWindow))
    }))
})

describe.skipIf(tools === undefined)("10,000 teams", () => {
  const { served, signedIn } = eachSignedIn()
  const SLOWEST_MS = 5_000

  it("are shown a page at a time, found by a part of their name, and do not keep the keys from being made", () =>
    signedIn(async (page) => {
      const { keys } = served().gateway
      const limits = { rpm: undefined, tpm: undefined, maxParallel: undefined }
      const budgets = [{ limit: 1_000_000_000, window: "month", timeZone: "UTC" }] as const
      await Effect.runPromise(
        Effect.forEach(
          Array.from({ length: 10_000 }, (_, number) => `squad ${String(number).padStart(5, "0")}`),
          (name) => keys.putTeam(name, { limits, budgets }),
          { concurrency: 500, discard: true }
        )
      )
      const began = performance.now()
      await page.goto(`${served().url}/ui/teams`, { waitUntil: "networkidle" })
      assert.isBelow(performance.now() - began, SLOWEST_MS)
      assert.strictEqual(await page.locator("tbody tr").count(), 100)
      assert.isTrue(await page.evaluate<boolean>(isAsWideAsTheWindow))
      await page.getByRole("link", { name: "More" }).click()
      await page.getByText("squad 00199", { exact: true }).waitFor()
      await page.getByLabel("Name of a team").fill("09876")
      await page.getByLabel("Name of a team").press("Enter")
      await page.getByText("squad 09876", { exact: true }).waitFor()
      await page.goto(`${served().url}/ui/keys`, { waitUntil: "networkidle" })
      await page.getByRole("button", { name: "New key" }).click()
      await page.locator("dialog input[name=name]").fill("of the last team")
      await page.locator("dialog input[name=team]").fill("squad 09999")
      await page.getByRole("button", { name: "Create key" }).click()
      await page.locator("[data-secret]").waitFor()
      const [made] = await Effect.runPromise(served().gateway.admin("GET", "/admin/keys?q=last")).then(
        ({ json }) => json.data
      )
      assert.strictEqual(made.team, "squad 09999")
    }))
})

describe.skipIf(tools === undefined)("an admin API in trouble", () => {
  const { admin, served, signedIn } = eachSignedIn()

  const answering = (
    page: BrowserPage,
    answer: Parameters<Parameters<Parameters<BrowserPage["route"]>[1]>[0]["fulfill"]>[0]
  ) => page.route(/\/admin\/keys/, (route) => route.fulfill(answer))

  it("says what it says, with the request's id, and goes on when it is well again", () =>
    signedIn(async (page) => {
      await answering(page, {
        status: 200,
        headers: { "x-request-id": "req_of_it" },
        contentType: "text/html",
        body: "<h1>A proxy</h1>"
      })
      await page.goto(`${served().url}/ui/keys`)
      await page.getByText("can't be read").waitFor()
      await page.getByText("Request req_of_it").waitFor()
      await page.unrouteAll()
      await answering(page, { status: 200, json: { object: "list" } })
      await page.getByRole("button", { name: "Try again" }).click()
      await page.getByText("is not as expected").waitFor()
      await page.unrouteAll()
      await page.locator("nav").getByRole("link", { name: "Teams" }).click()
      await page.getByText("No teams yet.").waitFor()
      await page.locator("nav").getByRole("link", { name: "Keys" }).click()
      await page.getByText("No keys yet").waitFor()
      assert.strictEqual(await page.getByRole("alert").count(), 0)
    }))

  it("shows that it waits, and what is old as old", () =>
    signedIn(async (page) => {
      await admin("POST", "/admin/keys", { name: "there" })
      let go = () => {}
      const held = new Promise<void>((resolve) => {
        go = resolve
      })
      await page.goto(`${served().url}/ui/keys`)
      await page.getByRole("link", { name: "there" }).waitFor()
      await page.route(/\/admin\/keys/, async (route) => {
        await held
        await route.continue()
      })
      await page.getByLabel("Status").selectOption("revoked")
      await page.locator("main [aria-busy=true]").waitFor()
      go()
      await page.getByText("No key matches.").waitFor()
      assert.strictEqual(await page.locator("main [aria-busy=true]").count(), 0)
    }))

  it("loses nothing of what somebody writes when the session ends meanwhile", () =>
    signedIn(async (page) => {
      await page.goto(`${served().url}/ui/keys`, { waitUntil: "networkidle" })
      await page.getByRole("button", { name: "New key" }).click()
      await page.locator("dialog input[name=name]").fill("written before")
      await page.getByLabel("Budget, USD").fill("7.25")
      await admin("DELETE", "/admin/sessions")
      await page.getByRole("button", { name: "Create key" }).click()
      await page.getByRole("heading", { name: "The session has ended" }).waitFor()
      await page.getByLabel("Master key").fill(masterKey)
      await page.getByRole("button", { name: "Sign in" }).click()
      await holds(page, "document.querySelectorAll('dialog').length === 1")
      await page.getByRole("button", { name: "Create key" }).click()
      await page.locator("[data-secret]").waitFor()
      const [made] = (await admin("GET", "/admin/keys?q=written")).json.data
      assert.deepInclude(made.budgets[0], { usd: 7.25 })
    }))
})

describe.skipIf(tools === undefined).each(["America/New_York", "Asia/Kolkata", "Pacific/Chatham"])(
  "in %s",
  (timezoneId) => {
    const { served, signedIn } = eachSignedIn({ context: { timezoneId } })

    it("draws every request in the day in which it was, and shows times of UTC to who wants them", () =>
      signedIn(async (page) => {
        const day = 86_400_000
        for (const ago of [0, 3, 9]) served().gateway.requests.ended(answered(1_000, { at: Date.now() - ago * day }))
        await page.goto(`${served().url}/ui/?range=30d`, { waitUntil: "networkidle" })
        const threeBars = "document.querySelectorAll('[aria-label^=\"Requests by outcome\"] rect.s0').length === 3"
        await holds(page, threeBars)
        const chart = page.locator("[aria-label^='Requests by outcome']")
        await chart.focus()
        await page.keyboard.press("ArrowRight")
        // Of the hour of UTC that runs: hours are what days are made of.
        const today = await page.evaluate<string>(
          "new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' }).format(Date.now() - (Date.now() % 3_600_000))"
        )
        assert.include(await page.evaluate<string>("document.activeElement.closest('.chart').innerText"), today)
        await page.getByLabel("Time zone").selectOption("UTC")
        await page.locator(".tiles").waitFor()
        await holds(page, "document.querySelector('select[aria-label=\"Time zone\"]')?.value === 'UTC'")
        await page.goto(`${served().url}/ui/?range=30d`, { waitUntil: "networkidle" })
        await holds(page, threeBars)
      }))

    it("ends with the day that ends in the last hour, not with one that hardly began", () =>
      signedIn(async (page) => {
        const midnight = await page.evaluate<number>("new Date(Date.now() - 5 * 86_400_000).setHours(0, 0, 0, 0)")
        const last = midnight - 10 * 60_000
        served().gateway.requests.ended(answered(1_000, { at: last }))
        const span = { from: new Date(last - 20 * 86_400_000).toISOString(), to: new Date(last).toISOString() }
        await page.goto(`${served().url}/ui/?${new URLSearchParams(span)}`, { waitUntil: "networkidle" })
        await page.locator("[aria-label^='Requests by outcome']").focus()
        await page.keyboard.press("ArrowRight")
        const readout = await page.evaluate<string>("document.activeElement.closest('.chart').innerText")
        const day = await page.evaluate<string>(
          `new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' }).format(${last})`
        )
        assert.include(readout, day)
        assert.match(readout, /completed 1\n/)
      }))
  }
)

describe.skipIf(tools === undefined)("a large gateway", () => {
  it("shows a thousand deployments part by part, and hundreds of keys in one table", async () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `{ id: d${index}, provider: demo, model: mini }`)
    const served = await serve("", demoYaml.replace("demo/cut-3]", `demo/cut-3, ${many.join(", ")}]`))
    const browser = await openBrowser()
    const page = await (await browser.newContext({ locale: "en-US" })).newPage()
    for (let made = 0; made < 201; made++) await Effect.runPromise(served.gateway.createKey())
    await signIn(page, served.url)
    await page.getByRole("heading", { name: "Overview" }).waitFor()
    await page.goto(`${served.url}/ui/deployments`)
    await page.getByText("The first 200 of 1,006").waitFor()
    assert.strictEqual(await page.locator("tbody tr").count(), 200)
    await page.getByLabel("Part of a deployment's name, or a bucket").fill("d999")
    await page.getByRole("link", { name: "d999" }).waitFor()
    await page.goto(`${served.url}/ui/keys`)
    await holds(page, `document.querySelectorAll("tbody tr").length === 201`)
    await browser.close()
    await served.stop()
  })
})
