/** The master key, once: from then on a session of 8 hours. */
import { useState } from "preact/hooks"
import { signIn } from "../api/Api.ts"
import type { ApiError } from "../api/Api.ts"
import { asApiError } from "../api/Query.ts"
import { keepSession } from "../api/Session.ts"
import { Failure } from "../parts/Parts.tsx"

const isPrivate = location.protocol === "https:" || /^(localhost|127\.[\d.]+|\[::1\])$/.test(location.hostname)

export const Login = () => {
  const [error, setError] = useState<ApiError | undefined>(undefined)
  const [isBusy, setBusy] = useState(false)
  const submit = (event: Event & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    const key = String(new FormData(event.currentTarget).get("master_key") ?? "").trim()
    setBusy(true)
    signIn(key)
      .then(({ token }) => keepSession(token))
      .catch((cause: unknown) => setError(asApiError(cause)))
      .finally(() => setBusy(false))
  }
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
