/** `/admin/overview`, `/admin/budgets`, `/admin/spend`, `/admin/traffic`: what there is to know of all requests. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { BudgetUseList, ListBudgetsQuery } from "../Budgets.ts"
import { MOST_LISTED, Overview, OverviewQuery } from "../Overview.ts"
import { DEFAULT_ROWS, SpendQuery, SpendReport } from "../Spend.ts"
import { DEFAULT_TRAFFIC_ROWS, MOST_TRAFFIC_ROWS, TrafficQuery, TrafficReport } from "../Traffic.ts"
import { administrative, owning, reading } from "./Administrative.ts"

export const overview = HttpApiGroup.make("overview")
  .add(
    HttpApiEndpoint.get("getOverview", "/admin/overview", { query: OverviewQuery, success: Overview }).annotateMerge(
      administrative({
        access: reading("overview.read"),
        numbers: {
          limit: { type: "integer", minimum: 1, maximum: MOST_LISTED, description: "Entries of each list. Default: 5." }
        },
        summary: "What to look at first",
        description:
          "The dearest keys and teams of a time, the last day unless another is given; the fullest budgets; the deployments that are not called, or fail; the last requests that failed."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Overview", description: "What to look at first." }))

export const budgets = HttpApiGroup.make("budgets")
  .add(
    HttpApiEndpoint.get("listBudgets", "/admin/budgets", {
      query: ListBudgetsQuery,
      success: BudgetUseList
    }).annotateMerge(
      administrative({
        access: reading("budgets.list"),
        numbers: {
          min_used: {
            type: "number",
            minimum: 0,
            description: "Only budgets of which this share is spent. Default: 0."
          },
          limit: { type: "integer", minimum: 1, maximum: 1000, description: "Budgets. Default: 100." }
        },
        summary: "List budgets, the fullest first",
        description: "Of all keys that are not revoked, and of all teams, with the time at which each is used up."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Budgets", description: "How full they are." }))

const spendRows = {
  type: "integer",
  minimum: 1,
  maximum: DEFAULT_ROWS.overTime,
  description: `Rows of each list, the dearest. Default: ${DEFAULT_ROWS.plain}; ${DEFAULT_ROWS.overTime} where rows are cut by time.`
}

export const spend = HttpApiGroup.make("spend")
  .add(
    HttpApiEndpoint.get("getSpend", "/admin/spend", {
      query: SpendQuery,
      success: SpendReport
    }).annotateMerge(
      administrative({
        access: reading("spend.read"),
        numbers: { limit: spendRows },
        summary: "Spend per key, per team and per model",
        description:
          "Of the present month in UTC, or of any other time; `group_by` asks for any other cut. By hour for at most 92 days. With `format=csv` the answer is text/csv."
      })
    ),
    HttpApiEndpoint.get("getMySpend", "/admin/me/spend", { query: SpendQuery, success: SpendReport }).annotateMerge(
      administrative({
        access: owning("me.spend", "read"),
        numbers: { limit: spendRows },
        summary: "Spend of my personal keys",
        description: "As `/admin/spend`, of the keys of the signed-in person."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Spend", description: "What was spent." }))

export const traffic = HttpApiGroup.make("traffic")
  .add(
    HttpApiEndpoint.get("getTraffic", "/admin/traffic", { query: TrafficQuery, success: TrafficReport }).annotateMerge(
      administrative({
        access: reading("traffic.read"),
        numbers: {
          limit: {
            type: "integer",
            minimum: 1,
            maximum: MOST_TRAFFIC_ROWS,
            description: `Rows. Default: ${DEFAULT_TRAFFIC_ROWS}.`
          }
        },
        summary: "Traffic over time",
        description:
          "Requests by how they ended, latencies, tokens and cost, over the last day or any time that is kept, as a whole or cut by time and dimensions. It reads sums and no request, and lags behind by nothing."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Traffic", description: "How much, how fast, how well." }))
