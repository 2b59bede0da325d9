/** What the descriptions of all endpoints under `/admin` have in common. */
import { documented, type FailureStatus } from "../../Documented.ts"

/** Whatever is asked for under `/admin` may fail so. */
const always = [400, 401, 403, 429, 500, 503] as const

type Description = Parameters<typeof documented>[0]

/** `failures`: those beside the ones that every endpoint here may have. */
export const administrative = ({
  failures = [],
  ...rest
}: Omit<Description, "failures"> & { readonly failures?: ReadonlyArray<FailureStatus> }) =>
  documented({ ...rest, failures: [...always, ...failures] })

/** `limit` of a list that comes in pages. */
export const pageLimit = (what: string) => ({
  type: "integer",
  minimum: 1,
  maximum: 1000,
  description: `${what} per page. Default: 100.`
})
