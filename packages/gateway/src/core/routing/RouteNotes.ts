/** What is noted while deployments are put into their order, for those who read the decision later. */
import type { Deployment } from "../domain/Deployment.ts"
import type { DeploymentHealth } from "../pool/ProviderPool.ts"

export class RouteNotes {
  readonly words: Array<string> = []
  /** Those that come last because they are not ready, with the reason, by id; undefined: all are. */
  unready: Map<string, string> | undefined

  notReady(deployments: ReadonlyArray<Deployment>, pool: DeploymentHealth, now: number): void {
    this.unready ??= new Map()
    for (const { id } of deployments) {
      const why = pool.whyNotReady(id, now)
      this.unready.set(id, why)
      this.words.push(`${id} is tried last: ${why}`)
    }
  }
}
