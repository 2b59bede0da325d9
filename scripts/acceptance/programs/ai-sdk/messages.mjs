/** Anthropic's provider: Messages. */
import { anthropic } from "./_providers.mjs"
import { tryModel } from "./_text.mjs"

tryModel("Messages", anthropic("demo/standard"))
