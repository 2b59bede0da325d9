/** What each page tells beyond the journeys: every figure is the admin API's. */
import { assert, beforeAll, describe, it } from "vitest"
import { chat, holds, tools } from "../support/Opened.ts"
import { eachSignedIn } from "../support/Session.ts"

const nano = (usd: number) => Math.round(usd * 1e9)

/** `$0.0012` → nano-USD. */
const nanoIn = (text: string) => nano(Number(text.replaceAll(/[$,]/g, "")))

describe.skipIf(tools === undefined)("the details", () => {
  const { admin, served, signedIn } = eachSignedIn()
  let key: { readonly id: string; readonly key: string }

  beforeAll(async () => {
    await admin("PUT", "/admin/teams/poor", { budgets: [{ usd: 0.000_000_003, window: "day" }] })
    key = (await admin("POST", "/admin/keys", { name: "dear", tags: ["nightly"] })).json
    const poor = (await admin("POST", "/admin/keys", { name: "poor", team: "poor", limits: { rpm: 2 } })).json
    for (const content of ["Hi", "Prove that 2 is prime.", "Thanks"]) await chat(served(), key.key, "auto", content)
    await chat(served(), key.key, "demo/status-500", "Hello")
    for (let times = 0; times < 3; times++) await chat(served(), poor.key, "demo/mini", "Hello")
    const rated = (await admin("GET", "/admin/requests?status=ok&limit=3")).json.data
    for (const [index, { id }] of rated.entries()) {
      const answer = await fetch(`${served().gateway.url}/v1/receipts/${id}/feedback`, {
        method: "POST",
        headers: { authorization: `Bearer ${key.key}`, "content-type": "application/json" },
        body: JSON.stringify({ score: index === 0 ? 0.25 : 1 })
      })
      assert.strictEqual(answer.status, 200)
    }
  })

  const rowsIn = (title: string) =>
    `[...[...document.querySelectorAll(".card")].find((one) => one.querySelector("h2")?.textContent === ${JSON.stringify(title)}).querySelectorAll("tbody tr")].map((row) => [...row.cells].map((cell) => cell.title || cell.innerText.trim()))`

  it("names the most expensive keys and teams, what failed last, and unhealthy deployments", () =>
    signedIn(async (page) => {
      await page.goto(`${served().url}/ui/?range=24h`, { waitUntil: "networkidle" })
      const { json } = await admin("GET", "/admin/overview")
      const rows = (title: string) => page.evaluate<ReadonlyArray<ReadonlyArray<string>>>(rowsIn(title))
      const costs = (found: ReadonlyArray<ReadonlyArray<string>>) =>
        found.map((cells) => [cells[0], nanoIn(cells.at(-1) ?? "")])
      assert.deepStrictEqual(
        costs(await rows("Most expensive keys")),
        json.keys.map((one: { name: string; cost_usd: number }) => [one.name, nano(one.cost_usd)])
      )
      assert.deepStrictEqual(
        costs(await rows("Most expensive teams")),
        json.teams.map((one: { team: string | null; cost_usd: number }) => [one.team ?? "no team", nano(one.cost_usd)])
      )
      assert.strictEqual((await rows("Latest failures")).length, json.failures.length)
      assert.deepStrictEqual(
        (await rows("Unhealthy deployments")).map(([id]) => id),
        json.deployments.map((one: { id: string }) => one.id)
      )
      await page.getByRole("link", { name: "dear", exact: true }).first().click()
      await page.waitForURL(new RegExp(`keys/${key.id}$`))
    }))

  it("shows model rules and templates, and spend and requests by end user, session and model", () =>
    signedIn(async (page) => {
      const held = {
        model_rules: [{ match: ["demo/large"], limits: { rpm: 7 }, budgets: [{ usd: 50, window: "day" }] }],
        per_end_user: { budgets: [{ usd: 2, window: "month" }] },
        per_session: { limits: { tpm: 1234 } }
      }
      await admin("PUT", "/admin/teams/product", held)
      const held_key = (await admin("POST", "/admin/keys", { ...held, team: "product", end_user: { required: true } }))
        .json
      const answer = await fetch(`${served().gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${held_key.key}`,
          "content-type": "application/json",
          "x-gateway-end-user": "ann",
          "x-gateway-session-id": "s-1"
        },
        body: JSON.stringify({ model: "demo/mini", messages: [{ role: "user", content: "Hi" }] })
      })
      assert.strictEqual(answer.status, 200)
      for (const path of ["teams/product", `keys/${held_key.id}`]) {
        await page.goto(`${served().url}/ui/${path}`)
        await page.getByText("7 requests per minute, $50.00 per day (UTC)").waitFor()
        await page.getByText("$2.00 per month (UTC)").waitFor()
        await page.getByText("1,234 tokens per minute").waitFor()
      }
      await page.getByText("Read from X-Gateway-End-User, and required.").waitFor()
      for (const [by, named] of [
        ["session", "s-1"],
        ["model", "mini"],
        ["end_user", "ann"]
      ] as const) {
        await page.goto(`${served().url}/ui/spend?team=product&by=${by}`)
        await page.getByText(named, { exact: true }).first().waitFor()
      }
      await page.getByRole("link", { name: "ann" }).click()
      await page.waitForURL(/requests\?end_user=ann$/)
      await holds(page, "document.querySelectorAll('tbody tr').length === 1")
      await page.locator("tbody tr a").first().click()
      await page.getByText("Routing decision").waitFor()
      const client = await page.locator(".card").last().innerText()
      for (const named of ["ann", "s-1"]) assert.include(client, named)
    }))

  it("leads from a chart to the requests of that time, by keyboard too, and tells any span of time", () =>
    signedIn(async (page) => {
      await page.goto(`${served().url}/ui/?range=24h`, { waitUntil: "networkidle" })
      await page.locator(".chart svg.leads").first().focus()
      await page.keyboard.press("ArrowLeft")
      await page.keyboard.press("ArrowRight")
      await page.keyboard.press("Enter")
      await page.waitForURL(/requests\?from=.+&to=/)
      const { searchParams } = new URL(page.url())
      const query = `from=${searchParams.get("from")}&to=${searchParams.get("to")}`
      const { json } = await admin("GET", `/admin/requests?${query}`)
      await holds(page, `document.querySelectorAll("tbody tr").length === ${json.data.length}`)
      await page.goto(`${served().url}/ui/?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z`)
      await page.getByText("No requests in this period.").waitFor()
      assert.strictEqual(await page.getByText("Get started").count(), 0)
      await page.getByLabel("to", { exact: true }).fill("2099-01-01T00:00")
      await page.locator(".tiles").waitFor()
      await holds(page, `!document.body.innerText.includes("No requests in this period.")`)
      const total = (await admin("GET", "/admin/traffic?from=2026-01-01&to=2099-01-01")).json.total.requests
      assert.match(await page.locator(".tiles").innerText(), new RegExp(`Requests, \\d+\\sdays\n${total}\n`))
    }))

  it("says which limit refused a request, and counts the refusals of a key by their errors", () =>
    signedIn(async (page) => {
      const [receipt] = (await admin("GET", "/admin/requests?error=budget&limit=1")).json.data
      await page.goto(`${served().url}/ui/requests?status=refused`)
      await page.getByText("day budget").first().waitFor()
      await page.goto(`${served().url}/ui/requests/${receipt.id}`)
      await page.getByText("Exhausted budget").waitFor()
      const said = await page.locator(".card").first().innerText()
      for (const usd of [receipt.refused_by.limit_usd, receipt.refused_by.needed_usd]) {
        assert.include(said, usd.toFixed(9).replace(/0+$/, ""))
      }
      await page.getByRole("link", { name: "team poor" }).waitFor()
      await page.goto(`${served().url}/ui/keys/${receipt.key_id}`)
      await page.getByText("Refused: budget 2, rate limit exceeded 1").waitFor()
      await page.getByRole("link", { name: "rate limit exceeded" }).first().click()
      await page.getByText("Error returned to the client").waitFor({ state: "hidden" })
      await page.locator("tbody tr a").first().click()
      await page.getByText("Error returned to the client").waitFor()
    }))

  it("shows the columns that somebody wants, also the next time", () =>
    signedIn(async (page) => {
      await page.goto(`${served().url}/ui/requests`)
      const titles = () =>
        page.evaluate<ReadonlyArray<string>>("[...document.querySelectorAll('th')].map((one) => one.innerText)")
      await page.locator(".menu summary").click()
      for (const name of ["Tags", "Bucket"]) await page.getByLabel(name, { exact: true }).click()
      await page.goto(`${served().url}/ui/requests?key=${key.id}`)
      await page.getByText("nightly").first().waitFor()
      assert.include(await titles(), "Tags")
      assert.notInclude(await titles(), "Bucket")
      await page.locator(".menu summary").click()
      await page.getByRole("button", { name: "Default columns" }).click()
      assert.include(await titles(), "Bucket")
    }))

  it("tells how auto scored prompts and what callers thought of its answers, and explains for one key", () =>
    signedIn(async (page) => {
      await page.goto(`${served().url}/ui/router`, { waitUntil: "networkidle" })
      const { json } = await admin("GET", "/admin/traffic?histograms=true")
      const classes: ReadonlyArray<{ from: number; to: number; count: number }> = json.histograms.scores
      const told = (await page.locator("[aria-label^='Scores of requests to auto']").getAttribute("aria-label")) ?? ""
      const all = classes
        .filter(({ count }) => count > 0)
        .map(({ count, from, to }) => `${from.toFixed(2)} to ${to.toFixed(2)}: ${count}`)
      assert.strictEqual(told, `Scores of requests to auto. ${all.join(", ")}`)
      assert.strictEqual(await page.locator(".chart .mark").count(), 3)
      const receipts = (await admin("GET", "/admin/requests?feedback=given")).json.data
      const rows = await page.evaluate<ReadonlyArray<ReadonlyArray<string>>>(rowsIn("Feedback by bucket"))
      assert.isAbove(rows.length, 0)
      for (const [bucket, rated, , mean] of rows) {
        const scores = receipts
          .filter((one: { decision: { bucket: string } }) => one.decision.bucket === bucket)
          .map((one: { feedback: { score: number } }) => one.feedback.score)
        const sum = scores.reduce((total: number, score: number) => total + score, 0)
        assert.deepStrictEqual([rated, mean], [String(scores.length), (sum / scores.length).toFixed(2)])
      }
      const only = (await admin("POST", "/admin/keys", { models: ["auto", "demo/mini"] })).json
      await page.getByLabel("Prompt").fill("Prove that 2 is prime.")
      await page.getByLabel("Key", { exact: true }).fill(only.id)
      await page.getByRole("button", { name: "Explain", exact: true }).click()
      await page.locator(".warning, .failure").first().waitFor()
    }))

  it("draws the last day of each deployment, finds one, and takes a deed back", () =>
    signedIn(async (page) => {
      await page.goto(`${served().url}/ui/deployments`)
      const { rows } = (await admin("GET", "/admin/traffic?group_by=deployment")).json
      const mini = rows.find((one: { deployment: string }) => one.deployment === "demo/mini")
      await page.locator(`.spark[aria-label^="${mini.attempts} calls in 24 hours"]`).first().waitFor()
      await page.getByRole("button", { name: "Disable demo/large" }).click()
      await page.getByRole("button", { name: "Undo" }).click()
      await page.getByText("demo/large is enabled.").waitFor()
      await page.getByLabel("Part of a deployment's name, or a bucket").fill("reason")
      await holds(page, "document.querySelectorAll('tbody tr').length === 1")
      assert.match(page.url(), /deployments\?q=reason$/)
    }))

  it("hands out a new key with lines for each client", () =>
    signedIn(async (page) => {
      await page.goto(`${served().url}/ui/keys`)
      await page.getByRole("button", { name: "New key" }).click()
      await page.getByRole("button", { name: "Create key" }).click()
      await page.getByText("Use it", { exact: true }).click()
      for (const [name, line] of [
        ["curl", `curl ${served().url}/v1/chat/completions`],
        ["OpenAI SDK", `base_url="${served().url}/v1"`],
        ["LangChain", `baseUrl: "${served().url}"`],
        ["Codex", `base_url = "${served().url}/v1"`],
        ["VS Code", `address ${served().url}`]
      ] as const) {
        await page.getByRole("button", { name, exact: true }).click()
        assert.include(await page.locator("dialog pre").innerText(), line)
      }
    }))
})

describe.skipIf(tools === undefined)("an empty gateway", () => {
  const { admin, served, signedIn } = eachSignedIn()

  it("tells what there is to do, and what of it is done", () =>
    signedIn(async (page) => {
      await page.getByText("Get started").waitFor()
      const done = () => page.evaluate<number>("document.querySelectorAll('.steps .done').length")
      assert.strictEqual(await done(), 0)
      await admin("POST", "/admin/keys", { name: "first", budgets: [{ usd: 1, window: "day" }] })
      await page.goto(`${served().url}/ui/`, { waitUntil: "networkidle" })
      await page.getByText("Get started").waitFor()
      assert.strictEqual(await done(), 2)
      await page.getByRole("button", { name: "Hide" }).click()
      await page.goto(`${served().url}/ui/`, { waitUntil: "networkidle" })
      assert.strictEqual(await page.getByText("Get started").count(), 0)
    }))
})
