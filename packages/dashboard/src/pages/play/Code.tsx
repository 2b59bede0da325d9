/** The same request from a program. The key is left to the environment. */
import { gatewayPath } from "../../Place.ts"
import { Copy } from "../../parts/Parts.tsx"

const base = `${location.origin}${gatewayPath}v1`

/** A shell's word: nothing in it ends it. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

export const Code = ({ model, prompt }: { readonly model: string; readonly prompt: string }) => {
  const messages = [{ role: "user", content: prompt }]
  const curl = `curl ${base}/chat/completions -H "Authorization: Bearer $GATEWAY_API_KEY" -H "Content-Type: application/json" -d ${quoted(JSON.stringify({ model, messages }))}`
  const python = `from openai import OpenAI

client = OpenAI(base_url=${JSON.stringify(base)}, api_key=os.environ["GATEWAY_API_KEY"])
answer = client.chat.completions.create(model=${JSON.stringify(model)}, messages=${JSON.stringify(messages)})`
  return (
    <details>
      <summary>As code</summary>
      <pre tabIndex={0}>{curl}</pre>
      <Copy text={curl} label="Copy curl" />
      <pre tabIndex={0}>{`import os\n${python}`}</pre>
      <Copy text={`import os\n${python}`} label="Copy Python" />
    </details>
  )
}
