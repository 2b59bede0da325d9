/** Approving the sign-in of a program on another machine. */
import type { DeviceRequest } from "@model-gateway/protocol"
import { useState } from "preact/hooks"
import { call } from "../api/Api.ts"
import type { ApiError } from "../api/Api.ts"
import { asApiError } from "../api/Query.ts"
import { dateAndTime } from "../Format.ts"
import { textIn } from "../parts/LimitFields.tsx"
import { Card, Failure, Head } from "../parts/Parts.tsx"

interface Found {
  readonly code: string
  readonly of: DeviceRequest
}

/** The code is typed, never taken from the address: nobody can send a link that approves. */
export const Device = () => {
  const [found, setFound] = useState<Found | undefined>(undefined)
  const [error, setError] = useState<ApiError | undefined>(undefined)
  const ask = (method: "GET" | "POST", code: string, word = "") => {
    setError(undefined)
    call<DeviceRequest>(method, `device/${encodeURIComponent(code)}${word}`)
      .then((of) => setFound({ code, of }))
      .catch((cause: unknown) => setError(asApiError(cause)))
  }
  return (
    <>
      <Head title="Sign in a device" />
      {error === undefined ? null : <Failure error={error} />}
      {found === undefined ? (
        <Card title="Code">
          <form
            class="fields"
            onSubmit={(event) => {
              event.preventDefault()
              ask("GET", textIn(new FormData(event.currentTarget), "code"))
            }}
          >
            <label>
              The code that the program shows
              <input name="code" autofocus autocomplete="off" placeholder="BCDF-GHJK" required />
            </label>
            <p class="end">
              <button class="primary">Continue</button>
            </p>
          </form>
        </Card>
      ) : (
        <Decision found={found} decide={(word) => ask("POST", found.code, word)} />
      )}
    </>
  )
}

const Decision = ({ decide, found: { of } }: { readonly found: Found; readonly decide: (word: string) => void }) => (
  <Card title="A program wants to act as you">
    <dl class="facts">
      <dt>Program</dt>
      <dd>
        <bdi>{of.client === "" ? "it does not say" : of.client}</bdi>
      </dd>
      <dt>Address</dt>
      <dd class="mono">{of.address ?? "none"}</dd>
      <dt>Began</dt>
      <dd>{dateAndTime(of.created_at)}</dd>
    </dl>
    {of.state === "pending" ? (
      <>
        <p>Approve only what you started yourself. It gets all your roles here.</p>
        <p class="end">
          <button onClick={() => decide("/deny")}>Deny</button>
          <button class="primary" onClick={() => decide("/approve")}>
            Approve
          </button>
        </p>
      </>
    ) : (
      <p role="status">
        {of.state === "approved" ? "Approved. The program is signed in; you can close this page." : "Denied."}
      </p>
    )}
  </Card>
)
