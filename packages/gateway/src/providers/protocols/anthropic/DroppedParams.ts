/** The notebook of one request on its way out: what had to be left out, and the first thing that makes it impossible. */
import { Unsupported } from "../../../core/domain/Failures.ts"

export class Losses {
  /** What makes the request impossible here; undefined while it is possible. */
  problem: Unsupported | undefined = undefined
  private readonly names = new Set<string>()
  private readonly strict: boolean

  constructor(strict: boolean) {
    this.strict = strict
  }

  /** Names of the caller's parameters that were left out or weakened, in the order they were met. */
  get dropped(): ReadonlyArray<string> {
    return [...this.names]
  }

  /** `param` can be left out with a report, unless the caller asked for all or nothing. */
  drop(param: string, why: string): void {
    if (this.strict) this.refuse(param, why)
    else this.names.add(param)
  }

  /** The request means something else without `param`. */
  refuse(param: string, message: string): void {
    this.problem ??= new Unsupported({ message, param })
  }
}
