/** The master key, or a link that the gateway printed, once: from then on a session of 8 hours. */
import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { signIn, signInProviders } from "../api/Api.ts"
import type { ApiError } from "../api/Api.ts"
import { asApiError } from "../api/Query.ts"
import { forgetSession, keepSession } from "../api/Session.ts"
import { gatewayPath, pathWith, uiPath } from "../Place.ts"
import { Failure } from "../parts/Parts.tsx"

const isPrivate = location.protocol === "https:" || /^(localhost|127\.[\d.]+|\[::1\])$/.test(location.hostname)

/** What a link of the gateway's own brings, which no server is sent. It is taken out of the address at once: it works one time. */
const codeInAddress = (): string | undefined => {
  const code = location.hash.slice(1)
  if (code === "") return undefined
  history.replaceState(null, "", location.pathname + location.search)
  return code
}

/** The page to open then: where the person is, or was going. */
const wanted = (): string => {
  const page = location.pathname.slice(uiPath.length)
  return page === "login" ? (new URLSearchParams(location.search).get("next") ?? "") : page + location.search
}

/** Behind a line to open where people sign in another way. */
const MasterKey = (props: { readonly isHidden: boolean; readonly children: ComponentChildren }) =>
  props.isHidden ? (
    <details>
      <summary>Use the master key</summary>
      {props.children}
    </details>
  ) : (
    <>{props.children}</>
  )

/** The fields, in a box of their own. */
const SignIn = (props: { readonly isAgain: boolean }) => {
  const [error, setError] = useState<ApiError | undefined>(undefined)
  const [isBusy, setBusy] = useState(false)
  const enter = (proof: Parameters<typeof signIn>[0]) => {
    setBusy(true)
    signIn(proof)
      .then(({ role, token }) => keepSession(token, role))
      .catch((cause: unknown) => setError(asApiError(cause)))
      .finally(() => setBusy(false))
  }
  const submit = (event: Event & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    const key = String(new FormData(event.currentTarget).get("master_key") ?? "").trim()
    enter({ master_key: key })
  }
  const [providers, setProviders] = useState<Awaited<ReturnType<typeof signInProviders>>>([])
  useEffect(() => void signInProviders().then(setProviders), [])
  useEffect(() => {
    const code = props.isAgain ? undefined : codeInAddress()
    if (code !== undefined) enter({ code })
  }, [])
  return (
    <form class={props.isAgain ? "fields" : "card"} onSubmit={submit}>
      {props.isAgain ? (
        <>
          <h2 id="again">The session has ended</h2>
          <p>Sign in again: what is on the page is still there.</p>
        </>
      ) : (
        <h1>Model Gateway</h1>
      )}
      {isPrivate ? null : (
        <p class="warning">This connection is not encrypted: other hosts on the network path can read the key.</p>
      )}
      {providers.map(({ label, name }) => (
        <button
          key={name}
          type="button"
          class="primary"
          onClick={() => location.assign(pathWith(`${gatewayPath}admin/sign-in/${name}`, { next: wanted() }))}
        >
          {`Sign in with ${label}`}
        </button>
      ))}
      {error === undefined ? null : <Failure error={error} />}
      <MasterKey isHidden={providers.length > 0}>
        <label>
          Master key
          <input name="master_key" type="password" required autocomplete="current-password" autofocus />
        </label>
        <p class="muted">
          It is <code>master_key</code> of the configuration; the demo keeps it in{" "}
          <code>.model-gateway/master-key</code>.
        </p>
        <p class="end">
          {props.isAgain ? (
            <button type="button" onClick={forgetSession}>
              Leave
            </button>
          ) : null}
          <button class="primary" disabled={isBusy}>
            {isBusy ? "Signing in …" : "Sign in"}
          </button>
        </p>
      </MasterKey>
    </form>
  )
}

export const Login = () => (
  <main class="login">
    <SignIn isAgain={false} />
  </main>
)

/** Over the page, which is neither seen nor lost meanwhile. */
export const SignInAgain = () => {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      class="again"
      aria-labelledby="again"
      onCancel={(event) => event.preventDefault()}
      onClose={() => dialog.current?.showModal()}
    >
      <SignIn isAgain />
    </dialog>
  )
}
