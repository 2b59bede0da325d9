/** Once for all test files: the dashboard as its sources say, and a browser, where there is one. */
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { buildDashboard } from "../../../../scripts/dashboard.ts"
import { sourcesOf } from "../../../../scripts/dashboard-sources.mjs"
import { type BrowserTools, browserTools } from "../../../../scripts/browser/Tools.ts"

declare module "vitest" {
  interface ProvidedContext {
    browser: BrowserTools | undefined
  }
}

const root = join(import.meta.dirname, "..", "..", "..", "..")

export default async ({ provide }: TestProject): Promise<void> => {
  if (!sourcesOf(root).isBuilt) await buildDashboard(join(root, "packages", "gateway", "dist", "ui"))
  const tools = await browserTools()
  if (tools === undefined) {
    const message = "no Chromium found; install one or set CHROME_PATH"
    if (process.env["CI"] === "true") throw new Error(message)
    console.log(`SKIP the dashboard's browser tests: ${message}`)
  }
  provide("browser", tools)
}
