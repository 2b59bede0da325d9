/** What becomes of each value of the imported file. None is passed over: what nobody speaks of is reported as left out. */
import type { Position } from "@model-gateway/gateway/internal/config/Problem"
import type { TreeNode } from "@model-gateway/gateway/internal/config/tree/Tree"
import { Cursor } from "./Cursor.ts"

/**
 * `carried`: it is in the new file. `changed`: it is, but not as it was. `not_needed`: this gateway does so anyway, or has no use for
 * it. `left_out`: the new file lacks it.
 */
export const outcomes = ["carried", "changed", "not_needed", "left_out"] as const
export type Outcome = (typeof outcomes)[number]

export interface Said {
  readonly outcome: Outcome
  /** Never shows a value. */
  readonly message: string
  /** Where it went, in the new file. */
  readonly to?: string
}

export interface AccountLine extends Said, Position {
  readonly file: string
  readonly path: string
  /** What was limited there is limited less, or not at all, in the new file. */
  readonly loosens?: true
}

interface Leaf {
  readonly node: TreeNode
  readonly path: string
  readonly file: string
}

const UNKNOWN: Said = { outcome: "left_out", message: "the import does not know this setting" }
const EMPTY: Said = { outcome: "not_needed", message: "nothing stands here" }

/** Settings that bound what callers may spend or reach. */
const LIMITS =
  /(?:^|\.)(?:[rt]pm(?:_limit)?|(?:\w+_)?max_parallel_requests|max_budget|max_\w+_budget|model_max_budget|provider_budget_config|allowed_ips|allowed_routes|admin_only_routes|guardrails?|guardrail_list|guardrailConfig|(?:upperbound|default)_key_generate_params|default_internal_user_params|enforce_user_param|enforced_params|access_groups|team_id|tags|enable_tag_filtering)(?:$|[.[])/

const loosens = (path: string, { outcome }: Said): boolean =>
  (outcome === "left_out" || outcome === "changed") && LIMITS.test(path)

/** Values, and groups and lists that have none. */
const leavesOf = ({ file, node, path }: Cursor): ReadonlyArray<Leaf> => {
  const below = node.kind === "table" || node.kind === "list" ? new Cursor(node, path, file).children : []
  return below.length === 0 ? [{ node, path, file }] : below.flatMap(leavesOf)
}

const isEmpty = (node: TreeNode): boolean =>
  (node.kind === "scalar" && node.value === null) || node.kind === "table" || node.kind === "list"

export class Account {
  private readonly leaves: ReadonlyArray<Leaf>
  private readonly said = new Map<TreeNode, Said>()

  constructor(roots: ReadonlyArray<Cursor>) {
    this.leaves = roots.flatMap(leavesOf)
  }

  /** Of all values below `cursor`. What is said later counts. */
  say(cursor: Cursor | undefined, outcome: Outcome, message: string, to?: string): void {
    if (cursor === undefined) return
    for (const { node } of leavesOf(cursor))
      this.said.set(node, { outcome, message, ...(to === undefined ? {} : { to }) })
  }

  /** Of those values below `cursor` of which nothing has been said. */
  sayRest(cursor: Cursor | undefined, outcome: Outcome, message: string): void {
    if (cursor === undefined) return
    for (const { node } of leavesOf(cursor)) if (!this.said.has(node)) this.said.set(node, { outcome, message })
  }

  /** One line for each value, in the order of the files. */
  get lines(): ReadonlyArray<AccountLine> {
    return this.leaves.map(({ file, node, path }) => {
      const said = this.said.get(node) ?? (isEmpty(node) ? EMPTY : UNKNOWN)
      return { file, ...node.at, path, ...said, ...(loosens(path, said) ? { loosens: true as const } : {}) }
    })
  }
}
