/**
 * `npm run acceptance:vscode`: the built extension in a real VS Code (code-server and a browser without a window) against the real gateway:
 * connecting, the picker, the chat, the status bar, the tree, `@gateway`, a budget that ends, an answer that is stopped. Its screenshots are
 * for looking at. Installs 700 MB once; where that can't be had, a line says so, and nothing is checked.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NotInstallable } from "../../../scripts/acceptance/Install.ts"
import { type Browser, launch } from "../../../scripts/browser/Browser.ts"
import { browserTools } from "../../../scripts/browser/Tools.ts"
import { makeVsix } from "../../../scripts/vsix/Vsix.ts"
import { type Suite, startSuite } from "../../conformance/src/Suite.ts"
import { type Host, startHost } from "./Host.ts"
import { type Journey, journeys } from "./Journeys.ts"
import { Workbench } from "./Workbench.ts"

const root = join(import.meta.dirname, "..", "..", "..")
const shots = join(root, "node_modules", ".cache", "model-gateway", "vscode-screenshots")
const folder = mkdtempSync(join(tmpdir(), "model-gateway-vscode-"))

/** Nobody signs in to GitHub here: `allowAnonymousAccess` keeps the dialog away that asks for it. */
const SETTINGS = {
  "chat.allowAnonymousAccess": true,
  "workbench.startupEditor": "none",
  "window.commandCenter": false,
  "telemetry.telemetryLevel": "off"
}

const count = { passed: 0, failed: 0 }

/** Everything that the editor's server wrote. */
const written = (at: string): string =>
  readdirSync(at)
    .map((name) => join(at, name))
    .map((path) => (statSync(path).isDirectory() ? written(path) : readFileSync(path, "latin1")))
    .join("\n")

const run = async (suite: Suite, host: Host, browser: Browser): Promise<void> => {
  const { id, key } = await suite.gateway.admin("POST", "/admin/keys", {
    name: "ada",
    budgets: [{ usd: 20, window: "month" }]
  })
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-US" })
  const page = await context.newPage()
  await page.goto(host.url)
  const journey: Journey = {
    bench: new Workbench(page, shots),
    gateway: suite.gateway,
    keyId: String(id),
    key: String(key),
    written: () => written(join(folder, "data", "User"))
  }
  for (const [name, go] of Object.entries(journeys)) {
    const started = performance.now()
    try {
      await go(journey)
      count.passed++
      console.log(`ok   ${name} (${Math.round(performance.now() - started)} ms)`)
    } catch (error) {
      count.failed++
      console.log(`FAIL ${name}: ${error instanceof Error ? error.message : String(error)}`)
      await page.keyboard.press("Escape")
    }
  }
}

const started: Array<() => Promise<void>> = []
try {
  const tools = await browserTools()
  if (tools === undefined) throw new NotInstallable("no Chromium found; install one or set CHROME_PATH")
  mkdirSync(shots, { recursive: true })
  const suite = await startSuite()
  started.push(suite.stop)
  const host = await startHost(folder, await makeVsix(), SETTINGS)
  started.push(host.stop)
  const browser = await launch(tools)
  started.push(() => browser.close())
  await run(suite, host, browser)
  console.log(`Screenshots are in ${shots}`)
  console.log(`${count.passed} passed, ${count.failed} failed`)
  process.exitCode = count.failed === 0 ? 0 : 1
} catch (error) {
  if (!(error instanceof NotInstallable)) throw error
  console.log(`skipped: ${error.message}`)
} finally {
  for (const stop of started.toReversed()) await stop()
  rmSync(folder, { recursive: true, force: true })
}
