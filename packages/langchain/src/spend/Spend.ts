/** What a set of calls cost: sums in whole nano-dollars, told in USD. */
import type { GatewayDecision } from "./Decision.ts"
import { toNanoUsd, toUsd } from "./Money.ts"

export interface DeploymentSpend {
  readonly costUsd: number
  readonly calls: number
}

export interface GatewaySpend {
  /** USD, final costs only. */
  readonly costUsd: number
  /** The same in whole nano-dollars: what to add up. */
  readonly costNanoUsd: number
  /** USD: the most that streams can have cost whose end nobody read. Their receipts know the exact cost. */
  readonly unsettledUsd: number
  /** Answers, streams without an end included. */
  readonly calls: number
  readonly streamedCalls: number
  /** Of `calls`: streams whose end nobody read. */
  readonly leftCalls: number
  /** Of `calls`: those that cost nobody knows what, as their model has no price. */
  readonly unpricedCalls: number
  /** Answers from LangChain's cache, which cost nothing. Not in `calls`. */
  readonly cachedCalls: number
  /** Calls that ended in an error before there was an answer. Not in `calls`; the ledger may hold a cost for one that was given up. */
  readonly failedCalls: number
  /** Answers of other models, or of a server that is not the gateway. Not in `calls`. */
  readonly foreignCalls: number
  /** Final costs by the deployment's id. */
  readonly deployments: Readonly<Record<string, DeploymentSpend>>
}

export class SpendTally {
  private nano = 0
  private unsettled = 0
  private readonly counts = { calls: 0, streamed: 0, left: 0, unpriced: 0 }
  private readonly others = { cached: 0, failed: 0, foreign: 0 }
  private readonly byDeployment = new Map<string, { nano: number; calls: number }>()

  answered(decision: GatewayDecision, isStreamed: boolean): void {
    const nano = toNanoUsd(decision.costUsd ?? 0)
    this.counts.calls++
    if (isStreamed) this.counts.streamed++
    if (decision.costUsd === null) this.counts.unpriced++
    const deployment = this.byDeployment.get(decision.deployment) ?? { nano: 0, calls: 0 }
    deployment.calls++
    this.byDeployment.set(decision.deployment, deployment)
    if (decision.costIsFinal) {
      this.nano += nano
      deployment.nano += nano
    } else {
      this.unsettled += nano
      this.counts.left++
    }
  }

  other(kind: keyof SpendTally["others"]): void {
    this.others[kind]++
  }

  /** What may have been spent: a budget must not be passed because somebody looked away. */
  get atMostNanoUsd(): number {
    return this.nano + this.unsettled
  }

  read(): GatewaySpend {
    const deployments = [...this.byDeployment].map(([id, { calls, nano }]) => [id, { costUsd: toUsd(nano), calls }])
    return {
      costUsd: toUsd(this.nano),
      costNanoUsd: this.nano,
      unsettledUsd: toUsd(this.unsettled),
      calls: this.counts.calls,
      streamedCalls: this.counts.streamed,
      leftCalls: this.counts.left,
      unpricedCalls: this.counts.unpriced,
      cachedCalls: this.others.cached,
      failedCalls: this.others.failed,
      foreignCalls: this.others.foreign,
      deployments: Object.fromEntries(deployments) as GatewaySpend["deployments"]
    }
  }
}
