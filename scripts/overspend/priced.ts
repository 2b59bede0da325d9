/** The storms of `npm run overspend` at the catalogue's prices. */
import { Effect } from "effect"
import { pricedStorm, storms } from "../../packages/gateway/test/acceptance/PricedStorm.ts"

/** Requests of each storm: more of them change nothing, since none is answered before all are decided. */
const REQUESTS = 300
const ROOM = 90

/** Whether every budget held. */
export const pricedStorms = async (): Promise<boolean> => {
  console.log(
    `${REQUESTS} requests at once on a budget with room for ${ROOM} of the vendor's bills, at the catalogue's prices`
  )
  const outcomes = await Effect.runPromise(Effect.forEach(storms, (storm) => pricedStorm(storm, REQUESTS, ROOM)))
  for (const { admitted, booked, budget, name } of outcomes) {
    console.log(`${name}: ${admitted} admitted, ${booked / 1e9} USD booked of ${budget / 1e9}`)
  }
  const problems = outcomes.flatMap((outcome) => outcome.problems)
  for (const problem of problems) console.log(`FAIL ${problem}`)
  console.log(
    `overspent: ${outcomes.filter(({ booked, budget }) => booked > budget).length} of ${outcomes.length} storms`
  )
  return problems.length === 0
}
