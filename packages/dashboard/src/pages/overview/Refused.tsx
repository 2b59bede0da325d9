/** Whom the gateway refused most in the span of time that is shown, and why. */
import type { TrafficReport } from "@model-gateway/protocol"
import { useQuery } from "../../api/Query.ts"
import { short, words } from "../../Format.ts"
import { Answer, Card, Link, Name } from "../../parts/Parts.tsx"
import { pathWith } from "../../Place.ts"

const MOST = 8

export const Refused = (props: {
  readonly over: Readonly<Record<"from" | "to" | "tz", string | undefined>>
  readonly everyMs: number
}) => {
  const query = { ...props.over, status: "refused", group_by: "key,error", limit: String(MOST) }
  const refused = useQuery<TrafficReport>(pathWith("traffic", query), props.everyMs)
  return (
    <Card title="Most refused" aside={<Link to="requests?status=refused">All refused requests</Link>}>
      <Answer query={refused}>
        {({ rows }) =>
          rows.length === 0 ? (
            <p class="muted">No refused requests in this period.</p>
          ) : (
            <div class="table">
              <table>
                <thead>
                  <tr>
                    <th>Key</th>
                    <th>Error</th>
                    <th class="number">Requests</th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map(({ error, key, key_name, refused: count }, index) => (
                    <tr key={index}>
                      <td>
                        {key === undefined || key === null ? (
                          <span class="muted">unknown</span>
                        ) : (
                          <Link to={`keys/${key}`}>
                            <Name of={key_name ?? key} />
                          </Link>
                        )}
                      </td>
                      <td>
                        <Link
                          to={pathWith("requests", {
                            status: "refused",
                            key: key ?? undefined,
                            error: error ?? "budget"
                          })}
                        >
                          {words(error ?? "budget")}
                        </Link>
                      </td>
                      <td class="number">{short(count)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Answer>
    </Card>
  )
}
