/** The caller's signal and the timeout in one, without leaving a timer or a listener behind. */
import { TimeoutError } from "../Errors.ts"

/** A timer's longest time; a longer one would end at once. */
const LONGEST_MS = 2 ** 31 - 1

export class Deadline {
  private readonly controller = new AbortController()
  private timer: ReturnType<typeof setTimeout> | undefined
  /** When the present wait began; undefined: nothing is waited for. */
  private since: number | undefined
  private readonly ms: number
  private readonly outer: AbortSignal | undefined

  /** `ms`: 0 for no limit. The first wait begins. */
  constructor(ms: number, outer: AbortSignal | undefined) {
    this.ms = ms
    this.outer = outer
    if (outer?.aborted === true) this.follow()
    else outer?.addEventListener("abort", this.follow, { once: true })
    this.touch()
  }

  get signal(): AbortSignal {
    return this.controller.signal
  }

  /** The wait begins, or begins again. Cheap: a stream does it for every piece. */
  touch(): void {
    if (this.ms === 0 || this.ms > LONGEST_MS) return
    this.since = performance.now()
    this.timer ??= setTimeout(this.look, this.ms)
  }

  /** Nothing is waited for until the next `touch`. */
  rest(): void {
    this.since = undefined
  }

  end(): void {
    this.since = undefined
    clearTimeout(this.timer)
    this.outer?.removeEventListener("abort", this.follow)
  }

  /** Closes the connection. */
  abort(): void {
    this.end()
    this.controller.abort()
  }

  /** The caller ended it. */
  get isLeft(): boolean {
    return this.outer?.aborted === true
  }

  /** What to throw instead of `error`: if the caller or the clock ended it, that is the reason. */
  explain(error: unknown): unknown {
    return this.signal.aborted ? this.signal.reason : error
  }

  private readonly follow = (): void => this.controller.abort(this.outer?.reason)

  private readonly look = (): void => {
    this.timer = undefined
    if (this.since === undefined) return
    const left = this.since + this.ms - performance.now()
    if (left > 0) this.timer = setTimeout(this.look, Math.ceil(left))
    else this.controller.abort(new TimeoutError(`The gateway sent nothing for ${this.ms} ms (\`timeout\`).`))
  }
}
