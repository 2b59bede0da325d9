/** A secret that is told once, and how to use it. It is on the page only, and gone with it. */
import { gatewayPath } from "../Place.ts"
import { Copy } from "./Parts.tsx"

const base = `${location.origin}${gatewayPath}v1`

export const Secret = ({ secret }: { readonly secret: string }) => {
  const curl = `curl ${base}/chat/completions -H "Authorization: Bearer ${secret}" -H "Content-Type: application/json" -d '{"model": "auto", "messages": [{"role": "user", "content": "Hello"}]}'`
  const sdk = `OPENAI_BASE_URL=${base}\nOPENAI_API_KEY=${secret}`
  return (
    <>
      <p>It is shown this once: the gateway keeps a digest of it, and nobody can read it again.</p>
      <p class="secret">
        <code data-secret>{secret}</code> <Copy text={secret} label="Copy key" />
      </p>
      <details>
        <summary>Use it</summary>
        <pre tabIndex={0}>{sdk}</pre>
        <pre tabIndex={0}>{curl}</pre>
        <Copy text={curl} label="Copy curl" />
      </details>
    </>
  )
}
