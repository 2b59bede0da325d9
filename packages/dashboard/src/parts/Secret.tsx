/** A secret that is told once, and how to use it. It is on the page only, and gone with it. */
import { useState } from "preact/hooks"
import { gatewayPath } from "../Place.ts"
import { Choice, Copy } from "./Parts.tsx"

const root = `${location.origin}${gatewayPath}`.replace(/\/$/, "")

/** What each of them wants to be told; the secret stands in the first line, to be left out of files. */
const uses = {
  curl: `curl ${root}/v1/chat/completions -H "Authorization: Bearer $GATEWAY_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "auto", "messages": [{"role": "user", "content": "Hello"}]}'`,
  "OpenAI SDK": `# Python; any OpenAI SDK reads OPENAI_BASE_URL and OPENAI_API_KEY too
import os
from openai import OpenAI

client = OpenAI(base_url="${root}/v1", api_key=os.environ["GATEWAY_API_KEY"])
client.chat.completions.create(model="auto", messages=[{"role": "user", "content": "Hello"}])`,
  LangChain: `// npm install @langchain/core, and @model-gateway/langchain: from a clone, until it is published
import { ChatGateway } from "@model-gateway/langchain"

const model = new ChatGateway({ baseUrl: "${root}", apiKey: process.env.GATEWAY_API_KEY })
const message = await model.invoke("Hello")`,
  Codex: `# ~/.codex/config.toml, or: model-gateway connect codex
model = "auto"
model_provider = "gateway"

[model_providers.gateway]
name = "Gateway"
base_url = "${root}/v1"
env_key = "GATEWAY_API_KEY"
wire_api = "responses"`,
  "VS Code": `# The extension "Model Gateway", command "Model Gateway: Connect":
#   address ${root}
#   key     the one above
# Without it, for VS Code's own models: model-gateway connect vscode`
} as const

type Use = keyof typeof uses

const isUse = (name: string): name is Use => name in uses

const names = Object.keys(uses).filter(isUse)

export const Secret = ({ secret }: { readonly secret: string }) => {
  const [use, setUse] = useState<Use>("curl")
  const text = `export GATEWAY_API_KEY=${secret}\n\n${uses[use]}`
  return (
    <>
      <p>The secret is shown only once: the gateway stores just its digest. Copy it now.</p>
      <p class="secret">
        <code data-secret>{secret}</code> <Copy text={secret} label="Copy key" />
      </p>
      <details>
        <summary>Use it</summary>
        <Choice label="Client" of={names} chosen={use} choose={setUse} />
        <pre tabIndex={0}>{text}</pre>
        <Copy key={use} text={text} label="Copy" />
      </details>
    </>
  )
}
