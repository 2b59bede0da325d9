/**
 * What the dashboard costs its readers: bytes, and how soon the overview is there, in a real browser on a gateway with traffic. Prints
 * figures, and fails none. `npm run bench:ui`.
 */
import { join } from "node:path"
import { Effect } from "effect"
import { demoYaml, masterKey, startGateway } from "../packages/gateway/test/support/RunningGateway.ts"
import { launch } from "../scripts/browser/Browser.ts"
import { browserTools } from "../scripts/browser/Tools.ts"
import { sizesIn, sumOf } from "../scripts/dashboard.ts"

const TIMES = 5
const REQUESTS = 200

const root = join(import.meta.dirname, "..")

/** The largest contentful paint so far, and the sum of layout shifts, as the browser counts them. */
const MEASURE = `new Promise((done) => {
  let lcp = 0, cls = 0
  new PerformanceObserver((list) => { for (const one of list.getEntries()) lcp = one.startTime }).observe({ type: "largest-contentful-paint", buffered: true })
  new PerformanceObserver((list) => { for (const one of list.getEntries()) if (!one.hadRecentInput) cls += one.value }).observe({ type: "layout-shift", buffered: true })
  setTimeout(() => done({ lcp, cls }), 300)
})`

/** As many as a list has at most. */
const ROWS = 1_000

const SLOWER_CPU = 4
const SLOW_NETWORK = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 1.6e6 / 8 }

/** Scrolls to the end in 120 frames; the longest task meanwhile, of those that the browser reports: 50 ms or more. */
const SCROLL = `new Promise((done) => {
  let longest = 0, frame = 0
  const end = document.documentElement.scrollHeight
  const step = () => {
    scrollTo(0, (end * ++frame) / 120)
    if (frame < 120) requestAnimationFrame(step)
    else setTimeout(() => done(longest), 300)
  }
  setTimeout(() => {
    new PerformanceObserver((list) => { for (const one of list.getEntries()) longest = Math.max(longest, one.duration) }).observe({ type: "longtask" })
    step()
  }, 1000)
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
    const measure = async (name: string) => {
      const found: Array<{ readonly lcp: number; readonly cls: number }> = []
      for (let time = 0; time < TIMES; time++) {
        await page.goto(`${gateway.url}/ui/?range=1h`, { waitUntil: "networkidle" })
        found.push(await page.evaluate(MEASURE))
      }
      const [lcp, cls] = [median(found.map((one) => one.lcp)), median(found.map((one) => one.cls))]
      console.log(`overview, median of ${TIMES}, ${name}: LCP ${Math.round(lcp)} ms, CLS ${cls.toFixed(3)}`)
    }
    const devtools = await context.newCDPSession(page)
    await devtools.send("Network.enable")
    await devtools.send("Network.setCacheDisabled", { cacheDisabled: true })
    await measure("this machine, loopback, nothing cached")
    await devtools.send("Network.emulateNetworkConditions", SLOW_NETWORK)
    await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOWER_CPU })
    await measure(`1.6 Mbit/s, 150 ms, a CPU ${SLOWER_CPU} times slower, nothing cached`)
    await devtools.send("Network.emulateNetworkConditions", { ...SLOW_NETWORK, latency: 0, downloadThroughput: -1 })
    await devtools.send("Emulation.setCPUThrottlingRate", { rate: 1 })
    const headers = { authorization: `Bearer ${masterKey}` }
    const answer = await fetch(`${gateway.url}/admin/requests?limit=1`, { headers })
    const one = (await answer.json()) as { readonly data: ReadonlyArray<object> }
    const data = Array.from({ length: ROWS }, (_, index) => ({ ...one.data[0], id: `rcpt_${index}` }))
    await page.route(/admin\/requests\?/, (route) => route.fulfill({ json: { object: "list", data, next: null } }))
    await page.goto(`${gateway.url}/ui/requests`, { waitUntil: "networkidle" })
    await page.getByText(`${ROWS.toLocaleString("en-US")} shown`).waitFor()
    const tasks: Array<number> = []
    for (let time = 0; time < TIMES; time++) tasks.push(await page.evaluate<number>(SCROLL))
    const longest = Math.round(Math.min(...tasks))
    console.log(`${ROWS} rows scrolled through, best of ${TIMES}: longest task ${longest} ms (0: none of 50 ms)`)
    await browser.close()
  })
})

await Effect.runPromise(Effect.scoped(measured))
