/** The most expensive deployments, keys and teams, and what needs attention. */
import type { Overview as Lists, Receipt, TrafficReport } from "@model-gateway/protocol"
import type { ComponentChildren } from "preact"
import { exactUsd, percent, short, spent, time, words } from "../../Format.ts"
import { BudgetTable } from "../../parts/Budgets.tsx"
import { Badge, Card, Empty, Link, Name, statusTone } from "../../parts/Parts.tsx"
import { KeyLink } from "../requests/Columns.tsx"
import { leaders } from "../../parts/Traffic.ts"
import { pathWith } from "../../Place.ts"

export const Attention = ({ lists }: { readonly lists: Lists }) => (
  <>
    <Card title="Fullest budgets" aside={<Link to="keys">All keys</Link>}>
      {lists.budgets.length === 0 ? (
        <Empty title="No key has a budget.">
          <p class="muted">A budget is a hard limit: a request that could exceed it is refused before it is sent.</p>
        </Empty>
      ) : (
        <BudgetTable budgets={lists.budgets} />
      )}
    </Card>
    <Card title="Unhealthy deployments" aside={<Link to="deployments">All deployments</Link>}>
      {lists.deployments.length === 0 ? (
        <p class="muted">All are enabled, and fewer than 1 % of their calls failed in the last 15 minutes.</p>
      ) : (
        <Table titles={["Deployment", "State", "Failed, 15 min", "Last error"]}>
          {lists.deployments.map((one) => (
            <tr key={one.id}>
              <td class="mono">
                <Link to={pathWith("deployments", { q: one.id })}>
                  <Name of={one.id} />
                </Link>
              </td>
              <td>
                <Badge tone={one.circuit === "open" ? "bad" : "warn"}>
                  {one.status === "out_of_rotation"
                    ? "disabled"
                    : one.circuit === "closed"
                      ? "failing"
                      : `circuit ${words(one.circuit)}`}
                </Badge>
              </td>
              <td class="number">{percent(one.failure_rate_15m)}</td>
              <td>{one.last_error === null ? "–" : `${words(one.last_error.class)}, ${time(one.last_error.at)}`}</td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
    <Card title="Latest failures" aside={<Link to="requests?status=failed">All failed requests</Link>}>
      {lists.failures.length === 0 ? (
        <p class="muted">None of the latest requests failed.</p>
      ) : (
        <Table titles={["Time", "Status", "Key", "Deployment", "Error"]}>
          {lists.failures.map((one) => (
            <tr key={one.id}>
              <td>
                <Link to={`requests/${one.id}`}>
                  <time dateTime={one.at} title={one.at}>
                    {time(one.at)}
                  </time>
                </Link>
              </td>
              <td>
                <Badge tone={statusTone(one.status)}>{words(one.status)}</Badge>
              </td>
              <td>
                <KeyLink one={one} />
              </td>
              <td class="mono">
                <Name of={one.decision.deployment} />
              </td>
              <td class="may-wrap">
                {words(one.error ?? "unknown")}
                <LastWords of={one} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  </>
)

/** What the last provider said, on one line. */
const LastWords = ({ of }: { readonly of: Receipt }) => {
  const message = of.attempts.at(-1)?.error?.message
  return message === undefined ? null : (
    <div class="muted">
      <Name of={message} />
    </div>
  )
}

export const MostExpensive = (props: { readonly cut: TrafficReport | undefined; readonly lists: Lists }) => {
  const { cut, lists } = props
  return (
    <>
      <Card title="Most expensive deployments">
        {cut === undefined ? null : (
          <Table titles={["Deployment", "Requests", "Failure rate", "Spend"]} numbers={3}>
            {leaders(cut, 6).map(({ cost, ended, failed, name, names, requests, unpriced }) => (
              <tr key={name}>
                <td>
                  {names.size === 1 && !names.has(null) ? (
                    <Link to={pathWith("requests", { deployment: name })}>
                      <Name of={name} />
                    </Link>
                  ) : (
                    name
                  )}
                </td>
                <td class="number">{short(requests)}</td>
                <td class="number">{percent(ended === 0 ? null : failed / ended)}</td>
                <td class="number" title={exactUsd(cost)}>
                  {spent({ cost_usd: cost, unpriced })}
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Card>
      <Card title="Most expensive keys" aside={<Link to="keys">All keys</Link>}>
        <Table titles={["Key", "Requests", "Spend"]} numbers={2}>
          {lists.keys.map((one) => (
            <tr key={one.id}>
              <td>
                <Link to={`keys/${one.id}`}>
                  <Name of={one.name ?? one.id} />
                </Link>
              </td>
              <Dear one={one} />
            </tr>
          ))}
        </Table>
      </Card>
      <Card title="Most expensive teams" aside={<Link to="teams">All teams</Link>}>
        <Table titles={["Team", "Requests", "Spend"]} numbers={2}>
          {lists.teams.map((one) => (
            <tr key={one.team ?? ""}>
              <td>
                {one.team === null ? (
                  "no team"
                ) : (
                  <Link to={pathWith("requests", { team: one.team })}>
                    <Name of={one.team} />
                  </Link>
                )}
              </td>
              <Dear one={one} />
            </tr>
          ))}
        </Table>
      </Card>
    </>
  )
}

/** What somebody's requests were, and cost. */
const Dear = ({ one }: { readonly one: Pick<Lists["keys"][number], "requests" | "cost_usd" | "unpriced"> }) => (
  <>
    <td class="number">{short(one.requests)}</td>
    <td class="number" title={exactUsd(one.cost_usd)}>
      {spent(one)}
    </td>
  </>
)

/** The last of the columns are numbers. */
const Table = (props: {
  readonly titles: ReadonlyArray<string>
  readonly numbers?: number
  readonly children: ComponentChildren
}) => (
  <div class="table">
    <table>
      <thead>
        <tr>
          {props.titles.map((title, index) => (
            <th key={title} class={index >= props.titles.length - (props.numbers ?? 0) ? "number" : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{props.children}</tbody>
    </table>
  </div>
)
