/** Chat completions. */
import { openai } from "./_providers.mjs"
import { tryModel } from "./_text.mjs"

tryModel("chat", openai.chat("demo/standard"))
