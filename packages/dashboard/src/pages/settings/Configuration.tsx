/** The file, what of it is in force, and a reload. Secrets are not in what the gateway tells. */
import type { Config, ConfigReload } from "@model-gateway/protocol"
import { useState } from "preact/hooks"
import { call } from "../../api/Api.ts"
import type { ApiError } from "../../api/Api.ts"
import { asApiError, useQuery } from "../../api/Query.ts"
import { dateAndTime } from "../../Format.ts"
import { Answer, Card } from "../../parts/Parts.tsx"

export const Configuration = ({ changed }: { readonly changed: () => void }) => {
  const query = useQuery<Config>("config")
  const [said, setSaid] = useState("")
  const [error, setError] = useState<ApiError | undefined>(undefined)
  const reload = () => {
    call<ConfigReload>("POST", "config/reload")
      .then(({ needs_restart }) => {
        setError(undefined)
        setSaid(
          needs_restart.length === 0
            ? "The file is active."
            : `Active, except for ${needs_restart.join(", ")}: they need a restart.`
        )
      })
      .catch((cause: unknown) => {
        setSaid("")
        setError(asApiError(cause))
      })
      .finally(() => {
        query.reload()
        changed()
      })
  }
  // A gateway without a file, such as the demo, says so.
  if (query.data === undefined && query.error?.status === 400) {
    return (
      <Card title="Configuration">
        <p>{query.error.message}</p>
      </Card>
    )
  }
  return (
    <Card
      title="Configuration"
      aside={
        <span class="row">
          <span class="said" role="status">
            {said}
          </span>
          <button onClick={reload}>Reload the file</button>
        </span>
      }
    >
      {error === undefined ? null : <Problems title="Nothing changed." text={error.message} />}
      <Answer query={query}>{(config) => <Shown config={config} isRefused={error !== undefined} />}</Answer>
    </Card>
  )
}

/** Each line names its place in the file. */
const Problems = (props: { readonly title: string; readonly text: string }) => (
  <div class="failure" role="alert">
    <p>{props.title}</p>
    <pre>{props.text}</pre>
  </div>
)

const Shown = ({ config, isRefused }: { readonly config: Config; readonly isRefused: boolean }) => (
  <>
    <p>
      <span class="mono">{config.file}</span>
      {`, in force as it was read ${dateAndTime(config.loaded_at)}. `}
      {config.changes.length === 0
        ? "The file has not changed."
        : `The file has changed since: ${config.changes.join(", ")}.`}
      {config.needs_restart.length === 0 ? "" : ` Waits for a restart: ${config.needs_restart.join(", ")}.`}
    </p>
    {config.problems === null || isRefused ? null : <Problems title="The file has errors." text={config.problems} />}
    {config.warnings.map((warning) => (
      <p key={warning} class="warning">
        {warning}
      </p>
    ))}
    <div class="table long" tabIndex={0} role="region" aria-label="Fields of the file">
      <table>
        <thead>
          <tr>
            <th>Field</th>
            <th>Value</th>
            <th class="number">Line</th>
          </tr>
        </thead>
        <tbody>
          {config.fields.map(({ column, line, path, secret, value }) => (
            <tr key={`${path} ${line} ${column}`}>
              <td class="mono">{path}</td>
              <td class="mono wraps">{secret ? "not shown" : value === null ? "nothing" : String(value)}</td>
              <td class="number">{line}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </>
)
