/** Version, configuration, sessions and audit log. */
import type { AuditPage, Info, Me, Session } from "@model-gateway/protocol"
import { useState } from "preact/hooks"
import { call } from "../../api/Api.ts"
import type { ApiError } from "../../api/Api.ts"
import { asApiError, useQuery } from "../../api/Query.ts"
import { forgetSession } from "../../api/Session.ts"
import { count, dateAndTime, time } from "../../Format.ts"
import { Answer, Card, Failure, Head, Link } from "../../parts/Parts.tsx"
import { AuditTable } from "./Audit.tsx"
import { Configuration } from "./Configuration.tsx"

export const Settings = ({ me }: { readonly me: Me }) => {
  const info = useQuery<Info>("info")
  const audit = useQuery<AuditPage>("audit?limit=8")
  return (
    <>
      <Head title="Settings">
        {me.role === null && me.teams.every(({ role }) => role !== "admin") ? null : (
          <Link to="settings/people">People</Link>
        )}
      </Head>
      <div class="columns">
        <Card title="Gateway">
          <Answer query={info}>{(found) => <About info={found} />}</Answer>
        </Card>
        <Sessions />
      </div>
      {me.role === null ? null : <Configuration changed={audit.reload} />}
      <Card title="Audit log" aside={<Link to="settings/audit">All entries</Link>}>
        <Answer query={audit}>{({ data }) => <AuditTable entries={data} />}</Answer>
      </Card>
    </>
  )
}

const DAY_SECONDS = 86_400

const About = ({ info }: { readonly info: Info }) => (
  <dl class="facts">
    <dt>Version</dt>
    <dd>{`${info.version}, on Node ${info.node}${info.demo ? ", the demo" : ""}`}</dd>
    <dt>Running since</dt>
    <dd>{dateAndTime(info.started_at)}</dd>
    {info.store === null ? null : (
      <>
        <dt>Store</dt>
        <dd>
          <span class="mono">{info.store.path ?? "in memory: lost when the process ends"}</span>
          {`, ${count(Math.ceil(info.store.bytes / 1024))} KiB, schema ${info.store.schema}`}
        </dd>
      </>
    )}
    <dt>Receipts</dt>
    <dd>
      {info.receipts_keep_seconds === 0
        ? "not stored"
        : `kept for ${count(Math.round(info.receipts_keep_seconds / DAY_SECONDS))} days`}
    </dd>
    <dt>Prices</dt>
    <dd>
      {info.price_list === null
        ? "all from the configuration"
        : `${info.price_list.source}, ${info.price_list.version}`}
    </dd>
    {info.keys === null ? null : (
      <>
        <dt>Keys</dt>
        <dd>
          <Link to="keys">{count(info.keys)}</Link>
        </dd>
      </>
    )}
  </dl>
)

const Sessions = () => {
  const query = useQuery<{ readonly data: ReadonlyArray<Session> }>("sessions")
  const [error, setError] = useState<ApiError | undefined>(undefined)
  const end = (path: string, then: () => void) => {
    call("DELETE", path)
      .then(then)
      .catch((cause: unknown) => setError(asApiError(cause)))
  }
  return (
    <Card
      title="Signed in"
      aside={
        <button class="danger" onClick={() => end("sessions", forgetSession)}>
          Sign out everywhere
        </button>
      }
    >
      {error === undefined ? null : <Failure error={error} />}
      <Answer query={query}>
        {({ data }) => (
          <div class="table">
            <table>
              <thead>
                <tr>
                  <th>Session</th>
                  <th>Last used</th>
                  <th>Ends</th>
                  <th>
                    <span class="unseen">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {data.map(({ address, expires_at, id, last_used_at, user }) => (
                  <tr key={id}>
                    <td>
                      <span class="mono">{id}</span>
                      <br />
                      <span class="muted">{`${user ?? "master key"}, from ${address ?? "no address"}`}</span>
                    </td>
                    <td>{time(last_used_at)}</td>
                    <td>{time(expires_at)}</td>
                    <td>
                      <button
                        aria-label={`End ${id}`}
                        onClick={() => end(`sessions/${encodeURIComponent(id)}`, query.reload)}
                      >
                        End
                      </button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Answer>
    </Card>
  )
}
