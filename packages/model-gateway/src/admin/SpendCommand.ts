/** `model-gateway spend`: what was spent. */
import { TimeZone } from "@model-gateway/protocol"
import { Clock, Console, DateTime, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { spendReport } from "../output/SpendView.ts"
import { adminFlags, answer, decodedAndResponse as responseMode } from "./AdminResponse.ts"
import { given, parseSpan, parseTime } from "./FlagValues.ts"
import { optionalParsed, optionalText, optionalWord, textFlag, toggle } from "../Flags.ts"

/** Seconds ago, or a time. A day stays one: when it begins depends on the time zone, which the gateway reckons with. */
const when = (text: string): Option.Option<number | string> =>
  Option.orElse(parseSpan(text), () => Option.map(parseTime(text), (time) => (text.includes("T") ? time : text)))

const WHEN_ALLOWED = "a day such as 2026-11-01, a time such as 2026-11-01T18:00:00Z, or a span before now such as 7d"

export const spend = Command.make(
  "spend",
  {
    from: optionalParsed(
      "from",
      "WHEN",
      "2026-11-01, 2026-11-01T18:00:00Z, or 7d for a week ago (default: start of this month)",
      when,
      WHEN_ALLOWED
    ),
    to: optionalParsed("to", "WHEN", "the end, exclusive (default: end of this month)", when, WHEN_ALLOWED),
    timeZone: textFlag("time-zone", "ZONE", "where days and months begin, such as Europe/Berlin (default: UTC)").pipe(
      Flag.withSchema(TimeZone),
      Flag.optional
    ),
    by: optionalWord(
      "by",
      ["key", "team", "model", "provider", "tag", "end_user", "session", "client", "user", "day", "month"],
      "group by this (default: three tables, by key, team and model)"
    ),
    key: optionalText("key", "ID", "of this key only"),
    team: optionalText("team", "TEAM", "of this team only"),
    endUser: optionalText("end-user", "ID", "of this end user only"),
    session: optionalText("session", "ID", "of this session only"),
    client: optionalText("client", "NAME", "of this client only, such as codex"),
    model: optionalText("model", "MODEL", "of this model only"),
    user: optionalText("user", "ID", "of the personal keys of this person only, user_…"),
    mine: toggle("mine", "of your personal keys only"),
    ...adminFlags
  },
  Effect.fn("spend")(function* (flags) {
    const now = yield* Clock.currentTimeMillis
    const instant = (at: number | string) =>
      typeof at === "string" ? at : DateTime.formatIso(DateTime.makeUnsafe(now - at * 1000))
    const { by, client, endUser: end_user, key, model, session, team, timeZone: tz, user } = flags
    const [from, to] = [Option.map(flags.from, instant), Option.map(flags.to, instant)]
    const query = given({
      from,
      to,
      tz,
      key,
      team,
      model,
      end_user,
      session,
      client,
      user,
      group_by: Option.map(by, (cut) => (cut === "model" ? "provider,model" : cut))
    })
    yield* answer(
      flags,
      (client) =>
        flags.mine ? client.spend.getMySpend({ query, responseMode }) : client.spend.getSpend({ query, responseMode }),
      (report) => Console.log(spendReport(report, Option.getOrUndefined(by)))
    )
  })
).pipe(
  Command.withDescription(
    "Show spend, requests and tokens. ~ before a cost: the provider did not report all usage, and the gateway estimated the rest."
  ),
  Command.withShortDescription("Show what was spent"),
  Command.withExamples([
    { command: "model-gateway spend", description: "This month, by key, team and model" },
    { command: "model-gateway spend --from 7d --by day --team research" },
    { command: "model-gateway spend --from 2026-10-01 --to 2026-11-01 --time-zone Europe/Berlin --by model --json" }
  ])
)
