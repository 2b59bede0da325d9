/** What is noted while deployments are put into their order, for those who read the decision later. */
import type { Deployment } from "../domain/Deployment.ts"

export class RouteNotes {
  readonly words: Array<string> = []
  /** The ids of those that come last because they are not ready; undefined: all are. */
  unready: Set<string> | undefined

  notReady(deployments: ReadonlyArray<Deployment>): void {
    this.unready ??= new Set()
    for (const { id } of deployments) {
      this.unready.add(id)
      this.words.push(`${id} comes last: its circuit is open, it is full, or it is waiting after a rate limit`)
    }
  }
}
