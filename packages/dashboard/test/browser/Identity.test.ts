/** What people with roles see of the dashboard. */
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Browser, BrowserPage } from "../../../../scripts/browser/Browser.ts"
import { addPerson, type GivenRoles, peopleYaml, sessionOf } from "../../../gateway/test/support/People.ts"
import { openBrowser, serve, type Served, tools } from "../support/Opened.ts"

describe.skipIf(tools === undefined)("a person in the browser", () => {
  let browser: Browser
  let served: Served

  beforeAll(async () => {
    browser = await openBrowser()
    served = await serve("", peopleYaml)
    await Effect.runPromise(
      served.gateway.admin("PUT", "/admin/teams/red", { budgets: [{ usd: 10, window: "month" }] })
    )
    await Effect.runPromise(served.gateway.admin("PUT", "/admin/teams/blue", {}))
  })
  afterAll(async () => {
    await browser.close()
    await served.stop()
  })

  /** A page on which the person is signed in. */
  const signedIn = async (name: string, roles: GivenRoles): Promise<BrowserPage> => {
    await Effect.runPromise(addPerson(served.gateway, name, roles))
    const { headers } = await Effect.runPromise(sessionOf(served.gateway, name))
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${served.url}/ui/login`)
    const [cookie, value] = headers.cookie.split("=")
    await context.addCookies([{ name: cookie!, value: value!, url: `${served.url}/admin` }])
    await page.evaluate(
      `localStorage.setItem("model-gateway-session", ${JSON.stringify(headers["x-gateway-session"])})`
    )
    await page.goto(`${served.url}/ui/teams`)
    await page.getByText(`Person ${name}`).waitFor()
    return page
  }

  it("offers the identity provider first, and the master key behind a line", async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${served.url}/ui/`)
    await page.getByRole("button", { name: "Sign in with corp" }).waitFor()
    await page.getByText("Use the master key").click()
    await page.getByLabel("Master key").waitFor()
    assert.include(await page.evaluate<string>("document.body.innerText"), "Sign in with corp")
    await context.close()
  })

  it("shows a team admin the own team and no page of the whole gateway", async () => {
    const page = await signedIn("lead", { teams: { red: "admin" } })
    await page.getByRole("link", { name: "red" }).waitFor()
    const links = await page.evaluate<string>("document.body.innerText")
    assert.notInclude(links, "blue")
    assert.notInclude(links, "Deployments")
    for (const path of ["", "keys", "requests", "settings", "settings/people", "settings/audit"]) {
      await page.goto(`${served.url}/ui/${path}`)
      await page.getByRole("link", { name: "Person lead" }).waitFor()
      assert.notInclude(await page.evaluate<string>("document.body.innerText"), "needs the role", path)
    }
  })

  it("lets a team admin set what personal keys may do, and says what can't be right", async () => {
    const page = await signedIn("owner", { teams: { red: "admin" } })
    await page.getByRole("link", { name: "red" }).click()
    await page.getByText("Members may make keys").waitFor()
    await page.getByRole("button", { name: "Edit the policy" }).click()
    await page.getByText("Members may make keys for themselves.").click()
    await page.getByLabel("Longest lifetime, days").fill("0.001")
    await page.getByLabel("Allowed models").fill("auto, openai/*")
    await page.getByLabel("Budget, USD").fill("7")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("a whole number from 3600").waitFor()
    await page.getByLabel("Longest lifetime, days").fill("90")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("yes, 5 each").waitFor()
    await page.getByText("$7 per month").waitFor()
    const { json } = await Effect.runPromise(served.gateway.admin("GET", "/admin/teams/red/policy"))
    const { budgets, enabled, max_lifetime_seconds, models } = json.personal_keys
    assert.deepStrictEqual([enabled, max_lifetime_seconds, models], [true, 90 * 86_400, ["auto", "openai/*"]])
    assert.deepInclude(budgets[0], { usd: 7, window: "month" })
  })

  it("lets a member make a key, shows its secret once, and what it spent", async () => {
    await Effect.runPromise(
      served.gateway.admin("PUT", "/admin/teams/green/policy/personal_keys", {
        enabled: true,
        budgets: [{ usd: 5, window: "month" }]
      })
    )
    const page = await signedIn("grace", { teams: { green: "member" } })
    await page.getByRole("link", { name: "Person grace" }).click()
    await page.getByText("You have no personal key.").waitFor()
    await page.getByText("$5.00", { exact: true }).waitFor()
    await page.getByRole("button", { name: "New key" }).click()
    await page.getByLabel("Name").fill("laptop")
    await page.getByLabel("Addresses it may be used from").fill("not an address")
    await page.getByRole("button", { name: "Create key" }).click()
    await page.getByText("an address or a network").waitFor()
    await page.getByLabel("Addresses it may be used from").fill("")
    await page.getByRole("button", { name: "Create key" }).click()
    await page.getByText("New key created").waitFor()
    await page.getByRole("button", { name: "Done" }).click()
    await page.getByRole("link", { name: "laptop" }).waitFor()
    await page.getByText("$0 for 0 requests").waitFor()
    assert.notInclude(await page.evaluate<string>("document.body.innerText"), "mgw_")
  })

  it("approves a program by a code that is typed, and signs it out", async () => {
    const page = await signedIn("joan", { teams: { red: "member" } })
    const begun = await fetch(`${served.url}/oauth/device_authorization`, {
      method: "POST",
      headers: { "user-agent": "a-program/1.0" },
      body: new URLSearchParams({ client_id: "model-gateway-cli" })
    })
    const { user_code } = (await begun.json()) as { readonly user_code: string }
    await page.goto(`${served.url}/ui/device?code=${user_code}`)
    assert.strictEqual(await page.getByLabel("The code").inputValue(), "")
    await page.getByLabel("The code").fill("BBBB-BBBB")
    await page.getByRole("button", { name: "Continue" }).click()
    await page.getByText("It may have expired.").waitFor()
    await page.getByLabel("The code").fill(user_code)
    await page.getByRole("button", { name: "Continue" }).click()
    await page.getByText("a-program/1.0").waitFor()
    await page.getByText("127.0.0.1").waitFor()
    await page.getByRole("button", { name: "Approve" }).click()
    await page.getByText("Approved.").waitFor()
  })

  it("shows a viewer the deployments and people, without a button that would be refused", async () => {
    const page = await signedIn("viewer", { role: "viewer" })
    await page.goto(`${served.url}/ui/settings/people`)
    await page.getByText("lead@example.com").waitFor()
    const text = await page.evaluate<string>("document.body.innerText")
    assert.include(text, "Deployments")
    assert.notInclude(text, "Disable")
  })
})
