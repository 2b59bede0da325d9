/**
 * A callback handler that knows what runs cost, and ends a run whose budget is used up. Give it to a run (`{ callbacks: [handler] }`)
 * or to a model's constructor.
 */
import { BaseCallbackHandler } from "@langchain/core/callbacks/base"
import type { BaseMessage } from "@langchain/core/messages"
import type { LLMResult } from "@langchain/core/outputs"
import { type GatewayDecision, gatewayDecision } from "./spend/Decision.ts"
import { BudgetExceededError, GatewayConfigurationError, StreamInterruptedError } from "./Errors.ts"
import { toNanoUsd, toUsd } from "./spend/Money.ts"
import { type GatewaySpend, SpendTally } from "./spend/Spend.ts"
import { STREAM_LEFT } from "./stream/Streaming.ts"

export interface GatewaySpendFields {
  /**
   * USD for everything that this handler sees. Once it is used up, the next call of a model fails with `BudgetExceededError` before it
   * is sent. A call is known by its cost only when it has ended: one call, or as many as run at the same time, may pass the budget.
   */
  readonly budgetUsd?: number | undefined
  /** The same for each run on its own. */
  readonly runBudgetUsd?: number | undefined
  /** So many runs are remembered, the latest by their last call. `total` counts all. Default: 1000. */
  readonly maxRuns?: number | undefined
}

interface OpenRun {
  readonly root: string
  isStreamed: boolean
}

const DEFAULT_MAX_RUNS = 1_000
/** LangChain never ends the runs of a chain whose stream was left: the oldest are forgotten. */
const MOST_OPEN = 10_000

export class GatewaySpendCallbackHandler extends BaseCallbackHandler {
  static override lc_name(): string {
    return "GatewaySpendCallbackHandler"
  }

  readonly name = "gateway_spend"
  private readonly all = new SpendTally()
  private readonly byRun = new Map<string, SpendTally>()
  /** Runs of any kind that have begun and not ended, by id. */
  private readonly open = new Map<string, OpenRun>()
  private readonly budgetUsd: number | undefined
  private readonly runBudgetUsd: number | undefined
  private readonly maxRuns: number

  constructor(fields: GatewaySpendFields = {}) {
    // Core waits for a handler, and listens to what it throws, only then.
    super({ raiseError: true })
    this.budgetUsd = readBudget("budgetUsd", fields.budgetUsd)
    this.runBudgetUsd = readBudget("runBudgetUsd", fields.runBudgetUsd)
    this.maxRuns = fields.maxRuns ?? DEFAULT_MAX_RUNS
  }

  /** Everything that this handler has seen. */
  get total(): GatewaySpend {
    return this.all.read()
  }

  /** USD, final costs only: `total.costUsd`. */
  get totalUsd(): number {
    return this.total.costUsd
  }

  /** Answers: `total.calls`. */
  get calls(): number {
    return this.total.calls
  }

  /** What one run cost, with everything below it; undefined for a run that called no model. */
  run(rootRunId: string): GatewaySpend | undefined {
    return this.byRun.get(rootRunId)?.read()
  }

  /** The runs, that with the latest call last. A run's id is that of its outermost chain, agent or model call. */
  get runs(): ReadonlyArray<GatewaySpend & { readonly runId: string }> {
    return [...this.byRun].map(([runId, tally]) => ({ runId, ...tally.read() }))
  }

  override handleChatModelStart(_model: unknown, _messages: Array<Array<BaseMessage>>, runId: string, parent?: string) {
    const root = this.rootOf(runId, parent)
    this.check(this.budgetUsd, this.all, root)
    this.check(this.runBudgetUsd, this.byRun.get(root), root)
    // A call that is refused never ends.
    this.begin(runId, parent)
  }

  override handleLLMStart(_model: unknown, _prompts: Array<string>, runId: string, parent?: string) {
    this.begin(runId, parent)
  }

  override handleChainStart(_chain: unknown, _inputs: unknown, runId: string, parent?: string) {
    this.begin(runId, parent)
  }

  override handleToolStart(_tool: unknown, _input: string, runId: string, parent?: string) {
    this.begin(runId, parent)
  }

