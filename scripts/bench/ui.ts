/**
 * What the dashboard costs its readers: bytes, and how soon the overview is there, in a real browser on a gateway with traffic. Prints
 * figures, and fails none. `npm run bench:ui`.
 */
import { join } from "node:path"
import { Effect } from "effect"
import { demoYaml, masterKey, startGateway } from "../../packages/gateway/test/support/RunningGateway.ts"
import { launch } from "../browser/Browser.ts"
import { browserTools } from "../browser/Tools.ts"
import { sizesIn, sumOf } from "../dashboard.ts"

const TIMES = 5
const REQUESTS = 200

const root = join(import.meta.dirname, "..", "..")

/** The largest contentful paint so far, and the sum of layout shifts, as the browser counts them. */
const MEASURE = `new Promise((done) => {
  let lcp = 0, cls = 0
  new PerformanceObserver((list) => { for (const one of list.getEntries()) lcp = one.startTime }).observe({ type: "largest-contentful-paint", buffered: true })
  new PerformanceObserver((list) => { for (const one of list.getEntries()) if (!one.hadRecentInput) cls += one.value }).observe({ type: "layout-shift", buffered: true })
  setTimeout(() => done({ lcp, cls }), 300)
})`

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const sizes = sizesIn(join(root, "packages", "gateway", "dist", "ui"))
const kB = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB, gzip`
for (const { bytes, isFirst, name } of sizes.toSorted(
  (a, b) => Number(b.isFirst) - Number(a.isFirst) || b.bytes - a.bytes
)) {
  console.log(`${name.padEnd(22)} ${kB(bytes)}${isFirst ? ", with every visit" : ""}`)
}
console.log(`${"first load".padEnd(22)} ${kB(sumOf(sizes.filter(({ isFirst }) => isFirst)))}`)
console.log(`${"in all".padEnd(22)} ${kB(sumOf(sizes))}`)

const measured = Effect.gen(function* () {
  const gateway = yield* startGateway({ yaml: demoYaml })
  const key = yield* gateway.createKey()
  yield* Effect.promise(async () => {
    const tools = await browserTools()
    if (tools === undefined) return console.log("SKIP the rest: no Chromium found; install one or set CHROME_PATH")
    for (let sent = 0; sent < REQUESTS; sent++) {
      const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key.secret}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "auto", messages: [{ role: "user", content: "Hello" }] })
      })
      await answer.text()
    }
    const browser = await launch(tools)
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const page = await context.newPage()
    await page.goto(`${gateway.url}/ui/`)
    await page.getByLabel("Master key").fill(masterKey)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("heading", { name: "Overview" }).waitFor()
    const found: Array<{ readonly lcp: number; readonly cls: number }> = []
    for (let time = 0; time < TIMES; time++) {
      await page.goto(`${gateway.url}/ui/?range=1h`, { waitUntil: "networkidle" })
      found.push(await page.evaluate(MEASURE))
    }
    await browser.close()
    console.log(`overview, median of ${TIMES}, this machine, loopback, no throttling:`)
    console.log(`LCP          ${Math.round(median(found.map(({ lcp }) => lcp)))} ms`)
    console.log(`CLS          ${median(found.map(({ cls }) => cls)).toFixed(3)}`)
  })
})

await Effect.runPromise(Effect.scoped(measured))
