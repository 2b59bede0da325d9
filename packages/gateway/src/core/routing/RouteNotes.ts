/** Notes from ordering the deployments, for reports on the decision. */
import type { Deployment } from "../domain/Deployment.ts"
import type { DeploymentHealth } from "../pool/ProviderPool.ts"

export class RouteNotes {
  readonly words: Array<string> = []
  /** By ID, those that come last because they are not ready, with the reason; undefined if all are ready. */
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
