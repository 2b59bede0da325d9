/**
 * The load, in a process of its own: runs the jobs its parent sends, one after the other, and reports each. Every answer is looked
 * at, one in fifty is read; the first wrong one ends the job.
 */
import { type Dispatcher, Pool } from "undici"
import { Answer } from "./Answer.ts"
import type { Job, Report } from "./Job.ts"
import { shapes } from "./Workload.ts"

/** Where the rate is fixed. More requests that wait for an answer than this are a failure of its own. */
const MOST_IN_FLIGHT = 5_000
const MOST_CONNECTIONS = 512

/** Prime, so that all end users have their turn, and not in the order of their names. */
const STEP = 7_919

class Load {
  private readonly job: Job
  private readonly pool: Pool
  private readonly request: Dispatcher.DispatchOptions
  private readonly latencies: Array<number> = []
  private readonly firsts: Array<number> = []
  private readonly began = performance.now()
  private readonly until: number
  private readonly done: (report: Report) => void
  private inFlight = 0
  private sent = 0
  private events = 0
  private over = false

  constructor(job: Job, done: (report: Report) => void) {
    this.job = job
    this.done = done
    const connections = "rate" in job.pace ? MOST_CONNECTIONS : job.pace.concurrency
    const patience = { headersTimeout: 30_000, bodyTimeout: 30_000 }
    this.pool = new Pool(job.url, { connections, pipelining: 1, ...patience })
    this.request = {
      path: shapes[job.shape ?? "chat"].path,
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${job.key}`, ...job.headers },
      body: job.body
    }
    this.until = this.began + job.seconds * 1000
    if ("rate" in job.pace) this.tick(job.pace.rate)
    else for (let index = 0; index < job.pace.concurrency; index++) this.send()
  }

  /** Sends what is due. Answers that are late don't hold back the next request. */
  private tick(rate: number): void {
    const now = performance.now()
    const due = Math.floor(((Math.min(now, this.until) - this.began) * rate) / 1000)
    while (this.sent < due && !this.over) this.send()
    if (now < this.until) setTimeout(() => this.tick(rate), 1)
    else this.endIfIdle()
  }

  private send(): void {
    if (this.over) return
    if (this.inFlight >= MOST_IN_FLIGHT) return this.fail(`more than ${MOST_IN_FLIGHT} requests wait for an answer`)
    const answer = new Answer(this.job, this.sent, this.ended)
    this.inFlight++
    this.pool.dispatch(this.requestOf(this.sent++), answer)
  }

  private requestOf(number: number): Dispatcher.DispatchOptions {
    const { endUsers } = this.job
    if (endUsers === undefined) return this.request
    const headers = { ...this.request.headers, "x-gateway-end-user": `user-${(number * STEP) % endUsers}` }
    return { ...this.request, headers }
  }

  private readonly ended = (answer: Answer): void => {
    if (answer.failure !== undefined) return this.fail(answer.failure)
    const now = performance.now()
    this.inFlight--
    this.events += answer.events
    this.latencies.push(now - answer.sentAt)
    this.firsts.push(answer.firstAt - answer.sentAt)
    if ("concurrency" in this.job.pace && now < this.until) this.send()
    else this.endIfIdle()
  }

  private fail(failure: string): void {
    if (this.over) return
    this.over = true
    this.close()
    this.done({ failure: `${this.job.url}: ${failure}` })
  }

  private close(): void {
    void this.pool.destroy()
  }

  private endIfIdle(): void {
    const now = performance.now()
    if (this.over || this.inFlight > 0 || now < this.until) return
    this.over = true
    this.close()
    const latencies = Float64Array.from(this.latencies).sort()
    const firsts = Float64Array.from(this.firsts).sort()
    this.done({
      round: {
        requests: latencies.length,
        events: this.events,
        elapsed: now - this.began,
        p50: percentile(latencies, 0.5),
        p99: percentile(latencies, 0.99),
        max: latencies.at(-1) ?? 0,
        firstP50: percentile(firsts, 0.5),
        firstP99: percentile(firsts, 0.99)
      }
    })
  }
}

const percentile = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

process.on("message", (job: Job) => new Load(job, (report) => process.send?.(report)))
