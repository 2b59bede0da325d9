/** One answer as the load reads it: status, the five headers, the cost, the number of events, the end; and now and then every word. */
import type { Dispatcher } from "undici"
import type { Job } from "./Job.ts"
import { CONTENT, COST_NANO, FIVE_HEADERS, shapes } from "./Workload.ts"

const NEWLINE = 10
/** One in so many answers is parsed. */
const READ_EVERY = 50
/** The end of an answer that is kept: it may come in several pieces. */
const TAIL = 64

type Controller = Dispatcher.DispatchController
type Headers = Record<string, string | Array<string> | undefined>

export class Answer implements Dispatcher.DispatchHandler {
  /** What is wrong with it, once it has ended. */
  failure: string | undefined
  /** Events of a stream so far. */
  events = 0
  /** `performance.now()`. */
  readonly sentAt = performance.now()
  firstAt = 0
  private readonly job: Job
  private readonly ended: (answer: Answer) => void
  private readonly pieces: Array<Buffer> | undefined
  private tail: Buffer = Buffer.alloc(0)
  private lastByte = 0

  /** `number`: of the answer in its job, from 0. */
  constructor(job: Job, number: number, ended: (answer: Answer) => void) {
    this.job = job
    this.ended = ended
    this.pieces = number % READ_EVERY === 0 ? [] : undefined
  }

  onRequestStart(): void {}

  onResponseStart(_controller: Controller, status: number, headers: Headers): void {
    if (status !== 200) this.failure ??= `answered with status ${status}`
    else if (this.job.from === "proxy") this.failure ??= wrongHeader(headers, this.job.stream)
  }

  onResponseData(_controller: Controller, data: Buffer): void {
    if (this.firstAt === 0) this.firstAt = performance.now()
    if (this.job.stream) this.countEvents(data)
    this.tail = data.length >= TAIL ? data : Buffer.concat([this.tail, data]).subarray(-TAIL)
    this.pieces?.push(data)
  }

  onResponseEnd(): void {
    const text = this.pieces === undefined ? undefined : Buffer.concat(this.pieces).toString()
    this.failure ??= this.job.stream ? this.wrongStream(text) : this.wrongCompletion(text)
    this.ended(this)
  }

  onResponseError(_controller: Controller | null, error: Error): void {
    this.failure ??= `broke off: ${error.message}`
    this.ended(this)
  }

  /** Events end with an empty line, which may be cut in two. */
  private countEvents(data: Buffer): void {
    if (this.lastByte === NEWLINE && data[0] === NEWLINE) this.events++
    for (let at = data.indexOf("\n\n"); at >= 0; at = data.indexOf("\n\n", at + 2)) this.events++
    this.lastByte = data[data.length - 1]!
  }

  private wrongStream(text: string | undefined): string | undefined {
    const { events, lastEvent, textOf } = shapes[this.job.shape ?? "chat"]
    if (events !== undefined && this.events !== events) return `sent ${this.events} events, not ${events}`
    if (text === undefined) return undefined
    const datas = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data!)
    if (!datas.at(-1)!.includes(lastEvent)) return "sent a stream without its end mark"
    const content = datas.map((data) => (data === "[DONE]" ? "" : textOf(JSON.parse(data)))).join("")
    return content === CONTENT ? undefined : "streamed another text than the provider"
  }

  private wrongCompletion(text: string | undefined): string | undefined {
    if (!this.endsWith("}")) return "sent half of an answer"
    if (text === undefined) return undefined
    return JSON.parse(text).choices[0].message.content === CONTENT ? undefined : "sent another text than the provider"
  }

  private endsWith(end: string): boolean {
    return this.tail.subarray(-end.length).toString("latin1") === end
  }
}

const wrongHeader = (headers: Headers, stream: boolean): string | undefined => {
  for (const name of FIVE_HEADERS) {
    if (headers[name] === undefined || headers[name] === "") return `answered without ${name}`
  }
  // The head of a stream comes before anybody knows its cost.
  const cost = Math.round(Number(headers["x-gateway-cost-usd"]) * 1e9)
  const expected = headers["x-gateway-cache"] === "hit" ? 0 : COST_NANO
  return stream || cost === expected ? undefined : `says it cost ${cost} nano-USD, not ${expected}`
}
