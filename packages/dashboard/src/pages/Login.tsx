/** The master key, or a link that the gateway printed, once: from then on a session of 8 hours. */
import { useEffect, useState } from "preact/hooks"
import { signIn } from "../api/Api.ts"
import type { ApiError } from "../api/Api.ts"
import { asApiError } from "../api/Query.ts"
import { keepSession } from "../api/Session.ts"
import { Failure } from "../parts/Parts.tsx"

const isPrivate = location.protocol === "https:" || /^(localhost|127\.[\d.]+|\[::1\])$/.test(location.hostname)

/** What a link of the gateway's own brings, which no server is sent. It is taken out of the address at once: it works one time. */
const codeInAddress = (): string | undefined => {
  const code = location.hash.slice(1)
  if (code === "") return undefined
  history.replaceState(null, "", location.pathname + location.search)
  return code
}

export const Login = () => {
  const [error, setError] = useState<ApiError | undefined>(undefined)
  const [isBusy, setBusy] = useState(false)
  const enter = (proof: Parameters<typeof signIn>[0]) => {
    setBusy(true)
    signIn(proof)
      .then(({ token }) => keepSession(token))
      .catch((cause: unknown) => setError(asApiError(cause)))
      .finally(() => setBusy(false))
  }
  const submit = (event: Event & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    const key = String(new FormData(event.currentTarget).get("master_key") ?? "").trim()
    enter({ master_key: key })
  }
  useEffect(() => {
    const code = codeInAddress()
    if (code !== undefined) enter({ code })
  }, [])
  return (
    <main class="login">
      <form class="card" onSubmit={submit}>
        <h1>Model Gateway</h1>
        {isPrivate ? null : (
          <p class="warning">
            This connection is not encrypted: whoever is between you and the gateway can read the key.
          </p>
        )}
        <label>
          Master key
          <input name="master_key" type="password" required autocomplete="current-password" autofocus />
        </label>
        <p class="muted">
          It is <code>master_key</code> of the configuration; the demo keeps it in{" "}
          <code>.model-gateway/master-key</code>.
        </p>
        {error === undefined ? null : <Failure error={error} />}
        <button class="primary" disabled={isBusy}>
          {isBusy ? "Signing in …" : "Sign in"}
        </button>
      </form>
    </main>
  )
}
