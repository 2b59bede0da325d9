/** A gateway as people run it, with a file that changes, a stop in the middle of a session, and somebody who guesses keys. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Browser } from "../../../../scripts/browser/Browser.ts"
import { gatewayProcess, listening } from "../../../gateway/test/support/GatewayProcess.ts"
import { masterKey, openBrowser, pictured, signIn, tools, watch } from "../support/Opened.ts"

const PROVIDER_KEY = "sk-of-the-provider-0123456789"

const folder = mkdtempSync(join(tmpdir(), "model-gateway-dashboard-"))

const yaml = (model: string) => `
master_key: "${masterKey}"
store: { sqlite: "${join(folder, "gateway.db")}" }
providers:
  demo: { vendor: demo }
  spare: { protocol: openai-chat, base_url: "http://127.0.0.1:9/v1", api_key: ${PROVIDER_KEY} }
deployments:
  - demo/mini
  - demo/${model}
alerts: [{ on: circuit, url: "https://hooks.example.com/gateway", secret: "a-secret-of-the-receiver" }]
`

describe.skipIf(tools === undefined)("a gateway that is stopped and changed", () => {
  let browser: Browser
  const scope = Scope.makeUnsafe()
  const file = join(folder, "gateway.yaml")

  const start = (port = "0") =>
    Effect.runPromise(Scope.provide(gatewayProcess(["serve", "--config", file, "--port", port], listening), scope))

  beforeAll(async () => {
    browser = await openBrowser()
    writeFileSync(file, yaml("standard"))
  })
  afterAll(async () => {
    await browser.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(folder, { recursive: true, force: true })
  })

  it("shows its file without secrets, where a mistake stands, and that a reload took over what was mended", async () => {
    const gateway = await start()
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const { complaints, page } = await watch(context, gateway.ready)
    await pictured(page, async () => {
      await signIn(page, gateway.ready)
      await page.getByRole("heading", { name: "Overview" }).waitFor()
      await page.goto(`${gateway.ready}/ui/settings`)
      await page.getByText("deployments[1]").waitFor()
      const shown = await page.evaluate<string>("document.documentElement.outerHTML")
      for (const secret of [masterKey, PROVIDER_KEY, "a-secret-of-the-receiver"]) assert.notInclude(shown, secret)
      await page.getByText("alerts[0].on").waitFor()

      writeFileSync(file, yaml("standard").replace("  - demo/mini", "  - dem/mini"))
      await page.getByRole("button", { name: "Reload the file" }).click()
      await page.getByText("Nothing changed.").waitFor()
      const line = yaml("").split("\n").indexOf("  - demo/mini") + 1
      assert.include(await page.getByRole("alert").innerText(), `gateway.yaml:${line}:`)

      writeFileSync(file, yaml("large"))
      await page.getByRole("button", { name: "Reload the file" }).click()
      await page.getByText("The file is active.").waitFor()
      await page.getByText("config.reload").waitFor()
      await page.locator("nav").getByRole("link", { name: "Deployments" }).click()
      await page.getByRole("link", { name: "demo/large" }).waitFor()
    })
    await context.close()
    assert.deepStrictEqual(complaints, [])
    await Effect.runPromise(gateway.end("SIGTERM"))
  })

  it("goes on with the session after a restart, and says meanwhile that it can't be reached", async () => {
    const first = await start()
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const { page } = await watch(context, first.ready)
    await pictured(page, async () => {
      await signIn(page, first.ready)
      await page.getByRole("heading", { name: "Overview" }).waitFor()
      await page.goto(`${first.ready}/ui/requests?live=1`, { waitUntil: "load" })
      await page.getByText("Waiting for requests to end").waitFor()
      await Effect.runPromise(first.end("SIGKILL"))
      await page.getByText("can't be reached").waitFor()
      await page.getByRole("button", { name: "Live", exact: true }).click()
      await page.getByRole("button", { name: "Go live" }).waitFor()
      await page.getByText("can't be reached").first().waitFor()
      const second = await start(new URL(first.ready).port)
      assert.strictEqual(second.ready, first.ready)
      await page.getByRole("button", { name: "Try again" }).first().click()
      await page.getByText("No requests yet.").waitFor()
      await page.locator("nav").getByRole("link", { name: "Keys" }).click()
      await page.getByText("No keys yet").waitFor()
      await Effect.runPromise(second.end("SIGTERM"))
    })
    await context.close()
  })

  it("tells who guesses keys to wait, and still takes the right one", async () => {
    const gateway = await start()
    const context = await browser.newContext()
    const { complaints, page } = await watch(context, gateway.ready)
    await pictured(page, async () => {
      await page.goto(`${gateway.ready}/ui/`)
      for (let tries = 0; tries < 20; tries++) {
        await fetch(`${gateway.ready}/admin/session`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ master_key: `guess-${tries}` })
        })
      }
      await page.getByLabel("Master key").fill("guess-21")
      await page.getByRole("button", { name: "Sign in" }).click()
      await page.getByRole("alert").waitFor()
      assert.match(await page.getByRole("alert").innerText(), /too many|wait|try again/i)
      await page.getByLabel("Master key").fill(masterKey)
      await page.getByRole("button", { name: "Sign in" }).click()
      await page.getByRole("heading", { name: "Overview" }).waitFor()
    })
    await context.close()
    assert.deepStrictEqual(complaints, [])
    await Effect.runPromise(gateway.end("SIGTERM"))
  })
})
