/**
 * `models` beside `data`, for Codex, which takes no model without all fields (https://github.com/openai/codex/issues/37122 and
 * `ModelInfo` in codex-rs/protocol/src/openai_models.rs, read 2026-11-22).
 */
import type { Deployment } from "../../../core/domain/Deployment.ts"

interface CodexModelCard {
  readonly id: string
  readonly context_length: number | null
}

/** What a model is told before anything else: Codex sends this in place of words of its own. */
const INSTRUCTIONS = `You are a coding agent in a terminal. You work in the user's folder with the tools that you are given, until the task is done.
- Look before you change: read the files that matter, and search rather than guess.
- Change only what the task needs, in the style of the code around it. Changes that are not yours stay as they are.
- Change files with apply_patch where you have it, else with the shell. Do not commit unless you are asked to.
- Check your work with what the project has for that: its tests, its types, its build.
- Go on until nothing is left to do. Ask only where a wrong guess would do harm.
- At the end say in a few sentences what you changed, and what you could not check.`

/** Bytes of one tool's output that a model is shown. */
const SHOWN_OUTPUT = 10_000

const EFFORTS = [
  { effort: "low", description: "Answers sooner" },
  { effort: "medium", description: "Between the two" },
  { effort: "high", description: "Thinks longer" }
]

/** `priority`: its place in the list. */
export const codexModel = (
  { context_length, id }: CodexModelCard,
  deployments: ReadonlyArray<Deployment>,
  priority: number
) => {
  const can = (what: "reasoning" | "images") => deployments.some(({ supports }) => supports.has(what))
  return {
    slug: id,
    display_name: id,
    description: deployments.length === 1 ? null : `one of ${deployments.length} deployments`,
    default_reasoning_level: can("reasoning") ? "medium" : null,
    supported_reasoning_levels: can("reasoning") ? EFFORTS : [],
    shell_type: "default",
    visibility: "list",
    supported_in_api: true,
    priority,
    upgrade: null,
    base_instructions: INSTRUCTIONS,
    supports_reasoning_summaries: can("reasoning"),
    support_verbosity: false,
    default_verbosity: null,
    apply_patch_tool_type: null,
    truncation_policy: { mode: "bytes", limit: SHOWN_OUTPUT },
    supports_parallel_tool_calls: false,
    context_window: context_length,
    experimental_supported_tools: [],
    // Responses come over HTTP.
    prefer_websockets: false,
    input_modalities: can("images") ? ["text", "image"] : ["text"]
  }
}
