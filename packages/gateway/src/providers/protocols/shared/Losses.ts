/** Collects, for one request, the parameters that are dropped and the first problem that makes the request impossible. */
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

  /** Drops `param` and reports it, unless the caller asked for strictness. */
  drop(param: string, why: string): void {
    if (this.strict) this.refuse(param, why)
    else this.names.add(param)
  }

  /** Without `param` the request would mean something else. */
  refuse(param: string, message: string): void {
    this.problem ??= new Unsupported({ message, param })
  }
}
