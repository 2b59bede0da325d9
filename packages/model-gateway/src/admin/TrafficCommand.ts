/** `model-gateway traffic`: how much, how fast, how well. */
import { TimeZone, trafficDimensions } from "@model-gateway/protocol"
import { Clock, Console, DateTime, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { trafficReport } from "../output/TrafficView.ts"
import { adminFlags, answer, decodedAndResponse as responseMode } from "./AdminResponse.ts"
import { given, parseList, parseSpan, SPAN_ALLOWED } from "./FlagValues.ts"
import { optionalText, optionalWord, parsedFlag, textFlag } from "../Flags.ts"

const known: ReadonlyArray<string> = trafficDimensions

const dimensionsIn = (text: string): Option.Option<string> => {
  const names = parseList(text)
  return names.length > 0 && names.every((name) => known.includes(name)) ? Option.some(names.join(",")) : Option.none()
}

export const traffic = Command.make(
  "traffic",
  {
    last: parsedFlag("last", "SPAN", "how far back, such as 1h or 7d (default: 24h)", parseSpan, SPAN_ALLOWED).pipe(
      Flag.withDefault(86_400)
    ),
    by: textFlag(
      "by",
      "NAMES",
      `any of ${trafficDimensions.join(", ")}, separated by commas (default: deployment)`
    ).pipe(
      Flag.filterMap(dimensionsIn, () => `one or more of ${trafficDimensions.join(", ")}`),
      Flag.withDefault("deployment")
    ),
    interval: optionalWord(
      "interval",
      ["minute", "hour", "day"],
      "also group by time: minutes of the last 48 hours, hours of 90 days"
    ),
    timeZone: textFlag("time-zone", "ZONE", "where days begin, such as Europe/Berlin (default: UTC)").pipe(
      Flag.withSchema(TimeZone),
      Flag.optional
    ),
    deployment: optionalText("deployment", "ID", "only this deployment"),
    key: optionalText("key", "ID", "only this key"),
    team: optionalText("team", "TEAM", "only this team"),
    ...adminFlags
  },
  Effect.fn("traffic")(function* (flags) {
    const { by, deployment, interval, key, last, team, timeZone } = flags
    const from = DateTime.formatIso(DateTime.makeUnsafe((yield* Clock.currentTimeMillis) - last * 1000))
    const query = { from, group_by: by, ...given({ interval, tz: timeZone, deployment, key, team }) }
    yield* answer(
      flags,
      (client) => client.traffic.getTraffic({ query, responseMode }),
      (report) => Console.log(trafficReport(report, by.split(",")))
    )
  })
).pipe(
  Command.withDescription(
    "Requests by how they ended, with latencies, tokens and cost. Percentiles are at most 5 % off; costs are the ledger's."
  ),
  Command.withShortDescription("Requests, latencies and failures over time"),
  Command.withExamples([
    { command: "model-gateway traffic", description: "The last day, by deployment" },
    { command: "model-gateway traffic --last 1h --by deployment,error" },
    { command: "model-gateway traffic --last 7d --by team --interval day --time-zone Europe/Berlin" }
  ])
)