  override handleRetrieverStart(_retriever: unknown, _query: string, runId: string, parent?: string) {
    this.begin(runId, parent)
  }

  override handleLLMNewToken(_token: string, _index: unknown, runId: string) {
    this.streams(runId)
  }

  override handleChatModelStreamEvent(_event: unknown, runId: string) {
    this.streams(runId)
  }

  override handleLLMEnd(
    output: LLMResult,
    runId: string,
    _parent?: string,
    _tags?: Array<string>,
    extra?: Record<string, unknown>
  ) {
    const run = this.end(runId)
    if (run === undefined) return
    const tallies = this.talliesOf(run)
    for (const generation of output.generations.flat()) {
      const decision = gatewayDecision((generation as { readonly message?: BaseMessage } | undefined)?.message)
      for (const tally of tallies) {
        if (extra?.["cached"] === true) tally.other("cached")
        else if (decision === undefined) tally.other("foreign")
        else tally.answered(decision, run.isStreamed)
      }
    }
  }

  override handleLLMError(error: unknown, runId: string) {
    const run = this.end(runId)
    if (run === undefined) return
    const decision = StreamInterruptedError.isInstance(error) ? error.decision : undefined
    for (const tally of this.talliesOf(run)) {
      if (decision === undefined) tally.other("failed")
      else tally.answered(decision, true)
    }
  }

  /** A stream that broke, or that its reader left: no other callback tells what is known of its cost. */
  override handleCustomEvent(event: string, data: unknown, runId: string) {
    if (event !== STREAM_LEFT) return
    const run = this.end(runId)
    if (run === undefined) return
    for (const tally of this.talliesOf(run)) tally.answered(data as GatewayDecision, true)
  }

  override handleChainEnd(_outputs: unknown, runId: string) {
    this.end(runId)
  }

  override handleChainError(_error: unknown, runId: string) {
    this.end(runId)
  }

  override handleToolEnd(_output: unknown, runId: string) {
    this.end(runId)
  }

  override handleToolError(_error: unknown, runId: string) {
    this.end(runId)
  }

  override handleRetrieverEnd(_documents: unknown, runId: string) {
    this.end(runId)
  }

  override handleRetrieverError(_error: unknown, runId: string) {
    this.end(runId)
  }

  /** One handler, one sum. */
  override copy(): this {
    return this
  }

  /** The root of a run whose parent this handler has not seen is that parent. */
  private rootOf(runId: string, parent: string | undefined): string {
    return parent === undefined ? runId : (this.open.get(parent)?.root ?? parent)
  }

  private begin(runId: string, parent: string | undefined): void {
    this.open.set(runId, { root: this.rootOf(runId, parent), isStreamed: false })
    dropOldest(this.open, MOST_OPEN)
  }

  /** Undefined the second time: a handler may be attached to a chain and to the model in it. */
  private end(runId: string): OpenRun | undefined {
    const run = this.open.get(runId)
    this.open.delete(runId)
    return run
  }

  private streams(runId: string): void {
    const run = this.open.get(runId)
    if (run !== undefined) run.isStreamed = true
  }

  private talliesOf({ root }: OpenRun): ReadonlyArray<SpendTally> {
    const tally = this.byRun.get(root) ?? new SpendTally()
    // Last again: a run that goes on outlives those that are over.
    this.byRun.delete(root)
    this.byRun.set(root, tally)
    dropOldest(this.byRun, this.maxRuns)
    return [this.all, tally]
  }

  private check(budgetUsd: number | undefined, spent: SpendTally | undefined, runId: string): void {
    if (budgetUsd === undefined) return
    const nano = spent?.atMostNanoUsd ?? 0
    if (nano >= toNanoUsd(budgetUsd)) throw new BudgetExceededError({ budgetUsd, spentUsd: toUsd(nano), runId })
  }
}

const dropOldest = (map: Map<string, unknown>, most: number): void => {
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}

const readBudget = (name: string, budget: number | undefined): number | undefined => {
  if (budget === undefined || budget >= 0) return budget
  throw new GatewayConfigurationError(`\`${name}\` must be an amount in USD, 0 or more.`)
}
